// What `parse` recognised about an input, as messages: the encoding, the fields, and what was not recognised.

public import ParseStage

extension InputNotice {
  /// The maximum number of fields that are listed.
  private static let listedMax = 8

  /// A note for users who are watching, without the command's name; nil if there is nothing to report.
  public var note: String? {
    switch finding {
    case .layout(let layout) where layout.format != .lines:
      let read =
        layout.rowsArePairs
        ? "number from the key, label from the value"
        : Self.fields([
          ("number", layout.number), ("label", layout.label), ("source", layout.source),
          ("score", layout.score),
        ])
      let others = layout.others
      return "\(name): \(read)" + (others.isEmpty ? "" : "; also there: \(Self.listed(others))")
    case .layout, .otherEncoding: return nil
    case .encoding(_, .unknown): return nil
    case .encoding(let encoding, let basis):
      return "\(name): \(basis == .plausible ? "probably " : "")\(encoding)"
    }
  }

  /// Whether the note answers a question of the user's: which encoding was recognised.
  public var isAnswer: Bool { if case .encoding = finding { true } else { false } }

  /// What the user should look at; empty if there is nothing.
  public var warnings: [UserMessage] {
    switch finding {
    case .layout(let layout): Self.warnings(layout, name)
    case .encoding(let encoding, .unknown):
      [
        UserMessage(
          "\(name): the encoding is not recognised; it is read as \(encoding)",
          hint: "name it with --encoding NAME (list: 'cdpipe parse --encodings')")
      ]
    case .encoding: []
    case .otherEncoding(let encoding):
      [
        UserMessage(
          "\(name) is not UTF-8; it looks like \(encoding)",
          hint: "try --encoding \(encoding)")
      ]
    }
  }

  private var name: String { input == "-" ? "standard input" : "'\(PrintableText.line(input))'" }

  private static func warnings(_ layout: InputLayout, _ name: String) -> [UserMessage] {
    if !layout.possibleNumbers.isEmpty {
      return [
        UserMessage(
          "\(name): no number field was recognised; its pairs are read as numbers and labels",
          hint: "choose the number with --number NAME: \(listed(layout.possibleNumbers))")
      ]
    }
    guard !layout.possibleLabels.isEmpty, var number = layout.number else { return [] }
    // The number may be in an inner object, and the label outside of it.
    if !layout.fields.contains(number) {
      number = layout.fields.first { $0.hasSuffix("." + number) } ?? number
    }
    return [
      UserMessage(
        "\(name): no label field was recognised",
        hint: "choose one with --number '\(PrintableText.line(number))' --label NAME: "
          + listed(layout.possibleLabels))
    ]
  }

  private static func fields(_ fields: [(String, String?)]) -> String {
    fields.compactMap { field, name in
      name.map { "\(field) \($0.hasPrefix("=") ? "" : "from ")'\(PrintableText.line($0))'" }
    }.joined(separator: ", ")
  }

  private static func listed(_ names: [String]) -> String {
    names.prefix(listedMax).map { "'\(PrintableText.line($0))'" }.joined(separator: ", ")
      + (names.count > listedMax ? " and \(names.count - listedMax) more" : "")
  }
}
