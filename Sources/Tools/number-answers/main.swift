// `number-answers`: NumberPlan's results for numbers, one per line, for comparison with libphonenumber; or how many of
// them it parses per second. Only arguments and output; QuestionLines splits lines, and Answer answers.

import Foundation
import NumberPlan

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
