// The preview of an input, for a terminal: what was recognised, and a table of rows.

import InputStages
import NumberPlan
import RecordStages
import Records

package enum PreviewReport {
  /// The maximum number of columns of a cell.
  private static let cellColumnsMax = 40
  /// The width of the names before the values.
  private static let nameColumns = 10
  /// The maximum number of fields and of members that are listed.
  private static let listedMax = 8

  package static func summary(_ preview: InputPreview) -> [String] {
    let encodingHint = preview.encoding.basis == .plausible ? "; --encoding NAME names another" : ""
    let lines: [(name: String, value: String)] = [
      ("input", input(preview)),
      ("format", format(preview.layout)),
      ("encoding", encoding(preview) + encodingHint),
      ("fields", fields(preview)),
      (
        "dates",
        preview.dates.map { "\(PrintableText.line($0.field)), \(days($0)); --date reads them" } ?? ""
      ),
      ("region", region(preview.region) + regionHint(preview.region)),
      ("rows", rows(preview)),
    ].filter { !$0.1.isEmpty }
    return lines.map { $0.name.padding(to: nameColumns) + $0.value }
  }

  private static func regionHint(_ choice: RegionChoice) -> String {
    switch choice.certainty {
    case .probable: "; --region CC names another"
    case .undecided: "; --region CC names it"
    case .chosen, .international, .clear: ""
    }
  }

  // MARK: Properties

  static func days(_ column: DateColumn) -> String {
    column.days.map { "\($0.lowerBound.text) to \($0.upperBound.text)" }
      ?? "which only \(option: "date-format") decides"
  }

  static func input(_ preview: InputPreview) -> String {
    let parts = preview.parts.map { part in
      switch part {
      case .member(let name), .exceptions(let name, isRead: true): PrintableText.line(name)
      case .exceptions(let name, isRead: false): "\(PrintableText.line(name)) (left out)"
      case .stream(let format): "\(format)"
      }
    }
    if parts.isEmpty { return PrintableText.line(preview.name) }
    let isArchive = preview.parts.contains { if case .stream = $0 { false } else { true } }
    return PrintableText.line(preview.name) + (isArchive ? ", zip: " : ", ") + listed(parts)
  }

  private static func listed(_ names: [String]) -> String {
    names.prefix(listedMax).joined(separator: ", ")
      + (names.count > listedMax ? " and \(names.count - listedMax) more" : "")
  }

  static func format(_ layout: InputLayout) -> String {
    var parts = [layout.format.rawValue]
    if layout.format == .csv, let separator = layout.separator {
      parts.append("separated by \(name(separator))")
    }
    if let sheet = layout.sheet {
      let others = layout.otherSheets.map { "'\(PrintableText.line($0))'" }
      parts.append(
        "sheet '\(PrintableText.line(sheet))'" + (others.isEmpty ? "" : " (others: \(listed(others)))"))
    }
    if let hasHeader = layout.hasHeader { parts.append(hasHeader ? "with a header" : "without a header") }
    if layout.format.hasObjects {
      parts.append(layout.rowsArePairs ? "each pair is a row" : "each object is a row")
    }
    return parts.joined(separator: ", ")
  }

  static func name(_ separator: UInt8) -> String {
    separator == Byte.tab ? "tab" : "'\(Character(Unicode.Scalar(separator)))'"
  }

  static func encoding(_ preview: InputPreview) -> String {
    let name = encodingName(preview.encoding.name ?? preview.layout.encoding ?? "UTF-8")
    switch preview.encoding.basis {
    case .chosen: return "\(name) (chosen)"
    case .declared:
      return preview.encoding.name == nil ? "that of the file" : "\(name) (declared in the file)"
    case .mark: return "\(name) (byte order mark)"
    case .validUTF8: return name
    case .zeroBytes: return "\(name) (by its zero bytes)"
    case .escapes: return "\(name) (by its escape sequences)"
    case .plausible, .unknown: return "probably \(name)"
    }
  }

  /// An encoding's name, with its common name if iconv has another.
  private static func encodingName(_ name: String) -> String {
    name == "CP932" ? "CP932 (Shift_JIS)" : PrintableText.line(name)
  }

  /// Which fields the rows are read from, and which others exist.
  static func fields(_ preview: InputPreview) -> String {
    let layout = preview.layout
    if layout.numbersAreValues { return "number: the value · label: the key" }
    if layout.rowsArePairs {
      let value = layout.label.map { $0 == "=" ? "others: the value" : "label: \($0)" } ?? "label: the value"
      return "number: the key · \(value)"
    }
    let hasLabels = preview.rows.contains { !$0.row.fields.label.isEmpty }
    let used = [
      ("number", numbers(layout)), ("number of outgoing calls", layout.outgoing.map { [$0] } ?? []),
      ("label", hasLabels ? labels(layout) : []),
      ("source", layout.source.map { [$0] } ?? []), ("score", layout.score.map { [$0] } ?? []),
      ("date", layout.date.map { [$0] } ?? []), ("last number", layout.last.map { [$0] } ?? []),
      ("country", layout.country.map { [$0] } ?? []),
      ("first digits", layout.areaCode.map { [$0] } ?? []),
    ]
    let chosen = used.compactMap { name, fields in
      fields.isEmpty ? nil : "\(name): \(listed(fields.map { PrintableText.line($0) }))"
    }
    let others = otherFields(layout, hasLabels: hasLabels)
    return (chosen + (others.isEmpty ? [] : ["others: \(listed(others))"])).joined(separator: " · ")
  }

  static func numbers(_ layout: InputLayout) -> [String] {
    layout.numbers.isEmpty ? layout.number.map { [$0] } ?? [] : layout.numbers
  }

  private static func labels(_ layout: InputLayout) -> [String] {
    layout.labels.isEmpty ? layout.label.map { [$0] } ?? [] : layout.labels
  }

  /// The fields that no part of a row is read from.
  static func otherFields(_ layout: InputLayout, hasLabels: Bool) -> [String] {
    var layout = layout
    if !hasLabels {
      layout.label = nil
      layout.labels = []
    }
    return layout.others.map { PrintableText.line($0) }
  }

  static func region(_ choice: RegionChoice) -> String {
    let shares = choice.candidates.map { "\($0.region.code) \(share($0.share))" }
    let tried = Self.tried(choice)
    let next = shares.dropFirst()
    switch choice.certainty {
    case .chosen:
      return "\(choice.region?.code ?? "") (chosen)" + (choice.triedCount == 0 ? "" : ", fits \(fit(choice))")
    case .international: return "none needed: the numbers start with their country code"
    case .clear:
      return "\(choice.region?.code ?? ""), fits \(share(choice.candidates[0].share)) of \(tried)"
        + (next.isEmpty ? "" : "; next: \(next.joined(separator: ", "))")
    case .probable:
      return "probably \(choice.region?.code ?? ""), fits \(share(choice.candidates[0].share)) of \(tried)"
        + (next.isEmpty ? "" : "; others: \(next.joined(separator: ", "))")
    case .undecided where choice.countryOfCodes != nil:
      let country = choice.countryOfCodes.map { "\($0.code) (+\($0.callingCode))" } ?? ""
      return "not certain from \(tried)" + (shares.isEmpty ? "" : "; best: \(shares.joined(separator: ", "))")
        + "; the numbers with a country code are of \(country)"
    case .undecided where choice.areTooFew:
      return "not certain from \(tried); likely: \(shares.joined(separator: ", "))"
    case .undecided:
      return "not recognised"
        + (shares.isEmpty ? "" : "; best of \(tried): \(shares.joined(separator: ", "))")
    }
  }

  private static func fit(_ choice: RegionChoice) -> String {
    "\(share(choice.candidates.first?.share ?? 0)) of \(tried(choice))"
  }

  private static func tried(_ choice: RegionChoice) -> String {
    Figures.counted(UInt64(choice.triedCount), "number") + " without a plus sign"
  }

  /// A share that is not rounded to 0% or to 100%.
  private static func share(_ share: Double) -> String {
    CountryText.share(UInt64(share * 1_000_000), of: 1_000_000)
  }

  static func rows(_ preview: InputPreview) -> String {
    let counts = preview.counts
    func figure(_ count: Int) -> String { Figures.grouped(UInt64(count)) }
    let isFirst = !preview.isWhole || counts.rows >= InputPreview.rowsMax
    return
      "\(figure(counts.valid)) of \(isFirst ? "the first " : "")\(figure(counts.rows)) are valid numbers; "
      + "\(figure(counts.accepted - counts.valid)) more are accepted, "
      + "\(figure(counts.rows - counts.accepted)) rejected"
  }

  // MARK: The table

  /// A table of the first rows, whose lines are cut to a width in columns.
  package static func table(_ preview: InputPreview, rows count: Int, width: Int?) -> [String] {
    let rows = preview.rows.prefix(count)
    guard !rows.isEmpty else { return [] }
    var cells = [["number", "normalized", "country", "label", "source", "score", "day"]]
    for row in rows {
      let fields = row.row.fields
      cells.append(
        [
          String(decoding: row.row.text, as: UTF8.self), outcome(row.outcome), row.country ?? "",
          fields.label,
          fields.source, fields.score.map { String($0) } ?? "", fields.day?.text ?? "",
        ].map { PrintableText.line($0).cut(toWidth: cellColumnsMax) })
    }
    // Columns that are empty in all rows are left out; not the number's.
    let shown = cells[0].indices.filter { column in
      column < 2 || cells.dropFirst().contains { !$0[column].isEmpty }
    }
    let widths = shown.map { column in cells.map { $0[column].displayWidth }.max() ?? 0 }
    return cells.map { row in
      var line = ""
      for (column, columnWidth) in zip(shown, widths) { line += row[column].padding(to: columnWidth + 2) }
      while line.hasSuffix(" ") { line.removeLast() }
      return width.map { line.cut(toWidth: $0) } ?? line
    }
  }

  private static func outcome(_ outcome: PreviewRow.Outcome) -> String {
    switch outcome {
    case .number(let number, _): return String(number)
    case .ranges(let ranges):
      let first = ranges.first.map { "\($0.lowerBound)..\($0.upperBound)" } ?? ""
      return ranges.count > 1 ? "\(first) and \(ranges.count - 1) more" : first
    case .reject(let reason): return "rejected: \(OptionText.typed(reason.text))"
    }
  }
}
