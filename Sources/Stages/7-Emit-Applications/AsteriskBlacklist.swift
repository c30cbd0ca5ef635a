// The blacklist of Asterisk, as FreePBX's Blacklist module imports and exports it: CSV with a number and a description.

import CallRecord
import EmitStage

extension EmitFormatDescription {
  static let asterisk = EmitFormatDescription.entries(
    .asterisk, fields: .label, ranges: .numbers, form: { AsteriskBlacklist(isSafe: $0.isCSVSafe) })
}

/// `number,description`: the number's digits, and the label.
struct AsteriskBlacklist: EntryForm {
  /// Whether texts that a spreadsheet would run as formulas are disarmed.
  let isSafe: Bool
  var header: [UInt8] { Array("number,description\n".utf8) }

  func surroundings(_ fields: RecordFields.Fields) -> (before: [UInt8], after: [UInt8]) {
    let label = isSafe ? CSVFormula.disarmed(fields.label) : fields.label
    return ([], Array(",\(CSVQuoting.quoted(label))\n".utf8))
  }

  func append(_ block: NumberBlock, to text: inout [UInt8]) { text += String(block.prefix).utf8 }
}
