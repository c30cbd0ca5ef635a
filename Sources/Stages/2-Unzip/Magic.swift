// Detects the format of an input by its first bytes.
//
// A file that differs from a zip or gzip signature in one byte is a damaged archive. Passing it on unchanged would be
// harmful, and no list starts that way, since all of these signatures have control characters. zlib's two bytes are too
// few for that, and text may start with one of its signatures (`x^`).

/// The format of an input, as far as its first bytes determine it.
enum Magic: Equatable {
  case plain
  case packed(PackedFormat)
  /// A zip archive that is an office document, such as a workbook, which `parse` reads as a whole.
  case office
  /// A signature with one wrong byte.
  case damaged(PackedFormat)
  /// A packed format that is not supported.
  case foreign(UnsupportedFormat)
  /// Too few bytes to decide.
  case unclear

  private static let localHeaderSignature: [UInt8] = [0x50, 0x4B, 3, 4]
  /// An archive without members.
  private static let endRecordSignature: [UInt8] = [0x50, 0x4B, 5, 6]
  /// An archive that was intended for several disks.
  private static let spannedSignature: [UInt8] = [0x50, 0x4B, 7, 8]
  private static let gzip: [UInt8] = [0x1F, 0x8B, 8]
  /// zlib streams with the default window (32 KiB, the only one in use) and any level (RFC 1950, 2.2).
  private static let zlibs: [[UInt8]] = [[0x78, 0x01], [0x78, 0x5E], [0x78, 0x9C], [0x78, 0xDA]]
  /// The zlib signature that is also text, `x^`.
  private static let zlibOrText: [UInt8] = [0x78, 0x5E]

  /// Detects the format of the first bytes; with `isWhole` no more follow.
  init(_ bytes: Span<UInt8>, isWhole: Bool) {
    let zips = [Self.localHeaderSignature, Self.endRecordSignature, Self.spannedSignature]
    if Self.begins(bytes, with: Self.localHeaderSignature) {
      let isEnough = isWhole || bytes.count >= OfficePackage.startBytes
      self = !isEnough ? .unclear : OfficePackage.begins(bytes) ? .office : .packed(.zip)
    } else if zips.contains(where: { Self.begins(bytes, with: $0) }) {
      self = .packed(.zip)
    } else if Self.begins(bytes, with: [Self.gzip[0], Self.gzip[1]]) {
      self = .packed(.gzip)
    } else if Self.begins(bytes, with: Self.zlibOrText) {
      let head = bytes.extracting(first: UnzipLimits.sniffedBytes)
      let isEnough = isWhole || bytes.count >= UnzipLimits.sniffedBytes
      self = Self.isText(head) ? (isEnough ? .plain : .unclear) : .packed(.zlib)
    } else if Self.zlibs.contains(where: { Self.begins(bytes, with: $0) }) {
      self = .packed(.zlib)
    } else if let foreign = UnsupportedFormat.all.first(where: { Self.begins(bytes, with: $0.bytes) }) {
      self = .foreign(foreign.format)
    } else if !isWhole, UnsupportedFormat.all.contains(where: { Self.mismatchCount(bytes, $0.bytes) == 0 }) {
      // The bytes present match such a signature.
      self = .unclear
    } else if bytes.count < Self.localHeaderSignature.count, !isWhole {
      let signatures = zips + [Self.gzip] + Self.zlibs
      // With one byte, a damaged signature can't be distinguished from anything else.
      self = bytes.count < 2 || signatures.contains { Self.mismatchCount(bytes, $0) <= 1 } ? .unclear : .plain
    } else if bytes.count >= 4, Self.mismatchCount(bytes, Self.localHeaderSignature) == 1 {
      self = .damaged(.zip)
    } else if bytes.count >= 4, Self.mismatchCount(bytes, Self.endRecordSignature) == 1 {
      self = .damaged(.zip)
    } else if bytes.count >= 3, Self.mismatchCount(bytes, Self.gzip) == 1 {
      self = .damaged(.gzip)
    } else {
      self = .plain
    }
  }

  private static func begins(_ bytes: Span<UInt8>, with magic: [UInt8]) -> Bool {
    bytes.count >= magic.count && mismatchCount(bytes, magic) == 0
  }

  /// The number of bytes that differ, among those present.
  private static func mismatchCount(_ bytes: Span<UInt8>, _ magic: [UInt8]) -> Int {
    var count = 0
    for index in 0..<min(magic.count, bytes.count) where magic[index] != bytes[index] { count += 1 }
    return count
  }

  private static func isText(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices {
      let byte = bytes[index]
      if byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D || byte == 0x7F { return false }
    }
    return true
  }
}
