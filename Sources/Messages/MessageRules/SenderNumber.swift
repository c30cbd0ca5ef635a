// Whether a sender is a phone number, and which. Not for: how numbers are read, which is NumberPlan's.

import NumberPlan

enum SenderNumber {
  /// Whether a sender is written as numbers are: digits, with what stands between them.
  static func isWrittenAsNumber(_ sender: Span<UInt8>) -> Bool {
    var digits = 0
    for index in 0..<sender.count {
      let byte = sender[index]
      if byte &- 0x30 < 10 {
        digits += 1
      } else if !(isPunctuation(byte) || byte == UInt8(ascii: "+") && digits == 0) {
        return false
      }
    }
    return digits >= 2
  }

  /// What stands between the digits of a number and says nothing.
  @inline(__always)
  static func isPunctuation(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "."),
      UInt8(ascii: "/"):
      true
    default: false
    }
  }

  /// The number that a sender is, read as dialled in a region; nil if it is none.
  static func read(_ sender: Span<UInt8>, region: Region?) -> ParsedNumber? {
    guard isWrittenAsNumber(sender) else { return nil }
    // Without a region there is only one way to read digits.
    let parsed =
      region == nil
      ? try? NumberPlan.parseInternational(sender) : try? NumberPlan.parse(sender, region: region)
    guard let parsed, parsed.e164 > 0 else { return nil }
    return parsed
  }
}

/// Two capital letters in one word; 0 for what is no country code.
enum CountryLetters {
  static func packed(_ code: Substring.UTF8View) -> UInt16 {
    guard code.count == 2 else { return 0 }
    var packed: UInt16 = 0
    for byte in code {
      let letter = byte & 0xDF
      guard letter >= 0x41, letter <= 0x5A else { return 0 }
      packed = packed << 8 | UInt16(letter)
    }
    return packed
  }

  static func text(_ packed: UInt16) -> String {
    String(decoding: [UInt8(packed >> 8), UInt8(packed & 0xFF)], as: UTF8.self)
  }
}
