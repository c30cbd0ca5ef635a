// The message of an error: one sentence, and a hint at what to type or change.

/// A message for the user: what is wrong, in lower case without a full stop, and what to do about it. URLs in it have no
/// query, user name or password, and control characters, which names of files may contain, are escaped.
package struct UserMessage: Equatable, Sendable {
  /// What is wrong.
  package var message: String
  /// What to type or change; nil if there is nothing to suggest.
  package var hint: String?

  /// Makes a message.
  package init(_ message: String, hint: String? = nil) {
    self.message = PrintableText.name(URLRedaction.text(message))
    self.hint = hint.map { PrintableText.name(URLRedaction.text($0)) }
  }
}

/// An error that describes itself to the user.
package protocol UserMessageConvertible {
  /// Describes the error. The stage decides which options a hint may name.
  func userMessage(of stage: StageName?) -> UserMessage
}

extension UserMessageConvertible {
  /// The description of the error when no stage is involved.
  package var userMessage: UserMessage { userMessage(of: nil) }
}

/// Names that many messages contain.
package enum InputName {
  /// An input in a sentence: `'list.json'` or `standard input`.
  package static func quoted(_ input: String) -> String { input == "-" ? "standard input" : "'\(input)'" }

  /// An input at the start of a place: `list.json` or `standard input`.
  package static func plain(_ input: String) -> String { input == "-" ? "standard input" : input }
}

/// Messages about a command's input.
package enum InputMessages {
  /// The input is typed on the terminal.
  package static let readsTerminal = "reading from the terminal; end with Ctrl-D"
}
