// Text whose parts have styles. Colours are added when it is printed, after control characters were made printable, so
// that text from outside can't add its own.
//
// Not for: whether a stream shows colours; the command layer decides that.

/// The style of a part of a text: what the part means. The raw value is the parameter of the terminal's control
/// sequence. Only the eight basic colours are used: a terminal's theme makes them readable.
package enum TextStyle: String, Sendable {
  /// The start of an error message.
  case error = "1;31"
  /// The start of a warning.
  case warning = "1;33"
  /// The start of a hint.
  case hint = "36"
  /// The subject of what follows, such as a heading.
  case heading = "1"
  /// A name next to a value, and what matters less.
  case faint = "2"
  /// An addition, or an answer that is good.
  case added = "32"
  /// A removal, or an answer that is not.
  case removed = "31"
  /// A change.
  case changed = "33"

  /// The control sequence that starts the style.
  package var start: String { "\u{1B}[\(rawValue)m" }
  /// The control sequence that ends any style.
  package static let end = "\u{1B}[0m"
}

/// A text whose parts have styles.
///
///     let line: StyledText = "\("added", .added)  \(count) numbers"
package struct StyledText: Equatable, Sendable, ExpressibleByStringInterpolation {
  private struct Part: Equatable, Sendable {
    var text: String
    var style: TextStyle?
  }

  private var parts: [Part] = []

  /// Makes a text with at most one style.
  package init(_ text: String, _ style: TextStyle? = nil) {
    parts = [Part(text: text, style: style)]
  }

  /// Makes a text without styles.
  package init(stringLiteral text: String) { self.init(text) }

  /// Makes a text of the parts of a string literal.
  package init(stringInterpolation: StringInterpolation) {
    parts = stringInterpolation.text.parts
  }

  /// Appends a text.
  package mutating func append(_ other: StyledText) { parts += other.parts }

  /// The text without styles.
  package var plain: String { text(isColoured: false) { $0 } }

  /// The text for a stream.
  ///
  /// - Parameters:
  ///   - isColoured: whether the stream shows colours.
  ///   - printable: replaces the control characters of a part.
  package func text(isColoured: Bool, printable: (String) -> String) -> String {
    parts.map { part in
      let text = printable(part.text)
      guard isColoured, let style = part.style, !text.isEmpty else { return text }
      return style.start + text + TextStyle.end
    }.joined()
  }

  /// Collects the parts of a string literal.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = StyledText("")

    /// Makes an empty text.
    package init(literalCapacity: Int, interpolationCount: Int) {
      text.parts = []
    }

    /// Appends a part of the literal, without a style.
    package mutating func appendLiteral(_ literal: String) { text.append(StyledText(literal)) }

    /// Appends a value, with a style or without.
    package mutating func appendInterpolation(_ value: some CustomStringConvertible, _ style: TextStyle? = nil)
    {
      text.append(StyledText(value.description, style))
    }

    /// Appends a text with its styles.
    package mutating func appendInterpolation(_ other: StyledText) { text.append(other) }
  }
}
