// Texts on the page, escaped scalar by scalar.
//
// The template library escapes characters, and in Swift a `<` after some scalars, such as U+0600, is not a character of its own
// but a part of one, which a browser does not know: it would see the tag. So the page brings its own escaping.

import Mustache

/// Text for HTML, between tags and in attributes with quotes.
struct PageText: MustacheContentType {
  /// What the template calls this.
  static let name = "PAGE"

  private static let registration: Void = MustacheContentTypes.register(PageText(), named: name)

  /// Makes the name known to the library; a template that is parsed before does not know it.
  static func register() { _ = registration }

  func escapeText(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "&": escaped += "&amp;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      // HTML has no such characters; a parser may do with them as it likes.
      case "\u{0}"..<"\u{9}", "\u{B}"..."\u{1F}", "\u{7F}"..."\u{9F}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
