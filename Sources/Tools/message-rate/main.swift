// Measures the speed of classifying messages on one core: generated keywords and messages, rules compiled in memory,
// and only `classify` timed. Benchmarks/messages.py runs it.
//
//     message-rate [KEYWORDS [MESSAGES [FILE]]]
//     message-rate --first FILE
//
// Prints a line for each kind of message: kind, messages per second, and how many of them matched a rule;
// FILE receives the compiled rules. The second form opens such a file and prints the cost of the first query.

import MessageRules
import MessageRulesCompiler
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Opens compiled rules, makes one query, and prints its cost.
///
/// - Parameter path: the compiled file.
func measureFirstAnswer(_ path: String) throws {
  // Reading the figure needs a buffer; allocate it before measuring.
  var buffer = ContiguousArray<UInt8>(repeating: 0, count: smapsBytesMax)
  _ = dirtyKibibytes(&buffer)
  let before = dirtyKibibytes(&buffer)
  let start = seconds(CLOCK_MONOTONIC)
  var classifier = MessageClassifier(try CompiledRules(path: path))
  let verdict = classifier.classify(
    sender: "+8613800138000", body: "晚上一起吃饭吗, see you at seven", receiver: "CN")
  let answered = seconds(CLOCK_MONOTONIC) - start
  let processor = seconds(CLOCK_PROCESS_CPUTIME_ID)
  let after = dirtyKibibytes(&buffer)
  print("opened and answered\t\(answered * 1e3) ms")
  print("processor time of the process\t\(processor * 1e3) ms")
  if let before, let after { print("written to\t\(after - before) KiB") }
  print("rule\t\(verdict.rule.map(String.init) ?? "none")")
}

/// The maximum bytes of /proc/self/smaps_rollup: about 25 lines.
private let smapsBytesMax = 8_192

private func seconds(_ clock: clockid_t) -> Double {
  var time = timespec()
  unsafe clock_gettime(clock, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The memory of the process that is not a file's, which is what iOS counts; nil if /proc does not report it.
private func dirtyKibibytes(_ buffer: inout ContiguousArray<UInt8>) -> Int? {
  let file = unsafe open("/proc/self/smaps_rollup", O_RDONLY)
  guard file >= 0 else { return nil }
  defer { close(file) }
  let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
  guard count > 0 else { return nil }
  let name = ContiguousArray("\nAnonymous:".utf8)
  var place = 0
  while place + name.count < count, !(0..<name.count).allSatisfy({ buffer[place + $0] == name[$0] }) {
    place += 1
  }
  place += name.count
  while place < count, buffer[place] == 0x20 { place += 1 }
  var kibibytes = 0
  while place < count, (0x30...0x39).contains(buffer[place]) {
    kibibytes = kibibytes &* 10 &+ Int(buffer[place] & 15)
    place += 1
  }
  return kibibytes
}

let keywordCount = Int(CommandLine.arguments.dropFirst().first ?? "") ?? 10_000
let messageCount = Int(CommandLine.arguments.dropFirst(2).first ?? "") ?? 200_000

/// Generated texts, the same every time. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators".
struct TextMaker {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int(truncatingIfNeeded: (word ^ (word >> 31)) % UInt64(limit))
  }

  /// Words of Latin letters, with the letter frequencies of English.
  mutating func latin(_ count: Int) -> String {
    let letters = Array(
      "eeeeeeeeeeeettttttttaaaaaaaaooooooooiiiiiiinnnnnnnsssssshhhhhhrrrrrrddddllllccuummwwffggyyppbbvk")
    var text = ""
    var word = 3 + below(6)
    for _ in 0..<count {
      text.append(word == 0 ? " " : letters[below(letters.count)])
      word = word == 0 ? 2 + below(7) : word - 1
    }
    return text
  }

  /// Chinese characters: a few thousand, the first ones more frequent.
  mutating func han(_ count: Int) -> String {
    var text = ""
    for _ in 0..<count {
      let place = min(below(3000), below(3000))
      text.unicodeScalars.append(Unicode.Scalar(UInt32(0x4E00 + place * 5)) ?? " ")
    }
    return text
  }

  /// Chinese with some Latin, digits and punctuation.
  mutating func mixed(_ count: Int) -> String {
    var text = ""
    while text.unicodeScalars.count < count {
      switch below(10) {
      case 0: text += latin(3 + below(6))
      case 1: text += String(below(100_000))
      case 2: text += ["，", "。", "！", " ", "【", "】", "：", "①"][below(8)]
      default: text += han(4 + below(9))
      }
    }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(count)))
  }
}

/// Compiles the generated rules and measures.
func measure() throws {
  var maker = TextMaker(seed: 1)
  var list = "rules:\n  - name: words\n    action: junk\n    when:\n      body:\n        contains:\n"
  for index in 0..<keywordCount {
    let keyword = index % 3 == 0 ? maker.latin(6 + maker.below(8)) : maker.han(2 + maker.below(4))
    list += "          - \"\(keyword)\"\n"
  }
  let file = try RuleFileReader.read(Array(list.utf8), file: "made-up", isRegion: { _ in true })
  let bytes = ContiguousArray(try RuleCompiler.compile(file))
  print("compiled\t\(bytes.count) bytes")
  if CommandLine.arguments.count > 3 { try leave(bytes, at: CommandLine.arguments[3]) }
  var classifier = MessageClassifier(try CompiledRules(bytes: bytes.span))
  for (kind, make) in [
    ("latin", { (maker: inout TextMaker) in maker.latin(160) }),
    ("han", { maker in maker.han(160) }), ("mixed", { maker in maker.mixed(160) }),
  ] as [(String, (inout TextMaker) -> String)] {
    let bodies = (0..<5000).map { _ in ContiguousArray(make(&maker).utf8) }
    let sender = ContiguousArray("+8613800138000".utf8)
    var start = timespec()
    var end = timespec()
    var taken = 0
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start)
    for index in 0..<messageCount {
      let body = bodies[index % bodies.count]
      if classifier.classify(sender: sender.span, body: body.span).rule != nil { taken += 1 }
    }
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end)
    let seconds = Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9
    print("\(kind)\t\(Int(Double(messageCount) / seconds)) messages/s\t\(taken) of \(messageCount) taken")
  }
}

func leave(_ bytes: ContiguousArray<UInt8>, at path: String) throws(SystemError) {
  var file = try OutputFile(path)
  try file.write(bytes.span)
  try file.publish(durably: false)
}

do {
  if CommandLine.arguments.count == 3, CommandLine.arguments[1] == "--first" {
    try measureFirstAnswer(CommandLine.arguments[2])
  } else {
    try measure()
  }
} catch {
  print("message-rate: \(error)")
  exit(70)
}
