// The byte order mark at the start of an input.

/// The byte order marks at the start of an input.
///
/// Source: The Unicode Standard, section 23.8.
enum ByteOrderMark {
  /// The number of bytes that are needed to recognise a mark.
  static let bytesMax = 4

  /// The encoding that a byte order mark declares; nil for UTF-8, and without a mark.
  static func encoding(_ start: Span<UInt8>) -> WideEncoding? {
    guard start.count >= 2 else { return nil }
    let hasZeros = start.count >= 4 && start[2] == 0 && start[3] == 0
    switch (start[0], start[1]) {
    case (0xFF, 0xFE): return hasZeros ? .utf32LE : .utf16LE
    case (0xFE, 0xFF): return .utf16BE
    case (0, 0): return start.count >= 4 && start[2] == 0xFE && start[3] == 0xFF ? .utf32BE : nil
    default: return nil
    }
  }

  /// The length of a UTF-8 byte order mark: 3, or 0 when there is none.
  static func utf8Length(_ start: Span<UInt8>) -> Int {
    start.count >= 3 && start[0] == 0xEF && start[1] == 0xBB && start[2] == 0xBF ? 3 : 0
  }
}

/// An encoding that a byte order mark declares, other than UTF-8; the raw value is its name for iconv.
enum WideEncoding: String, Sendable {
  case utf16LE = "UTF-16LE"
  case utf16BE = "UTF-16BE"
  case utf32LE = "UTF-32LE"
  case utf32BE = "UTF-32BE"
}
