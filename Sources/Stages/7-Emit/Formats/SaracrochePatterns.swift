// The pattern lists of the iOS application Saracroche: a JSON object with an array of patterns. A pattern has the digits
// of an international number without the plus sign, and a `#` for each digit that is open, at the end.
//
// Source: cbouvat/saracroche-ios/docs/french-list-arcep-operators.json, Services/ListService.swift, and
// ViewModels/ListsViewModel.swift (at most six `#` in a pattern).

import Records

extension EmitFormat {
  package static let saracroche = entries(
    "saracroche", "a pattern list of Saracroche", shared: ["json"], fields: .label, ranges: .patterns,
    form: { _ in SaracrochePatterns() })
}

/// `{"name":"…","action":"block","pattern":"33162######"}`
struct SaracrochePatterns: EntryForm {
  // The keys that Saracroche requires; it does not show them.
  var header: [UInt8] { Array("{\"version\":\"1\",\"name\":\"cdpipe\",\"patterns\":[\n".utf8) }
  var separator: [UInt8] { Array(",\n".utf8) }
  var footer: [UInt8] { Array("\n]}\n".utf8) }
  var openDigits: ClosedRange<Int> { 1...6 }

  func surroundings(_ fields: RecordFields.Fields) -> (before: [UInt8], after: [UInt8]) {
    let name = JSONQuoting.quoted(fields.label)
    return (Array("{\"name\":\(name),\"action\":\"block\",\"pattern\":\"".utf8), Array("\"}".utf8))
  }

  func append(_ block: NumberBlock, to text: inout [UInt8]) {
    block.append(to: &text, placeholder: UInt8(ascii: "#"))
  }
}
