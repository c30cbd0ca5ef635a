// What `parse` recognised about an input, as messages: the encoding, the fields, and what was not recognised.

package import Records

extension InputNotice {
  /// The maximum number of fields that are listed.
  private static let listedMax = 8

  /// A note for users who are watching, without the command's name; nil if there is nothing to report.
  package var note: String? {
    switch finding {
    case .layout(let layout) where !layout.format.isLines:
      let read =
        layout.rowsArePairs
        ? "number from the key, label from the value"
        : Self.fields([
          ("number", layout.number), ("label", layout.label), ("source", layout.source),
          ("score", layout.score), ("last number", layout.last),
        ])
      if read.isEmpty { return nil }
      let others = layout.others
      return "\(name): \(read)" + (others.isEmpty ? "" : "; also there: \(Self.listed(others))")
    case .layout, .otherEncoding, .missingFields: return nil
    case .encoding(_, .unknown): return nil
    case .encoding(let encoding, let basis):
      return "\(name): \(basis == .plausible ? "probably " : "")\(encoding)"
    }
  }

  /// Whether the note answers a question of the user's: which encoding was recognised.
  package var isAnswer: Bool { if case .encoding = finding { true } else { false } }

  /// What the user should look at; empty if there is nothing.
  package var warnings: [UserMessage] {
    switch finding {
    case .layout(let layout): Self.warnings(layout, name) + Self.sheetWarnings(layout, name)
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
    case .missingFields(let missing, let available):
      [
        UserMessage(
          "\(name): no record has the field \(Self.listed(missing))",
          hint: "use one of its fields: \(Self.listed(available))")
      ]
    }
  }

  private var name: String { input == "-" ? "standard input" : "'\(PrintableText.line(input))'" }

  private static func warnings(_ layout: InputLayout, _ name: String) -> [UserMessage] {
    labelWarnings(layout, name) + layout.unread.map { warning($0, layout, name) }
  }

  private static func labelWarnings(_ layout: InputLayout, _ name: String) -> [UserMessage] {
    if !layout.possibleNumbers.isEmpty {
      return [
        UserMessage(
          "\(name): no number field was recognised; its pairs are read as numbers and labels",
          hint: "choose the number with --number NAME: \(listed(layout.possibleNumbers))")
      ]
    }
    guard !layout.possibleLabels.isEmpty, var number = layout.number else { return [] }
    // A column can be chosen alone.
    if layout.hasHeader != nil {
      return [
        UserMessage(
          "\(name): no label column was recognised",
          hint: "choose one with --label NAME: \(listed(layout.possibleLabels))")
      ]
    }
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

  /// What is not read though it may belong to the rows.
  private static func warning(_ unread: UnreadFields, _ layout: InputLayout, _ name: String) -> UserMessage {
    switch unread {
    case .lastNumbers(let fields):
      UserMessage(
        "\(name): \(listed(fields)) may have the last numbers of ranges, and \(areNot(fields.count)) read",
        hint: "read ranges with \(chosen(layout))--last '\(PrintableText.line(fields[0]))'")
    case .numbers(let fields):
      UserMessage(
        "\(name): the numbers in \(listed(fields)) are not read",
        hint: "read them in another run with --number '\(PrintableText.line(fields[0]))'"
          + (layout.label.map { $0.hasPrefix("=") ? "" : " --label '\(PrintableText.line($0))'" } ?? ""))
    case .outer(let fields):
      UserMessage(
        "\(name): \(listed(fields)) \(areNot(fields.count)) read, because each row is an object inside a list there",
        hint: "copy the label into each of these objects, for example with jq")
    case .elements(let array, let rest):
      UserMessage(
        "\(name): '\(PrintableText.line(array))' has several elements, and one of them is read",
        hint: rest.isEmpty ? nil : "read all of them with --number '\(PrintableText.line(rest))'")
    case .keys(let keys):
      UserMessage(
        "\(name): the names of the lists are not read as labels: \(listed(keys))",
        hint: "read one list at a time, with --label =TEXT")
    case .lines(let count):
      UserMessage(
        "\(name): the table begins after a title: \(count) \(count == 1 ? "line is" : "lines are") not read",
        hint: "remove the title if the columns are not those of the table")
    }
  }

  private static func areNot(_ count: Int) -> String { count == 1 ? "is not" : "are not" }

  /// The options that choose the fields of a layout; none for a table, whose columns can be chosen one by one.
  private static func chosen(_ layout: InputLayout) -> String {
    if layout.hasHeader != nil { return "" }
    return [("number", layout.number), ("label", layout.label)].compactMap { option, field in
      field.map { "--\(option) '\(PrintableText.line($0))' " }
    }.joined()
  }

  /// What the user should know about a workbook's sheet.
  private static func sheetWarnings(_ layout: InputLayout, _ name: String) -> [UserMessage] {
    guard let sheet = layout.sheet.map({ "'\(PrintableText.line($0))'" }) else { return [] }
    var warnings: [UserMessage] = []
    if !layout.otherSheets.isEmpty {
      warnings.append(
        UserMessage(
          "\(name): only the sheet \(sheet) is read; also there: \(listed(layout.otherSheets))",
          hint: "choose one with --sheet NAME"))
    }
    if layout.merges > 0 {
      warnings.append(
        UserMessage(
          "\(name): sheet \(sheet) has \(Figures.counted(UInt64(layout.merges), "merged cell")) over several rows; "
            + "only the first row of each has its text",
          hint: "unmerge them in a spreadsheet program, and fill in the text"))
    }
    if layout.missingResults > 0 {
      warnings.append(
        UserMessage(
          "\(name): sheet \(sheet) lacks the results of "
            + "\(Figures.counted(UInt64(layout.missingResults), "formula")); their fields are empty",
          hint: "open and save it in a spreadsheet program"))
    }
    return warnings
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
