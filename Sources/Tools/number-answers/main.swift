// `number-answers`: what NumberPlan says of numbers, one line for each, for comparing it with libphonenumber; and
// how many of them it reads in a second. Only arguments and output; the lines are QuestionLines', the answers Answer's.

import Foundation
import NumberPlan

let usage = "usage: number-answers < QUESTIONS > ANSWERS, or number-answers --rate FILE [--rounds N]"

func fail(_ message: String, status: Int32) -> Never {
  FileHandle.standardError.write(Data("number-answers: \(message)\n".utf8))
  exit(status)
}

func answerAll() throws {
  /// Large enough that a read or write costs nothing beside its lines.
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
