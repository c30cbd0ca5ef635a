// The message of an error: one sentence, and a hint at what to type or change.

/// A message for the user: what is wrong, in lower case without a full stop, and what to do about it. URLs in it have no
/// query, user name or password, and control characters, which names of files may contain, are escaped.
package struct UserMessage: Equatable, Sendable {
  /// The sentence and the hint with their options marked (OptionText).
  package private(set) var sentence: String
  package private(set) var suggestion: String?

  package init(_ message: String, hint: String? = nil) {
    sentence = PrintableText.name(URLRedaction.text(message))
    suggestion = hint.map { PrintableText.name(URLRedaction.text($0)) }
  }

  /// What is wrong.
  package var message: String {
    get { OptionText.typed(sentence) }
    set { sentence = newValue }
  }

  /// What to type or change; nil if there is nothing to suggest.
  package var hint: String? {
    get { suggestion.map(OptionText.typed) }
    set { suggestion = newValue }
  }

  /// The message with both texts, in which options are marked, replaced.
  package func mapped(_ text: (String) -> String) -> UserMessage {
    var result = self
    result.sentence = text(sentence)
    result.suggestion = suggestion.map(text)
    return result
  }

  /// The message after another text.
  package func prefixed(_ text: String) -> UserMessage {
    var result = self
    result.sentence = text + sentence
    return result
  }

  package static func == (one: UserMessage, other: UserMessage) -> Bool {
    one.message == other.message && one.hint == other.hint
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
