// Measures the cost of one query in a process that has just started, like a message filter on a phone: time and memory
// until the first result. Not for sustained speed (main.swift).

import MessageRules

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

/// The private dirty memory of the process, which is what iOS counts; nil if /proc does not report it.
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
