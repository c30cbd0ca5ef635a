// Decides whether a sender is a phone number, and which one. Not for: parsing numbers (NumberPlan).

import NumberPlan

enum SenderNumber {
  /// Whether a sender is written like a number: digits, and the characters that may separate them.
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

  /// The characters between the digits of a number that are ignored.
  @inline(__always)
  static func isPunctuation(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "."),
      UInt8(ascii: "/"):
      true
    default: false
    }
  }

  /// Reads a sender as a number dialled in a region; nil if it is not a number.
  ///
  /// iOS sends a server the digits of E.164 without a plus sign. Digits that are not a valid number of the region are
  /// read as international if that makes a valid number.
  static func read(_ sender: Span<UInt8>, region: Region?) -> ParsedNumber? {
    guard isWrittenAsNumber(sender) else { return nil }
    // Without a region, digits can only be read as international.
    let parsed =
      region == nil
      ? try? NumberPlan.parseInternational(sender) : try? NumberPlan.parse(sender, region: region)
    if let parsed, parsed.e164 > 0, region == nil || NumberPlan.isValid(parsed) { return parsed }
    if let number = withoutPlus(sender) { return number }
    guard let parsed, parsed.e164 > 0 else { return nil }
    return parsed
  }

  /// Whether a sender consists of the digits of a number with its country code, without the plus sign.
  static func lacksPlus(_ sender: Span<UInt8>, region: Region?) -> Bool {
    guard isWrittenAsNumber(sender), let number = withoutPlus(sender) else { return false }
    guard region != nil, let dialled = try? NumberPlan.parse(sender, region: region) else { return true }
    return dialled.e164 == number.e164 || !NumberPlan.isValid(dialled)
  }

  /// The valid number that digits without a plus sign represent if they start with their country code.
  private static func withoutPlus(_ sender: Span<UInt8>) -> ParsedNumber? {
    for index in 0..<sender.count where sender[index] == UInt8(ascii: "+") { return nil }
    guard let number = try? NumberPlan.parseInternational(sender), NumberPlan.isValid(number) else {
      return nil
    }
    return number
  }
}

/// Two capital letters packed into one word; 0 for an invalid country code.
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
