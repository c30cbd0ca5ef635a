// Output for a terminal: characters that move the cursor, change colours or reverse the direction of writing are shown
// as escapes, because labels come from strangers.
//
// Not for: messages, which are made printable by the command layer.

/// Escapes the control characters of UTF-8 text that arrives in pieces.
package struct TerminalText {
  /// The start of a character, or a carriage return, whose rest is in the next piece.
  private var pending: [UInt8] = []

  /// Makes an escaper at the start of a text.
  package init() {}

  /// Escapes a whole text.
  package static func escaped(_ text: String) -> String {
    var terminal = TerminalText()
    let bytes = Array(text.utf8)
    return String(decoding: terminal.escape(bytes.span) + terminal.finish(), as: UTF8.self)
  }

  /// Returns the printable form of the next bytes. Line feeds and tabs stay, and carriage returns before line feeds.
  package mutating func escape(_ bytes: Span<UInt8>) -> [UInt8] {
    var text = pending
    pending = []
    for index in bytes.indices { text.append(bytes[index]) }
    var shown: [UInt8] = []
    shown.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte == 0x0A || byte == 0x09 || (byte >= 0x20 && byte < 0x7F) {
        shown.append(byte)
        index += 1
        continue
      }
      let length = Self.length(byte)
      // A carriage return needs the byte after it, too.
      if text.count - index < (byte == 0x0D ? 2 : length) {
        pending = Array(text[index...])
        break
      }
      if byte == 0x0D, text[index + 1] == 0x0A {
        shown.append(byte)
        index += 1
        continue
      }
      let character = text[index..<index + length]
      let scalar = String(validating: character, as: UTF8.self)?.unicodeScalars.first
      if let scalar, !Self.isControl(scalar) {
        shown += character
        index += length
      } else {
        shown += Self.escape(scalar?.value ?? UInt32(byte))
        index += scalar == nil ? 1 : length
      }
    }
    return shown
  }

  /// Returns the printable form of an incomplete character at the end.
  package mutating func finish() -> [UInt8] {
    defer { pending = [] }
    return pending.flatMap { Self.escape(UInt32($0)) }
  }

  /// The number of bytes of a character that begins with a byte.
  private static func length(_ byte: UInt8) -> Int {
    byte < 0xC2 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 1
  }

  /// The escape of JSON, so that JSON stays valid. All controls have at most four hexadecimal digits.
  private static func escape(_ value: UInt32) -> [UInt8] {
    let digits = String(value, radix: 16)
    return Array("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
  }

  /// Whether a character is a control, a line separator, or a mark that changes the direction of writing.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
