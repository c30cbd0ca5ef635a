// Recognises the encoding of an input: by a byte order mark, as UTF-8 if it is valid, as UTF-16 by its zero bytes,
// otherwise the encoding in which the bytes are valid and the text is most plausible.
//
// Not for: what is plausible (PlausibleEncoding), or an encoding that the user names.

import SystemIO

/// The encoding of an input, and how it was recognised.
package struct EncodingGuess: Sendable, Equatable {
  /// How an encoding was recognised.
  package enum Basis: Sendable, Equatable {
    /// The user chose it.
    case chosen
    /// The input is not text, or declares its encoding in a form that its format reads.
    case declared
    /// A byte order mark.
    case mark
    /// The bytes are valid UTF-8.
    case validUTF8
    /// Zero bytes alternate with others.
    case zeroBytes
    /// The bytes are valid in the encoding, and the text is plausible.
    case plausible
    /// No encoding is plausible.
    case unknown
  }

  /// How the encoding was recognised.
  package var basis: Basis
  /// The name to be chosen for `parse`; nil if `parse` reads the input without one.
  package var name: String?

  /// Creates a guess.
  init(_ basis: Basis, name: String? = nil) {
    self.basis = basis
    self.name = name
  }

  /// The number of bytes that are examined: thousands of rows.
  package static let bytesMax = 256 * 1024

  /// Guesses the encoding by an input's first bytes. `isWhole`: they are the whole input. `usesLibrary`: libuchardet is
  /// asked, too, if it is installed.
  ///
  /// - Complexity: O(bytes), for at most ``bytesMax`` of them.
  init(_ head: Span<UInt8>, isWhole: Bool, formats: FormatTable, usesLibrary: Bool = true) {
    let bytes = head.extracting(first: Self.bytesMax)
    if formats.binaryFormat(bytes) != nil {
      self.init(.declared)
    } else if ByteOrderMark.encoding(bytes) != nil || ByteOrderMark.utf8Length(bytes) > 0 {
      self.init(.mark)
    } else if let wide = Self.wide(bytes) {
      self.init(.zeroBytes, name: wide)
    } else if let declared = Self.declared(bytes) {
      self = declared
    } else {
      self.init(
        text: bytes, isCut: !isWhole || head.count > Self.bytesMax, isAtStart: true, usesLibrary: usesLibrary)
    }
  }

  /// Guesses the encoding of a part of a text that is not UTF-16. `isCut`: the part may end inside a character;
  /// `isAtStart`: it does not start inside one.
  init(text bytes: Span<UInt8>, isCut: Bool, isAtStart: Bool, usesLibrary: Bool = true) {
    if Self.isUTF8(bytes, isCut: isCut) {
      self.init(.validUTF8)
    } else if let name = PlausibleEncoding.name(
      EncodingSample(bytes, isAtStart: isAtStart), usesLibrary: usesLibrary)
    {
      self.init(.plausible, name: name)
    } else {
      self.init(.unknown)
    }
  }

  // MARK: Certain cases

  /// UTF-16 whose byte order is shown by zero bytes: digits, separators and Latin letters have one each.
  static func wide(_ bytes: Span<UInt8>) -> String? {
    var zeros = (even: 0, odd: 0)
    let count = min(bytes.count, 4096) & ~1
    for index in 0..<count where bytes[index] == 0 {
      if index & 1 == 0 { zeros.even += 1 } else { zeros.odd += 1 }
    }
    // At least one in four code units, and nearly all zeros on one side. A few zeros are damage.
    guard zeros.even + zeros.odd >= 4, 8 * (zeros.even + zeros.odd) > count else { return nil }
    if zeros.odd > 20 * zeros.even { return WideEncoding.utf16LE.rawValue }
    if zeros.even > 20 * zeros.odd { return WideEncoding.utf16BE.rawValue }
    return nil
  }

  /// The encoding that an XML document declares. expat reads some encodings itself; the others must be chosen.
  private static func declared(_ bytes: Span<UInt8>) -> EncodingGuess? {
    guard bytes.startsIgnoringCase("<?XML", at: bytes.skippingSpace()) else { return nil }
    let start = String(decoding: [UInt8](copying: bytes.extracting(first: 200)), as: UTF8.self)
    guard let declaration = start.split(separator: ">").first,
      let range = declaration.firstRange(of: "encoding=")
    else { return nil }
    let name = declaration[range.upperBound...].dropFirst().prefix { $0 != "\"" && $0 != "'" }
    let known = ["UTF-8", "UTF-16", "ISO-8859-1", "US-ASCII"]
    if known.contains(name.uppercased()) {
      return name.uppercased() == "UTF-8" ? nil : EncodingGuess(.declared)
    }
    return TextDecoder.isKnown(String(name)) ? EncodingGuess(.declared, name: String(name)) : nil
  }

  /// Whether the bytes are UTF-8. A few invalid bytes among many valid characters are damaged rows.
  private static func isUTF8(_ bytes: Span<UInt8>, isCut: Bool) -> Bool {
    var valid = 0
    var invalid = 0
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      index += 1
      if byte < 0x80 { continue }
      let length = byte >= 0xC2 && byte < 0xE0 ? 2 : byte >= 0xE0 && byte < 0xF0 ? 3 : byte < 0xF5 ? 4 : 0
      guard byte >= 0xC2, length > 0 else {
        invalid += 1
        continue
      }
      var following = 1
      while following < length, index < bytes.count, bytes[index] & 0xC0 == 0x80 {
        following += 1
        index += 1
      }
      if following == length { valid += 1 } else if index < bytes.count || !isCut { invalid += 1 }
    }
    return invalid == 0 || valid > 20 * invalid
  }
}
