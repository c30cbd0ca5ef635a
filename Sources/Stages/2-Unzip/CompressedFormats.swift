// The formats that `unzip` distinguishes by the first bytes of an input or a member.

import CLibraries
import SystemIO

/// Detects the format of an input by its first bytes.
///
/// A file that differs from a signature in one byte is damaged. Passing it on unchanged would be harmful, and no list
/// starts that way: the signatures of zip and gzip have control characters, and so have the bytes after the others. zlib's
/// two bytes are too few for that, and text may start with one of its signatures (`x^`).
package enum CompressedFormat: Equatable, Sendable {
  /// A zip archive (PKWARE's APPNOTE).
  case zip
  /// gzip (RFC 1952).
  case gzip
  /// zlib (RFC 1950).
  case zlib
  /// Zstandard (RFC 8878).
  case zstd
  /// The .xz file format.
  case xz
  case bzip2

  var phrase: String { self == .zip ? "zip archive" : "\(self) stream" }

  /// The format of the library that is opened to unpack it; nil for zip, and for what zlib unpacks.
  var library: cdp_decompressor_format? {
    switch self {
    case .zip, .gzip, .zlib: nil
    case .zstd: CDP_ZSTD
    case .xz: CDP_XZ
    case .bzip2: CDP_BZIP2
    }
  }

  /// The command that unpacks it whatever its window is.
  var unlimitedCommand: String { self == .zstd ? "zstd -dc --long=31" : "xz -dc" }

  /// Whether a stream that follows another one may start with this byte.
  func mayStart(with byte: UInt8) -> Bool {
    switch self {
    case .zip, .zlib: false
    case .gzip: byte == Magic.gzip[0]
    case .zstd, .xz, .bzip2: Self.streams.contains { $0.format == self && $0.bytes[0] == byte }
    }
  }

  /// The signatures of the formats whose libraries are opened, and the number of bytes that are enough to recognise an
  /// input that is truncated there: fewer are text. Sources: RFC 8878, 3.1.1 and 3.1.2; the .xz file format, 2.1.1.1;
  /// bzip2's headers of a stream (`BZh` and the level) and of a block or the end.
  static let streams: [(format: CompressedFormat, bytes: [UInt8], bytesMin: Int)] =
    [(.zstd, [0x28, 0xB5, 0x2F, 0xFD], 2), (.xz, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], 2)]
    + (0x50...0x5F).map { (.zstd, [$0, 0x2A, 0x4D, 0x18], 4) }
    + (UInt8(ascii: "1")...UInt8(ascii: "9")).flatMap { level in
      [[0x31, 0x41, 0x59, 0x26, 0x53, 0x59], [0x17, 0x72, 0x45, 0x38, 0x50, 0x90]].map {
        (.bzip2, [0x42, 0x5A, 0x68, level] + $0, 4)
      }
    }
}

/// A stream that is unpacked from front to back: the input, or a member of an archive.
struct CompressedStream: Equatable, Sendable {
  /// Not zip.
  var format: CompressedFormat
  /// The member that contains it; nil for the input itself.
  var member: String?

  init(_ format: CompressedFormat, member: String? = nil) {
    self.format = format
    self.member = member
  }
}

enum Magic: Equatable {
  case plain
  case packed(CompressedFormat)
  /// A zip archive that is an office document, such as a workbook, which `parse` reads as a whole.
  case office
  /// A signature with one wrong byte.
  case damaged(CompressedFormat)
  case foreign(UnsupportedFormat)
  case unclear

  private static let localHeaderSignature: [UInt8] = [0x50, 0x4B, 3, 4]
  /// An archive without members.
  private static let endRecordSignature: [UInt8] = [0x50, 0x4B, 5, 6]
  /// An archive that was intended for several disks.
  private static let spannedSignature: [UInt8] = [0x50, 0x4B, 7, 8]
  fileprivate static let gzip: [UInt8] = [0x1F, 0x8B, 8]
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
    } else if let stream = Self.stream(bytes, isWhole: isWhole) {
      self = .packed(stream)
    } else if let foreign = UnsupportedFormat.all.first(where: { Self.begins(bytes, with: $0.bytes) }) {
      self = .foreign(foreign.format)
    } else if !isWhole, UnsupportedFormat.all.contains(where: { Self.mismatchCount(bytes, $0.bytes) == 0 }) {
      // The bytes present match such a signature.
      self = .unclear
    } else if !isWhole, Self.mayBeCut(bytes, zips + [Self.gzip] + Self.zlibs) {
      self = .unclear
    } else if bytes.count >= 4, Self.mismatchCount(bytes, Self.localHeaderSignature) == 1 {
      self = .damaged(.zip)
    } else if bytes.count >= 4, Self.mismatchCount(bytes, Self.endRecordSignature) == 1 {
      self = .damaged(.zip)
    } else if bytes.count >= 3, Self.mismatchCount(bytes, Self.gzip) == 1 {
      self = .damaged(.gzip)
    } else if let stream = Self.damagedStream(bytes) {
      let isEnough = isWhole || bytes.count >= UnzipLimits.sniffedBytes
      let isText = Self.isText(bytes.extracting(first: UnzipLimits.sniffedBytes))
      self = !isText ? .damaged(stream) : isEnough ? .plain : .unclear
    } else {
      self = .plain
    }
  }

  /// The format of a stream with these first bytes, or of one that is truncated within its signature.
  private static func stream(_ bytes: Span<UInt8>, isWhole: Bool) -> CompressedFormat? {
    for (format, signature, bytesMin) in CompressedFormat.streams {
      let needed = isWhole ? bytesMin : signature.count
      if bytes.count >= needed, mismatchCount(bytes, signature) == 0 { return format }
    }
    return nil
  }

  /// The format of a stream whose signature has one wrong byte.
  private static func damagedStream(_ bytes: Span<UInt8>) -> CompressedFormat? {
    for (format, signature, _) in CompressedFormat.streams where bytes.count >= signature.count {
      if mismatchCount(bytes, signature) == 1 { return format }
    }
    return nil
  }

  /// Whether these bytes may be the start of a signature with at most one wrong byte.
  private static func mayBeCut(_ bytes: Span<UInt8>, _ signatures: [[UInt8]]) -> Bool {
    // With one byte, a damaged signature can't be distinguished from anything else.
    if bytes.count < 2 { return true }
    func isCut(_ signature: [UInt8]) -> Bool {
      bytes.count < signature.count && mismatchCount(bytes, signature) <= 1
    }
    for signature in signatures where isCut(signature) { return true }
    for stream in CompressedFormat.streams where isCut(stream.bytes) { return true }
    return false
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

/// Packed formats that are detected but not supported. Passing them on as if they were not packed would only cause a
/// confusing error later.
enum UnsupportedFormat: CaseIterable, Equatable, Sendable {
  case sevenZip, rar, lz4

  /// The signature of the format. Sources: 7zFormat.txt of the LZMA SDK, RAR's technical notes for 4 and 5, LZ4's frame
  /// format.
  var signature: [UInt8] {
    switch self {
    case .sevenZip: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]
    case .rar: [0x52, 0x61, 0x72, 0x21, 0x1A, 0x07]
    case .lz4: [0x04, 0x22, 0x4D, 0x18]
    }
  }

  var phrase: String {
    switch self {
    case .sevenZip: "a 7z archive"
    case .rar: "a RAR archive"
    case .lz4: "an LZ4 stream"
    }
  }

  /// How to unpack the format without cdpipe. Archives with a table at their end can't be read from a pipe.
  func hint(quotedMember member: String?) -> String {
    guard let member else { return "use \(command) FILE | cdpipe parse" }
    let extraction = "use cdpipe unzip --entry \(member) ARCHIVE"
    switch self {
    case .sevenZip, .rar: return "\(extraction) > FILE; \(command) FILE | cdpipe parse"
    case .lz4: return "\(extraction) | \(command) | cdpipe parse"
    }
  }

  /// A command that unpacks its input to standard output.
  private var command: String {
    switch self {
    case .sevenZip, .rar: "7zz x -so"
    case .lz4: "lz4 -dc"
    }
  }

  /// All signatures, computed once.
  static let all = allCases.map { (format: $0, bytes: $0.signature) }
}

enum WholeFormat: Equatable, Sendable {
  /// A workbook or another Office document, of today or in Microsoft's compound file format.
  case office
  case database
  /// A property list in Apple's binary form.
  case propertyList
  /// A text in UTF-16 or UTF-32, as its byte order mark shows: other texts can't follow it.
  case wideText

  var phrase: String {
    switch self {
    case .office: "a workbook or another Office document"
    case .database: "a SQLite database"
    case .propertyList: "a binary property list"
    case .wideText: "text in UTF-16"
    }
  }

  /// The number of bytes that are needed.
  static let startBytes = OfficePackage.startBytes

  /// Sources: [MS-CFB] 2.2; SQLite's Database File Format, 1.3.1; CFBinaryPList.c of Apple's Core Foundation; The Unicode
  /// Standard, section 23.8.
  private static let marks: [(bytes: [UInt8], format: WholeFormat)] = [
    ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], .office), (Array("SQLite format 3\0".utf8), .database),
    (Array("bplist0".utf8), .propertyList), ([0xFF, 0xFE], .wideText), ([0xFE, 0xFF], .wideText),
    ([0, 0, 0xFE, 0xFF], .wideText),
  ]

  /// The format of a member with this start; nil for any other.
  init?(_ start: Span<UInt8>) {
    if OfficePackage.begins(start) {
      self = .office
      return
    }
    for mark in Self.marks where start.count >= mark.bytes.count {
      if mark.bytes.indices.allSatisfy({ start[$0] == mark.bytes[$0] }) {
        self = mark.format
        return
      }
    }
    return nil
  }
}
