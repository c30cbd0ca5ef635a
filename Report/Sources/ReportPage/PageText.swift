// Escapes texts for the page, scalar by scalar.
//
// The template library escapes Swift characters. After some scalars, such as U+0600, a `<` is part of a longer Swift
// character and would not be escaped, but a browser would still see a tag. Therefore the page has its own escaping.

import Mustache

/// Text for HTML, between tags and in attributes with quotes.
struct PageText: MustacheContentType {
  /// The content type's name in the template.
  static let name = "PAGE"

  private static let registration: Void = MustacheContentTypes.register(PageText(), named: name)

  /// Registers the content type with the library. Call it before a template is parsed.
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
      // HTML does not allow these characters; parsers may treat them differently.
      case "\u{0}"..<"\u{9}", "\u{B}"..."\u{1F}", "\u{7F}"..."\u{9F}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
