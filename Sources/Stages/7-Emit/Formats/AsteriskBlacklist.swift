// The blacklist of Asterisk, as FreePBX's Blacklist module imports and exports it: CSV with a number and a description.
//
// The module reads it with PHP's fgetcsv, in which a backslash before a quote keeps the quote from closing a field. It
// stores an empty description as `1`, and shows `1` as an empty one. Numbers are compared digit by digit with those that
// the line delivers. The keys that the module reserves, `dest` and `blocked`, are not numbers, and a number is shorter
// than the longest key of Asterisk's database (244 bytes).
//
// Source: FreePBX/blacklist, Blacklist.class.php; FreePBX/bulkhandler, Bulkhandler.class.php (a header line; no blank
// lines, no byte order mark); asterisk/asterisk, main/db.c, funcs/func_blacklist.c; PHP manual, fgetcsv.

import Records

extension EmitFormat {
  package static let asterisk = entries(
    "asterisk", names: ["freepbx"], "the blacklist of Asterisk and FreePBX, as CSV", shared: ["csv"],
    fields: .label, ranges: .numbers, form: { AsteriskBlacklist(isSafe: $0.isCSVSafe) })
}

/// `number,description`: the number's digits, and the label.
struct AsteriskBlacklist: EntryForm {
  /// Whether texts that a spreadsheet would run as formulas are disarmed.
  let isSafe: Bool
  var header: [UInt8] { Array("number,description\n".utf8) }

  func surroundings(_ fields: RecordFields.Fields) -> (before: [UInt8], after: [UInt8]) {
    let label = Self.description(fields.label)
    return ([], Array(",\(CSVQuoting.quoted(isSafe ? CSVFormula.disarmed(label) : label))\n".utf8))
  }

  func replaced(in fields: RecordFields.Fields) -> RecordFieldSet {
    Self.description(fields.label) == fields.label ? [] : .label
  }

  /// A label as a description: one line, without backslashes that would keep a quote from closing the field.
  private static func description(_ label: String) -> String {
    if label == "1" { return "" }
    let isQuoted = CSVQuoting.quoted(label) != label
    var text = String.UnicodeScalarView()
    for scalar in label.unicodeScalars {
      switch scalar {
      case "\n", "\r": text.append(" ")
      case "\\" where isQuoted: text.append("/")
      default: text.append(scalar)
      }
    }
    return String(text)
  }
}
