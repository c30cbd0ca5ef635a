// The formats as a table. To add a format, write a FormatReader and its FormatDescription, and add a row to the table:
// here, or in ApplicationFormats for the format of another application.

package import Records

/// The formats that a parser reads, in the order in which `auto` tries them.
package struct FormatTable: Sendable {
  private let rows: [FormatDescription]

  package init(_ rows: [FormatDescription]) {
    self.rows = rows
  }

  /// JSON, tables and lists: the formats that are not specific to an application.
  package static let general = FormatTable([.json, .csv, .tsv, .lines])

  /// Concatenates two tables; `auto` tries the first one's formats first.
  package static func + (first: FormatTable, second: FormatTable) -> FormatTable {
    FormatTable(first.rows + second.rows)
  }

  /// The formats in the order in which `auto` tries them.
  package var formats: [ParseOptions.Format] { rows.map(\.format) }

  /// The description of a format; nil for `auto`, and for a format that is not in the table.
  func description(of format: ParseOptions.Format) -> FormatDescription? {
    rows.first { $0.format == format }
  }

  /// The number of bytes that are needed to recognise contents that are not text.
  package var signatureBytesMax: Int { rows.map(\.signatureBytes).reduce(BinaryContent.bytesMax, max) }

  /// The format of an input that is not text, by its signature; nil for any other input.
  package func binaryFormat(_ start: Span<UInt8>) -> ParseOptions.Format? {
    rows.first { $0.isBinary?(start) ?? false }?.format
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
    if options.isStrict, let format = row?.format, [.csv, .tsv, .lines].contains(format),
      Detection.beginsJSON(start)
    {
      row = description(of: .json)
    }
    // A chosen separator restricts the formats to tables and lists.
    if let separator = options.separator, row.map({ [.csv, .tsv, .lines].contains($0.format) }) ?? true {
      if let table = TableGuess.table(start, separator: separator) {
        row = table.isTabbed ? .tsv : .csv
      } else {
        row = Detection.isLines(start, separator: separator) ? .lines : nil
      }
    }
    // A field that was chosen by name requires a format with names. Unless the input is certainly in another such
    // format, it is read as a table, which either has that column or reports the columns that it has.
    guard let name = options.firstName, row == nil || row?.format == .lines, !Detection.isBinary(start) else {
      return row
    }
    return options.separator == nil && TableGuess.isTabbed(start, name) ? .tsv : .csv
  }
}
