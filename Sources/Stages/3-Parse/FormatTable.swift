// The formats that `parse` reads. To add one, write its file, with a FormatReader and a FormatDescription, and add its row
// here.

package import Records

/// The formats that a parser reads.
package struct FormatTable: Sendable {
  /// The formats in the order in which `auto` tries them.
  fileprivate let rows: [FormatDescription]
  /// The formats in the order of the table.
  let names: [ParseOptions.Format]

  /// All formats. The order is that of lists of accepted values.
  package static let all = FormatTable([
    .json, .csv, .tsv, .lines, .propertyList, .phoneBook, .vCard, .saracroche, .phoneBlock, .sqlite, .asterisk,
    .dataSlice, .xlsx,
  ])

  init(_ rows: [FormatDescription]) {
    names = rows.map(\.format)
    self.rows = [.first, .normal, .last].flatMap { turn in rows.filter { $0.turn == turn } }
  }

  /// The formats in the order in which `auto` tries them.
  var formats: [ParseOptions.Format] { rows.map(\.format) }

  /// The description of a format; nil for `auto`, and for a format that is not in the table.
  func description(of format: ParseOptions.Format) -> FormatDescription? {
    rows.first { $0.format == format }
  }

  /// The number of bytes that are needed to recognise contents that are not text.
  package var signatureBytesMax: Int { rows.compactMap(\.signature?.bytes).reduce(BinaryContent.bytesMax, max) }

  /// The format of an input that is not text, by its signature; nil for any other input.
  package func binaryFormat(_ start: Span<UInt8>) -> ParseOptions.Format? {
    rows.first { $0.signature?.matches(start) ?? false }?.format
  }

  /// The content of an input that is neither text nor in one of the formats; nil for any other input.
  package func unreadableContent(_ start: Span<UInt8>) -> BinaryContent? {
    binaryFormat(start) == nil ? BinaryContent(start) : nil
  }

  /// Returns the chosen format, or the first that an input with this start may be in; nil if there is none.
  func description(for options: ParseOptions, start: Span<UInt8>) -> FormatDescription? {
    if options.format != .auto { return description(of: options.format) }
    var row = rows.first { $0.matches(start) }
    // Strict JSON is not read as a table or a list because of its errors.
    if options.isStrict, row?.isTableOrList ?? false, Detection.beginsJSON(start) { row = .json }
    // A chosen separator restricts the formats to tables and lists.
    if let separator = options.separator, row?.isTableOrList ?? true {
      if let table = TableGuess.table(start, separator: separator) {
        row = table.isTabbed ? .tsv : .csv
      } else {
        row = Detection.isLines(start, separator: separator) ? .lines : nil
      }
    }
    // A field that was chosen by name requires a format with names. Unless the input is certainly in another such
    // format, it is read as a table, which either has that column or reports the columns that it has.
    guard let name = options.firstName, row == nil || row?.format.isLines ?? false, !Detection.isBinary(start) else {
      return row
    }
    return options.separator == nil && TableGuess.isTabbed(start, name) ? .tsv : .csv
  }
}

/// Formats the list of formats.
package enum FormatMessages {
  /// What `cdpipe parse --formats` prints: one line per format, in the order of detection. If the lines are longer than
  /// a width in columns, there is a paragraph per format instead.
  package static func table(width: Int? = nil) -> String {
    TextTable.lines(
      [["format", "what it is", "recognised by", "options"]]
        + FormatTable.all.rows.map { [$0.format.rawValue, $0.what, $0.recognised, $0.options] }, width: width)
  }

  /// The JSON form of a format.
  private struct FormatDocument: Encodable {
    var format: String
    var description: String
    var recognisedBy: String
    var options: [String]
  }

  /// The formats as JSON, one object per line, in the order of detection.
  package static func json() -> String {
    FormatTable.all.rows.map { row in
      JSONLine.text(
        FormatDocument(
          format: row.format.rawValue, description: row.what, recognisedBy: row.recognised,
          options: row.options.split(separator: " ").map(String.init))) + "\n"
    }.joined()
  }
}
