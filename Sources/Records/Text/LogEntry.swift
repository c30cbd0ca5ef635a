// What a command reports on standard error, as a value with two renderings: a line of text, and a JSON object.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// A message of a command or of a stage.
public struct LogEntry: Sendable {
  public enum Level: String, Encodable, Sendable {
    case info, warning, error
  }

  /// The command or stage that reports it, without `cdpipe`; empty for the program. Nil for a further line of the entry
  /// before, which is indented.
  public var command: String?
  /// What is reported, with its options marked (OptionText).
  public var text: String
  /// What to type or change.
  public var hint: String?
  public var level = Level.info
  /// Whether the line shows that it is a warning or the error that ended the command.
  public var showsLevel = false
  /// The source that the entry is about, in a run of several.
  public var source: String?
  /// The exit status; only in the last entry of a process that logs JSON.
  public var exitStatus: Int32?

  public init(_ command: String?, _ text: String, hint: String? = nil) {
    self.command = command
    self.text = text
    self.hint = hint
  }

  /// What is reported, after the name of the command.
  public var message: String { level == .warning && showsLevel ? "warning: \(text)" : text }

  public func line(isColoured: Bool) -> String {
    var line: StyledText = "  \(text)"
    if let command {
      let name = command.isEmpty ? "cdpipe:" : "cdpipe \(command):"
      line = "\(name) \(text)"
      if showsLevel, level == .warning { line = "\(name) \("warning:", .warning) \(text)" }
      if showsLevel, level == .error { line = "\(name, .error) \(text)" }
    }
    line.append("\n")
    if let hint { line.append("  \("hint:", .hint) \(hint)\n") }
    // Any text may contain a name from the user or from a file.
    return line.text(isColoured: isColoured, printable: PrintableText.lines)
  }
}
