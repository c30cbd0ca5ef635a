// Keeps thousands of operands (files, numbers) on a command line from the parser of arguments, whose time grows with the
// square of their number: 20,000 cost it 8 seconds.
//
// Not for: which words are options (the parser decides).

import ArgumentParser

/// A command that accepts any number of operands.
protocol ManyOperandsCommand: ParsableCommand {
  /// The operands, in the order in which they were typed.
  var operands: [String] { get set }
}

/// The words after a command's names, in which one word stands for each long run of operands.
struct OperandRuns {
  /// The minimum length of a run that is replaced.
  private static let lengthMin = 256
  /// The first byte of a word that stands for a run. No argument of a process has such a byte.
  private static let mark = "\0"

  /// The words to parse.
  private(set) var words: [String] = []
  private var runs: [ArraySlice<String>] = []

  /// Replaces the runs, if the command accepts any number of operands.
  init(_ typed: ArraySlice<String>, of command: any ParsableCommand.Type) {
    guard typed.count >= Self.lengthMin, command is any ManyOperandsCommand.Type else {
      words = Array(typed)
      return
    }
    var start = typed.startIndex
    var areOptionsOver = false
    for index in typed.indices {
      // The word after an option may be its value. Standard input may be named only once, which the command checks.
      let isFirst = index == typed.startIndex
      let isOperand =
        areOptionsOver
        ? typed[index] != "-" : !typed[index].hasPrefix("-") && (isFirst || !typed[index - 1].hasPrefix("-"))
      if isOperand { continue }
      if typed[index] == "--" { areOptionsOver = true }
      add(typed[start..<index])
      words.append(typed[index])
      start = index + 1
    }
    add(typed[start...])
  }

  private mutating func add(_ operands: ArraySlice<String>) {
    if operands.count < Self.lengthMin {
      words += operands
    } else {
      words.append("\(Self.mark)\(runs.count)")
      runs.append(operands)
    }
  }

  /// The parsed command with all its operands.
  func completed(_ parsed: any ParsableCommand) -> any ParsableCommand {
    guard !runs.isEmpty, var command = parsed as? any ManyOperandsCommand else { return parsed }
    command.operands = command.operands.flatMap { word in
      guard word.hasPrefix(Self.mark), let index = Int(word.dropFirst()) else { return [word][...] }
      return runs[index]
    }
    return command
  }
}
