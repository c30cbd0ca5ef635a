// The formats that `parse` reads: what each is, how it is recognised, and its options.
//
// Not for the order in which they are tried, which the parse stage's table defines.

import Records

/// Formats the list of formats.
package enum FormatMessages {
  /// What `cdpipe parse --formats` prints: one line per format, in the order of detection. If the lines are longer than
  /// a width in columns, there is a paragraph per format instead.
  package static func table(width: Int? = nil) -> String {
    TextTable.lines(
      [["format", "what it is", "recognised by", "options"]]
        + FormatTable.all.formats.compactMap { format in
          row(format).map { [format.rawValue, $0.what, $0.recognised, $0.options] }
        }, width: width)
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
    FormatTable.all.formats.compactMap { format in
      row(format).map { row in
        JSONLine.text(
          FormatDocument(
            format: format.rawValue, description: row.what, recognisedBy: row.recognised,
            options: row.options.split(separator: " ").map(String.init))) + "\n"
      }
    }.joined()
  }

  private struct FormatRow {
    var what: String
    var recognised: String
    var options: String
  }

  private static let fields = "--number --label --source --score"

  private static func row(_ format: ParseOptions.Format) -> FormatRow? {
    switch format {
    case .auto: nil
    case .json:
      FormatRow(
        what: "JSON of any layout, and text similar to JSON",
        recognised: "{ or [, or quoted keys with colons",
        options: fields)
    case .csv:
      FormatRow(
        what: "fields between , ; | or tabs, quoted where needed",
        recognised: "equally many fields in nearly all records, one of them numbers",
        options: fields + " --separator --header")
    case .tsv:
      FormatRow(
        what: "fields between tabs; quotes are text",
        recognised: "the same, with tabs and without quoted fields",
        options: fields + " --header")
    case .lines:
      FormatRow(
        what: "one number per line, optionally followed by a label",
        recognised: "half of the lines start with a number",
        options: "--source --score --separator --header")
    case .plist:
      FormatRow(
        what: "a property list, in XML or binary", recognised: "an element <plist>, or its first 6 bytes",
        options: fields)
    case .phonebook:
      FormatRow(
        what: "an XML phone book of a router or telephone", recognised: "the root element", options: fields)
    case .vcard:
      FormatRow(what: "vCards", recognised: "BEGIN:VCARD", options: fields)
    case .saracroche:
      FormatRow(what: "a Saracroche list of patterns", recognised: "its keys", options: fields)
    case .phoneblock:
      FormatRow(what: "a PhoneBlock block list", recognised: "its keys", options: fields)
    case .asterisk:
      FormatRow(
        what: "Asterisk's blacklist, as 'database show' prints it", recognised: "lines with /blacklist/",
        options: fields)
    case .yacb:
      FormatRow(
        what: "a data slice of YetAnotherCallBlocker or Should I Answer", recognised: "its first 12 bytes",
        options: fields)
    case .xlsx:
      FormatRow(
        what: "an Excel workbook", recognised: "a zip archive that starts with a part of a workbook",
        options: fields + " --header --sheet")
    case .sqlite:
      FormatRow(what: "an SQLite database", recognised: "its first 16 bytes", options: fields + " --query")
    }
  }
}
