// vCards 3.0 and 4.0: contacts as phones, Google and iCloud import them.
//
// A card has the properties that both versions require (VERSION, N in 3.0, FN), and one TEL per number, as
// text with a plus sign. 4.0 recommends a `tel:` URI, but importers show its scheme as part of the number
// (nextcloud/contacts #4357, enesser/vCards-js #64). A number without a label has a card without a name, as
// exports of Google Voice have, and phones show the number.
//
// Source: RFC 2426, sections 2.6, 3.1 and 4; RFC 6350, sections 3.2 to 3.4, 6.2 and 6.4.1. Limits: Apple
// Support 103188 (50,000 cards per import into iCloud, 256 KB per card).

import NumberPlan

extension EmitFormat {
  package static let vcard = cards("vcard", .three, extensions: ["vcf"])
  package static let vcard4 = cards("vcard4", .four, shared: ["vcf"])

  /// Two million numbers with one label are 20,000 contacts of 100 numbers. A contact of 1,000 numbers has about 20 KB.
  private static func cards(
    _ name: String, _ version: VCardForm.Version, extensions: [String] = [], shared: [String] = []
  ) -> EmitFormat {
    contacts(
      name, "contacts as vCards \(version.rawValue)", extensions: extensions, shared: shared,
      numbers: ContactNumbers(standard: 100, max: 1_000),
      entriesMax: VCardForm.cardsMax, form: { VCardForm(version: version, numbers: $0.numbers ?? .plus) })
  }
}

struct VCardForm: ContactForm {
  enum Version: String {
    case three = "3.0"
    case four = "4.0"
  }

  /// The number of cards that an import into iCloud accepts.
  static let cardsMax: UInt64 = 50_000

  /// The maximum length of a line in bytes, without its line end.
  private static let lineBytesMax = 75

  let version: Version
  var numbers = NumberForm.plus

  func header(ofBook number: Int) -> [UInt8] { [] }
  var footer: [UInt8] { [] }

  func append(_ contact: Contact, to text: inout [UInt8]) {
    let name = Self.escaped(contact.name)
    text += "BEGIN:VCARD\r\nVERSION:\(version.rawValue)\r\n".utf8
    Self.appendFolded(Array("N:".utf8) + name + Array(";;;;".utf8), to: &text)
    Self.appendFolded(Array("FN:".utf8) + name, to: &text)
    for number in contact.numbers {
      text += "TEL:".utf8
      NumberPlan.append(number, as: numbers, to: &text)
      text += "\r\n".utf8
    }
    text += "END:VCARD\r\n".utf8
  }

  /// Surrounding white space is not part of a name, and a text has no control characters but line feeds and tabs.
  func canRepresent(name: String) -> Bool {
    let bytes = name.utf8
    if let first = bytes.first, let last = bytes.last {
      let space: Set<UInt8> = [0x09, 0x0A, 0x20]
      if space.contains(first) || space.contains(last) { return false }
    }
    return bytes.allSatisfy { !Self.isControl($0) }
  }

  private static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 && byte != 0x09 && byte != 0x0A || byte == 0x7F
  }

  /// A text with the escapes of values. A carriage return becomes a line feed, or nothing before one; other control
  /// characters become U+FFFD.
  static func escaped(_ name: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    for (index, byte) in name.enumerated() {
      switch byte {
      case UInt8(ascii: "\\"), UInt8(ascii: ","), UInt8(ascii: ";"): text += [UInt8(ascii: "\\"), byte]
      case 0x0A: text += "\\n".utf8
      case 0x0D: if index + 1 == name.count || name[index + 1] != 0x0A { text += "\\n".utf8 }
      default: if isControl(byte) { text += "\u{FFFD}".utf8 } else { text.append(byte) }
      }
    }
    return text
  }

  /// Appends a line, folded without cutting a character.
  static func appendFolded(_ line: [UInt8], to text: inout [UInt8]) {
    var start = 0
    while line.count - start > lineBytesMax - (start == 0 ? 0 : 1) {
      var end = start + lineBytesMax - (start == 0 ? 0 : 1)
      while end > start + 1, line[end] & 0xC0 == 0x80 { end -= 1 }
      if start > 0 { text.append(0x20) }
      text += line[start..<end]
      text += "\r\n".utf8
      start = end
    }
    if start > 0 { text.append(0x20) }
    text += line[start...]
    text += "\r\n".utf8
  }
}
