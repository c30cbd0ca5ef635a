// Keeps thousands of files on a command line from the parser of arguments, whose time grows with the square of their
// number: 20,000 files cost it 8 seconds.
//
// Not for: which words are options (the parser decides).

import ArgumentParser

/// A command that accepts any number of files.
protocol ManyFilesCommand: ParsableCommand {
  /// The files, in the order in which they were typed.
  var operands: [String] { get set }
}

/// The words after a command's names, in which one word stands for each long run of files.
struct OperandRuns {
  /// The minimum length of a run that is replaced.
  private static let lengthMin = 256
  /// The first byte of a word that stands for a run. No argument of a process has such a byte.
  private static let mark = "\0"

  /// The words to parse.
  private(set) var words: [String] = []
  private var runs: [ArraySlice<String>] = []

  /// Replaces the runs, if the command accepts any number of files.
  init(_ typed: ArraySlice<String>, of command: any ParsableCommand.Type) {
    guard typed.count >= Self.lengthMin, command is any ManyFilesCommand.Type else {
      words = Array(typed)
      return
    }
    var start = typed.startIndex
    for index in typed.indices {
      // The word after an option may be its value.
      let isFirst = index == typed.startIndex
      let isFile = !typed[index].hasPrefix("-") && (isFirst || !typed[index - 1].hasPrefix("-"))
      if isFile { continue }
      add(typed[start..<index])
      words.append(typed[index])
      start = index + 1
    }
    add(typed[start...])
  }

  private mutating func add(_ files: ArraySlice<String>) {
    if files.count < Self.lengthMin {
      words += files
    } else {
      words.append("\(Self.mark)\(runs.count)")
      runs.append(files)
    }
  }

  /// The parsed command with all its files.
  func completed(_ parsed: any ParsableCommand) -> any ParsableCommand {
    guard !runs.isEmpty, var command = parsed as? any ManyFilesCommand else { return parsed }
    command.operands = command.operands.flatMap { word in
      guard word.hasPrefix(Self.mark), let index = Int(word.dropFirst()) else { return [word][...] }
      return runs[index]
    }
    return command
  }
}
