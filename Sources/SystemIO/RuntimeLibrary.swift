// A C library that a stage opens at run time, as `cdpipe version` reports it.
//
// Not for: opening it (CLibraryLoader), and the error when it is missing (the stage that needs it).

/// A C library that is opened at run time, when the first command needs it.
package struct RuntimeLibrary: Sendable {
  /// The name of its file.
  package let name: String
  /// A command that needs it.
  package let command: String
  /// Whether it can be opened and has the functions that the stage calls.
  package let isUsable: Bool
  /// Whether the command does without it.
  package let isOptional: Bool

  /// Makes a description.
  package init(name: String, command: String, isUsable: Bool, isOptional: Bool = false) {
    self.name = name
    self.command = command
    self.isUsable = isUsable
    self.isOptional = isOptional
  }
}
