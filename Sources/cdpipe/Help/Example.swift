// The examples in the help of commands: a task, and the command line that does it. A test runs every one of them.
//
// Not for: where they appear in the help (HelpText).

import ArgumentParser

/// A task, and the command line that does it.
struct Example: Sendable {
  /// The task, as an imperative without a full stop.
  let task: String
  /// The command line. Each line of a longer one except the last ends in a backslash.
  let command: String

  init(_ task: String, _ command: String) {
    self.task = task
    self.command = command
  }
}

/// A command whose help has examples.
protocol DocumentedCommand: ParsableCommand {
  /// Three to five tasks, the most frequent one first. They run as they stand, with files named as in HelpTests.
  static var examples: [Example] { get }
}
