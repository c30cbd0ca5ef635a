// A member's name as text, which is only matched and displayed.

/// Decodes members' names.
enum EntryName {
  /// The upper half of code page 437, the encoding of names without the UTF-8 flag (APPNOTE, appendix D).
  private static let codePage437 = Array(
    ("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐"
      + "└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{A0}").unicodeScalars)

  /// Decodes a name. Valid UTF-8 is decoded as such with or without the flag, since many programs don't set it;
  /// `unicode` is Info-ZIP's field: the checksum of the name that it replaces, and then the name.
  static func text(_ raw: [UInt8], isUTF8: Bool, unicode: [UInt8]?) -> String {
    if let unicode, unicode.count >= 4 {
      var checksum = CRC32()
      checksum.add(raw.span)
      let expected = (0..<4).reduce(UInt32(0)) { $0 | UInt32(unicode[$1]) << UInt32(8 * $1) }
      if checksum.value == expected, let text = String(validating: unicode[4...], as: UTF8.self) {
        return text
      }
    }
    if let text = String(validating: raw, as: UTF8.self) { return text }
    if isUTF8 { return String(decoding: raw, as: UTF8.self) }
    var text = String.UnicodeScalarView()
    for byte in raw {
      text.append(byte < 0x80 ? Unicode.Scalar(byte) : codePage437[Int(byte) - 0x80])
    }
    return String(text)
  }
}
