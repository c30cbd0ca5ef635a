// The lists of the iOS application Begone: an XML property list, an array of dictionaries with four strings. A number
// has a plus sign, its country code, and a `#` for each digit that is open, at the end.
//
// Source: oulixalt/BegoneListeFR, Begone-FR.xml (exported by the application); danroc/begone-fr, begone/convert.py;
// lists that people share, in which a pattern has two to six `#`.

import Records

extension EmitFormat {
  package static let plist = entries(
    "plist", "a list of Begone, as an XML property list", extensions: ["plist"], shared: ["xml"],
    fields: .label, ranges: .patterns, form: { _ in BegoneList() })
}

/// A dictionary with `addNational`, `category` (0: blocked), `number` and `title`.
struct BegoneList: EntryForm {
  var header: [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <array>

      """.utf8)
  }
  var footer: [UInt8] { Array("</array>\n</plist>\n".utf8) }
  var openDigits: ClosedRange<Int> { 2...6 }

  func surroundings(_ fields: RecordFields.Fields) -> (before: [UInt8], after: [UInt8]) {
    let before =
      "\t<dict>\n" + Self.entry("addNational", "true") + Self.entry("category", "0")
      + "\t\t<key>number</key>\n\t\t<string>+"
    let after = "</string>\n" + Self.entry("title", XMLText.escaped(fields.label)) + "\t</dict>\n"
    return (Array(before.utf8), Array(after.utf8))
  }

  func append(_ block: NumberBlock, to text: inout [UInt8]) {
    block.append(to: &text, placeholder: UInt8(ascii: "#"))
  }

  func replaced(in fields: RecordFields.Fields) -> RecordFieldSet {
    XMLText.canRepresent(fields.label) ? [] : .label
  }

  private static func entry(_ key: String, _ text: String) -> String {
    "\t\t<key>\(key)</key>\n\t\t<string>\(text)</string>\n"
  }
}
