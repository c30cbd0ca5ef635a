// The formats that `emit` writes: what each is, and what it can represent.

import Records

/// Formats the list of formats.
package enum EmitFormatMessages {
  /// The error for an output whose name fits several formats, or one that is not written.
  package static func unclearName(_ output: String, _ choices: [EmitFormat]) -> String {
    choices.isEmpty
      ? "'\(output)': spreadsheets are written as CSV; choose a name in .csv"
      : "'\(output)' may have several formats; choose one with --format: "
        + choices.map(\.rawValue).joined(separator: ", ")
  }

  /// What `cdpipe emit --formats` prints, as ``TextTable`` formats it.
  package static func table(width: Int? = nil) -> String {
    TextTable.lines(
      [["format", "names", "fields", "ranges", "what it is"]]
        + emitFormats.map { format in
          [
            format.name, format.extensions.map { "." + $0 }.joined(separator: " "),
            format.fields.joined(separator: " "), format.ranges, format.what,
          ]
        }, width: width)
  }

  /// The formats that `emit` writes, as JSON, one object per line.
  package static func json() -> String {
    emitFormats.map { format in
      JSONLine.text(
        EmitFormatDocument(
          format: format.name, description: format.what, extensions: format.extensions, fields: format.fields,
          ranges: format.ranges, entriesMax: format.entriesMax)) + "\n"
    }.joined()
  }

  /// The names of fields, as in a sentence.
  static func names(of fields: RecordFieldSet) -> String {
    let names = list(of: fields).map { $0 + "s" }
    return names.dropLast().joined(separator: ", ") + (names.count > 1 ? " or " : "") + (names.last ?? "")
  }

  private struct EmitFormatDocument: Encodable {
    var format: String
    var description: String
    var extensions: [String]
    var fields: [String]
    var ranges: String
    var entriesMax: UInt64?
  }

  private struct EmitFormatText {
    var name: String
    var extensions: [String]
    var fields: [String]
    var ranges: String
    var entriesMax: UInt64?
    var what: String
  }

  private static var emitFormats: [EmitFormatText] {
    let store = EmitFormatText(
      name: EmitFormat.store.rawValue, extensions: ["cdstore"], fields: ["label"], ranges: "bounds",
      what: what(.store))
    return [store]
      + EmitFormatTable.all.rows.map { row in
        EmitFormatText(
          name: row.format.rawValue, extensions: row.extensions, fields: list(of: row.fields),
          ranges: ranges(row.ranges), entriesMax: row.entriesMax, what: what(row.format))
      }
  }

  private static func list(of fields: RecordFieldSet) -> [String] {
    let names: [(RecordFieldSet, String)] = [(.label, "label"), (.source, "source"), (.score, "score")]
    return names.filter { fields.contains($0.0) }.map(\.1)
  }

  private static func ranges(_ form: RangeForm) -> String {
    switch form {
    case .bounds: "bounds"
    case .patterns: "patterns"
    case .numbers: "numbers"
    }
  }

  private static func what(_ format: EmitFormat) -> String {
    switch format {
    case .store: "stores that a phone loads"
    case .tsv: "the text form of records"
    case .csv: "CSV with a header line"
    case .jsonl: "one JSON object per line"
    case .sqlite: "an SQLite database with the table 'records'"
    case .asterisk: "the blacklist of Asterisk and FreePBX, as CSV"
    case .spamblocker: "the rules of SpamBlocker, as CSV"
    case .saracroche: "a pattern list of Saracroche"
    case .phoneblock: "a block list of PhoneBlock"
    case .plist: "a list of Begone, as an XML property list"
    case .yacb: "a data slice of YetAnotherCallBlocker and Should I Answer"
    case .vcard: "contacts as vCards 3.0"
    case .vcard4: "contacts as vCards 4.0"
    case .phonebook: "the phone book of a FRITZ!Box"
    case .pir: "the input of Apple's Live Caller ID Lookup, a directory"
    }
  }
}
