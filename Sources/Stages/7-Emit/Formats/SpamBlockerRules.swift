// The number rules of the Android application SpamBlocker, as its menu "Import CSV" reads them ("multiple
// rules"). A pattern is a regular expression for the whole number, which SpamBlocker compares without the
// plus sign.
//
// SpamBlocker's reader of CSV removes no byte order mark and no quotes from the header, and has no escape for
// a quote in a field: labels are written without quotes.
//
// Source: aj3423/SpamBlocker, ui/setting/regex/ImportCsv.kt, util/Csv.kt, util/Util.kt (clearNumber),
// db/RegexTable.kt.

import Records

extension EmitFormat {
  package static let spamblocker = entries(
    "spamblocker", "the rules of SpamBlocker, as CSV", shared: ["csv"], fields: .label, ranges: .patterns,
    form: { SpamBlockerRules(isSafe: $0.isCSVSafe) })
}

/// `pattern,description`: the other columns have defaults, which block calls and messages.
struct SpamBlockerRules: EntryForm {
  /// Whether texts that a spreadsheet would run as formulas are disarmed.
  let isSafe: Bool
  var header: [UInt8] { Array("pattern,description\n".utf8) }

  func surroundings(_ fields: RecordFields.Fields) -> (before: [UInt8], after: [UInt8]) {
    let label = Self.description(fields.label)
    return ([], Array(",\(CSVQuoting.quoted(isSafe ? CSVFormula.disarmed(label) : label))\n".utf8))
  }

  func append(_ block: NumberBlock, to text: inout [UInt8]) {
    text += String(block.prefix).utf8
    if block.openDigits > 0 { text += "\\d".utf8 }
    if block.openDigits > 1 { text += "{\(block.openDigits)}".utf8 }
  }

  func replaced(in fields: RecordFields.Fields) -> RecordFieldSet {
    Self.description(fields.label) == fields.label ? [] : .label
  }

  /// A label as a field without quotes.
  private static func description(_ label: String) -> String {
    var text = String.UnicodeScalarView()
    for scalar in label.unicodeScalars { text.append(scalar == "\"" ? "'" : scalar) }
    return String(text)
  }
}
