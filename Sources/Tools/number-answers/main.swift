// `number-answers`: NumberPlan's results for numbers, one per line, for comparison with libphonenumber; or how many of
// them it parses per second. Only arguments and output; QuestionLines splits lines, and Answer answers.

import Foundation
import NumberPlan

/// The columns: calling code, national number, leading zeros, extension, possibility, valid, region, type, national form,
/// international form. The integers are those of `ValidationResult` and `PhoneNumberType` in libphonenumber's Python
/// port. The forms are empty for a number that is longer than E.164 allows.
enum Answer {
  static func append(to output: inout [UInt8], of text: Span<UInt8>, region: Region?) {
    let number: ParsedNumber
    do throws(NumberParseError) {
      number = try NumberPlan.parse(text, region: region)
    } catch {
      output.append(UInt8(ascii: "!"))
      output.append(contentsOf: name(error).utf8)
      return
    }
    append(UInt64(number.callingCode), to: &output)
    output.append(UInt8(ascii: "\t"))
    append(number.nationalNumber, to: &output)
    output.append(UInt8(ascii: "\t"))
    append(UInt64(number.leadingZeros), to: &output)
    output.append(UInt8(ascii: "\t"))
    for place in [number.extensionHead, number.extension] {
      for index in place ?? 0..<0 { output.append(text[index]) }
    }
    output.append(UInt8(ascii: "\t"))
    append(UInt64(NumberPlan.isPossible(number).rawValue), to: &output)
    output.append(UInt8(ascii: "\t"))
    append(NumberPlan.isValid(number) ? 1 : 0, to: &output)
    output.append(UInt8(ascii: "\t"))
    let (region, type) = NumberPlan.classify(number)
    output.append(contentsOf: (region?.code ?? "").utf8)
    output.append(UInt8(ascii: "\t"))
    append(UInt64(type.rawValue), to: &output)
    for form in [NumberForm.national, .international] {
      output.append(UInt8(ascii: "\t"))
      if number.length <= digitsMax { NumberPlan.append(number.e164, as: form, to: &output) }
    }
  }

  private static let digitsMax = 15

  private static func name(_ failure: NumberParseError) -> String {
    switch failure {
    case .notANumber: "notANumber"
    case .invalidCountryCode: "invalidCountryCode"
    case .tooShortAfterIDD: "tooShortAfterIDD"
    case .tooShortNSN: "tooShortNSN"
    case .tooLong: "tooLong"
    }
  }

  private static func append(_ value: UInt64, to output: inout [UInt8]) {
    if value >= 10 { append(value / 10, to: &output) }
    output.append(UInt8(ascii: "0") + UInt8(value % 10))
  }
}

/// Finds the lines in chunks of input; a line may span several chunks.
struct QuestionLines {
  /// The start of a line whose end has not been read yet.
  private var line: [UInt8] = []
  private var text: ContiguousArray<UInt8> = []
  private var regionCode = ""
  private var region: Region?

  /// Passes on each question that ends in `chunk`: its region, nil for `ZZ` and invalid codes, and its text.
  mutating func forEach(in chunk: Data, isLast: Bool, _ body: (Region?, Span<UInt8>) -> Void) {
    for byte in chunk {
      if byte != UInt8(ascii: "\n") {
        line.append(byte)
        continue
      }
      finish(body)
    }
    if isLast, !line.isEmpty { finish(body) }
  }

  private mutating func finish(_ body: (Region?, Span<UInt8>) -> Void) {
    let tab = line.firstIndex(of: UInt8(ascii: "\t")) ?? line.endIndex
    let code = String(decoding: line[..<tab], as: UTF8.self)
    // Questions about one region are often adjacent.
    if code != regionCode {
      regionCode = code
      region = Region(code)
    }
    text.removeAll(keepingCapacity: true)
    var isEscaped = false
    for byte in line[min(tab + 1, line.endIndex)...] {
      if isEscaped {
        text.append(Self.unescaped(byte))
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else {
        text.append(byte)
      }
    }
    line.removeAll(keepingCapacity: true)
    body(region, text.span)
  }

  private static func unescaped(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    default: byte
    }
  }
}

enum Rate {
  /// Numbers per second in the best of `rounds` rounds over all `questions`: parse, isValid, e164.
  static func best(of rounds: Int, _ questions: Data) throws -> Int {
    var texts: ContiguousArray<UInt8> = []
    var ends: [Int] = []
    var regions: [Region?] = []
    var cutter = QuestionLines()
    cutter.forEach(in: questions, isLast: true) { region, text in
      for index in 0..<text.count { texts.append(text[index]) }
      ends.append(texts.count)
      regions.append(region)
    }
    let clock = ContinuousClock()
    var best = Duration.seconds(Int64.max >> 1)
    // The results are summed and checked, so that nothing is optimized away.
    var sum: UInt64 = 0
    for _ in 0..<rounds {
      best = min(best, clock.measure { sum &+= round(texts.span, ends.span, regions.span) })
    }
    if sum == 0 { throw RateError.noNumbers }
    return Int(Double(ends.count) / (best / .seconds(1)))
  }

  private static func round(_ texts: Span<UInt8>, _ ends: Span<Int>, _ regions: Span<Region?>) -> UInt64 {
    var sum: UInt64 = 0
    var start = 0
    for index in 0..<ends.count {
      let end = ends[index]
      if let number = try? NumberPlan.parse(texts.extracting(start..<end), region: regions[index]) {
        sum &+= number.e164 &+ (NumberPlan.isValid(number) ? 1 : 0)
      }
      start = end
    }
    return sum
  }
}

enum RateError: Error {
  /// The file has no line with a number.
  case noNumbers
}

let usage = "usage: number-answers < QUESTIONS > ANSWERS, or number-answers --rate FILE [--rounds N]"

func fail(_ message: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("number-answers: \(message)\n".utf8))
  exit(status)
}

func answerAll() throws {
  /// Large enough to make the cost of reads and writes negligible.
  let chunkBytes = 1 << 20
  var cutter = QuestionLines()
  var output: [UInt8] = []
  var isAtEnd = false
  while !isAtEnd {
    let chunk = try FileHandle.standardInput.read(upToCount: chunkBytes) ?? Data()
    isAtEnd = chunk.isEmpty
    cutter.forEach(in: chunk, isLast: isAtEnd) { region, text in
      Answer.append(to: &output, of: text, region: region)
      output.append(UInt8(ascii: "\n"))
    }
    try FileHandle.standardOutput.write(contentsOf: Data(output))
    output.removeAll(keepingCapacity: true)
  }
}

do {
  let arguments = CommandLine.arguments.dropFirst()
  if arguments.isEmpty {
    try answerAll()
  } else if arguments.first == "--rate" {
    let rest = Array(arguments.dropFirst())
    guard let file = rest.first, rest.count == 1 || (rest.count == 3 && rest[1] == "--rounds") else {
      fail(usage, status: 64)
    }
    guard let rounds = rest.count == 3 ? Int(rest[2]) : 5, rounds > 0 else { fail(usage, status: 64) }
    guard let questions = FileManager.default.contents(atPath: file) else {
      fail("cannot read '\(file)'", status: 66)
    }
    print(try Rate.best(of: rounds, questions))
  } else {
    fail(usage, status: 64)
  }
} catch {
  fail("\(error)", status: 74)
}
