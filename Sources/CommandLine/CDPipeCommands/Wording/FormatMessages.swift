// The formats that `parse` reads, in words: what each is, how it is recognised, and which options it takes.
//
// Not for: the order in which they are tried, which is the parse stage's table.

import ApplicationFormats
import ParseStage

enum FormatMessages {
  /// What `cdpipe parse --formats` prints: a line a format, in the order in which `auto` tries them.
  static func table() -> String {
    let rows =
      [Row(what: "what it is", recognised: "recognised by", options: "options")]
      + FormatTable.all.formats.compactMap(row)
    let names = ["format"] + FormatTable.all.formats.map(\.rawValue)
    let widths = (
      names.map(\.count).max() ?? 0, rows.map(\.what.count).max() ?? 0,
      rows.map(\.recognised.count).max() ?? 0
    )
    var text = ""
    for (name, row) in zip(names, rows) {
      text += padded(name, widths.0) + padded(row.what, widths.1) + padded(row.recognised, widths.2)
      text += row.options + "\n"
    }
    return text
  }

  private struct Row {
    var what: String
    var recognised: String
    var options: String
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0) + 2)
  }

  private static let fields = "--number --label --source --score"

  private static func row(_ format: ParseOptions.Format) -> Row? {
    switch format {
    case .auto: nil
    case .json:
      Row(
        what: "JSON of any layout, and what is close to it", recognised: "{ or [, or quoted keys with colons",
        options: fields)
    case .csv:
      Row(
        what: "fields between , ; | or tabs, quoted where needed",
        recognised: "as many fields in nearly all records, one of them numbers",
        options: fields + " --separator --header")
    case .tsv:
      Row(
        what: "fields between tabs; quotes are text", recognised: "the same, with tabs and no quoted field",
        options: fields + " --header")
    case .lines:
      Row(
        what: "a number a line, perhaps a label behind it",
        recognised: "half of the lines begin with a number",
        options: "--source --score --separator --header")
    case .plist:
      Row(
        what: "an XML property list", recognised: "an element <plist>", options: fields)
    case .phonebook:
      Row(
        what: "an XML phone book of a router or telephone", recognised: "the root element", options: fields)
    case .vcard:
      Row(what: "vCards", recognised: "BEGIN:VCARD", options: fields)
    case .saracroche:
      Row(what: "a Saracroche list of patterns", recognised: "its keys", options: fields)
    case .phoneblock:
      Row(what: "a PhoneBlock block list", recognised: "its keys", options: fields)
    case .sqlite:
      Row(what: "an SQLite database", recognised: "its first 16 bytes", options: fields + " --query")
    }
  }
}
