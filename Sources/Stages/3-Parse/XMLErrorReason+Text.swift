// Errors of XML documents as short texts.

import Records

extension XMLErrorReason {
  /// What is wrong.
  var text: String {
    switch self {
    case .malformed(_, let text): "not well-formed XML: \(text)"
    case .truncated: "the XML document ends inside an element"
    case .encoding(let declared):
      "the XML document is in an unsupported encoding, or not in the one that it declares"
        + (declared.map { ", \(PrintableText.line($0))" } ?? "")
    case .tokenTooLong(let limit): "a tag or comment longer than \(Figures.bytes(limit))"
    case .tooDeep(let limit): "nested deeper than \(limit) elements"
    case .entityBomb: "its entities expand to far more than the document"
    case .outOfMemory: "out of memory"
    case .otherRoot(let found, let expected):
      "the root element is '\(PrintableText.line(found))', expected '\(expected)'"
    }
  }

  /// What to do about it.
  var hint: String? {
    switch self {
    case .encoding(let declared):
      declared.map { "set the encoding with --encoding \(ShellQuoting.quoted(PrintableText.line($0)))" }
        ?? "set the encoding with --encoding NAME"
    case .otherRoot: "see the formats with 'cdpipe parse --formats'"
    case .malformed, .truncated: "repair the document; the rows before this place were written"
    default: nil
    }
  }
}
