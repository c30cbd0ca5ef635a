// An archive's directory: where it is, and its entries.

import SystemIO
import SystemPackage

/// Locates an archive's central directory by the records at the archive's end (APPNOTE 4.3.14 to 4.3.16).
///
/// This is strict: nothing may follow the end record, the directory must immediately precede it, and the zip64 record
/// must agree with the old one. An archive that is off by a byte is damaged, and with data before or after an archive
/// two programs could see two different archives.
struct EndOfCentralDirectory {
  var directoryStart: UInt64
  var directoryEnd: UInt64
  var count: UInt64

  /// The sizes of the fixed parts.
  static let endBytes = 22
  private static let locatorBytes: UInt64 = 20
  private static let end64Bytes = 56
  private static let commentBytesMax = 65535
  private static let entryBytesMin: UInt64 = 46

  static func find(in window: inout FileWindow) throws(ZipError) -> EndOfCentralDirectory {
    let offset = try endRecord(in: &window)
    guard window.u16(offset + 4) == 0 || window.u16(offset + 4) == 0xFFFF,
      window.u16(offset + 6) == window.u16(offset + 4), window.u16(offset + 8) == window.u16(offset + 10)
    else { throw damaged(.multipleDisks) }
    let old = EndOfCentralDirectory(
      directoryStart: UInt64(window.u32(offset + 16)), directoryEnd: UInt64(window.u32(offset + 12)),
      count: UInt64(window.u16(offset + 10)))
    var end = old
    end.directoryEnd = offset
    var size = old.directoryEnd
    if let offset64 = try record64(in: &window, before: offset) {
      end.directoryEnd = offset64
      end.count = window.u64(offset64 + 32)
      size = window.u64(offset64 + 40)
      end.directoryStart = window.u64(offset64 + 48)
      func matches(_ old: UInt64, _ new: UInt64, unless sentinel: UInt64) -> Bool {
        old == new || old == sentinel
      }
      guard matches(old.count, end.count, unless: 0xFFFF),
        matches(old.directoryEnd, size, unless: 0xFFFF_FFFF),
        matches(old.directoryStart, end.directoryStart, unless: 0xFFFF_FFFF)
      else { throw damaged(.badEndRecord) }
    }
    guard end.directoryStart <= end.directoryEnd, size == end.directoryEnd - end.directoryStart,
      end.count <= size / entryBytesMin
    else { throw damaged(.badEndRecord) }
    return end
  }

  /// The offset of the end record, which is then loaded: the last one whose comment ends at the end of the file.
  private static func endRecord(in window: inout FileWindow) throws(ZipError) -> UInt64 {
    let size = window.size
    let searched = Int(min(size, UInt64(endBytes + commentBytesMax)))
    guard searched >= endBytes, try window.loadRecord(size - UInt64(searched), searched) else {
      throw damaged(.noEndRecord)
    }
    var otherEnd: UInt64?
    var offset = size - UInt64(endBytes)
    while true {
      if window.byte(offset) == 0x50, window.u32(offset) == 0x0605_4B50 {
        let end = offset + UInt64(endBytes) + UInt64(window.u16(offset + 20))
        if end == size { return offset }
        if end < size, otherEnd == nil { otherEnd = end }
      }
      if offset == size - UInt64(searched) { break }
      offset -= 1
    }
    throw damaged(otherEnd.map { .trailingBytes(atByte: $0) } ?? .noEndRecord)
  }

  /// The number of bytes at an input's end that may have the end record and its comment.
  static let searchedBytes = endBytes + commentBytesMax

  /// Whether these bytes, the last of an input, end with the end record of an archive and its comment.
  static func isAtEnd(of tail: Span<UInt8>, inputBytes size: UInt64) -> Bool {
    var at = tail.count - endBytes
    while at >= 0 {
      if tail[at] == 0x50, isEndRecord(tail.extracting(at..<tail.count), of: size) { return true }
      at -= 1
    }
    return false
  }

  private static func isEndRecord(_ record: Span<UInt8>, of size: UInt64) -> Bool {
    let start: [UInt8] = [0x50, 0x4B, 5, 6, 0, 0, 0, 0]
    for index in start.indices where record[index] != start[index] { return false }
    func u16(_ index: Int) -> UInt64 { UInt64(record[index]) | UInt64(record[index + 1]) << 8 }
    let directoryBytes = u16(12) | u16(14) << 16
    return u16(8) > 0 && u16(8) == u16(10) && Int(u16(20)) == record.count - endBytes
      && directoryBytes >= entryBytesMin * u16(8) && directoryBytes + UInt64(record.count) < size
  }

  /// The offset of the zip64 end record, which is then loaded; nil if there is none.
  private static func record64(in window: inout FileWindow, before end: UInt64) throws(ZipError) -> UInt64? {
    guard end >= locatorBytes else { return nil }
    let locator = end - locatorBytes
    guard try window.loadRecord(locator, Int(locatorBytes)), window.u32(locator) == 0x0706_4B50 else {
      return nil
    }
    // Some programs write 0 disks.
    guard window.u32(locator + 4) == 0, window.u32(locator + 16) <= 1 else { throw damaged(.multipleDisks) }
    let offset = window.u64(locator + 8)
    guard offset < locator, try window.loadRecord(offset, end64Bytes), window.u32(offset) == 0x0606_4B50,
      locator - offset >= 12, window.u64(offset + 4) == locator - offset - 12
    else { throw damaged(.badEndRecord) }
    guard window.u32(offset + 16) == 0, window.u32(offset + 20) == 0,
      window.u64(offset + 24) == window.u64(offset + 32)
    else { throw damaged(.multipleDisks) }
    return offset
  }

  private static func damaged(_ reason: ArchiveErrorReason) -> ZipError { .damagedArchive(reason) }
}

/// Reads an archive's central directory (APPNOTE 4.3.12). It is read in chunks and no entry is kept, so an archive may
/// have any number of entries.
struct CentralDirectory: ~Copyable {
  private static let fixedBytes = 46

  let end: EndOfCentralDirectory
  private var window: FileWindow
  private var offset: UInt64
  private var index: UInt64 = 0
  /// Where the entry starts that was read last.
  private var entryStart: UInt64 = 0

  /// The bytes of the entry that was read last.
  var entryBytes: [UInt8] { window.bytes(entryStart, Int(offset - entryStart)) }

  init(_ window: consuming FileWindow) throws(ZipError) {
    let end = try EndOfCentralDirectory.find(in: &window)
    self.end = end
    self.window = window
    offset = end.directoryStart
  }

  mutating func rewind() {
    offset = end.directoryStart
    index = 0
  }

  /// The next entry; nil at the end, which must be where the end record locates it.
  mutating func next() throws(ZipError) -> ZipEntry? {
    if index == end.count {
      guard offset == end.directoryEnd else { throw .damagedArchive(.badEndRecord) }
      return nil
    }
    let bad = ZipError.damagedArchive(.badEntry(index: index))
    guard try load(Self.fixedBytes), window.u32(offset) == 0x0201_4B50 else { throw bad }
    let nameCount = Int(window.u16(offset + 28))
    let extraCount = Int(window.u16(offset + 30))
    let count = Self.fixedBytes + nameCount + extraCount + Int(window.u16(offset + 32))
    guard try load(count) else { throw bad }

    let rawName = window.bytes(offset + UInt64(Self.fixedBytes), nameCount)
    let extraStart = offset + UInt64(Self.fixedBytes + nameCount)
    let extra = ExtraFields(window, from: extraStart, count: extraCount)
    var sizes = Zip64Values(extra.zip64)
    let flags = window.u16(offset + 8)
    let method = window.u16(offset + 10)
    // In the order of the zip64 field.
    guard let size = sizes.value(window.u32(offset + 24), window),
      let compressedSize = sizes.value(window.u32(offset + 20), window),
      let headerOffset = sizes.value(window.u32(offset + 42), window)
    else { throw bad }
    let disk = window.u16(offset + 34)
    guard disk == 0 || disk == 0xFFFF && sizes.disk(window) == 0 else {
      throw .damagedArchive(.multipleDisks)
    }
    // A name with a zero byte would be a different name in C.
    guard !rawName.contains(0), (method == ZipEntry.aesMethod) == (extra.aes != nil),
      extra.aes == nil || flags & ZipEntry.encryptedFlag != 0
    else { throw bad }

    let entry = ZipEntry(
      rawName: rawName,
      name: EntryName.text(rawName, isUTF8: flags & ZipEntry.utf8Flag != 0, unicode: extra.unicodeName),
      versionMade: window.u16(offset + 4), versionNeeded: window.u16(offset + 6), flags: flags,
      rawMethod: method, time: window.u16(offset + 12), date: window.u16(offset + 14),
      crc: window.u32(offset + 16), compressedSize: compressedSize, size: size, offset: headerOffset,
      aes: extra.aes)
    entryStart = offset
    offset += UInt64(count)
    index += 1
    return entry
  }

  private mutating func load(_ count: Int) throws(ZipError) -> Bool {
    guard UInt64(count) <= end.directoryEnd - offset else { return false }
    return try window.loadRecord(offset, count)
  }
}

/// A member, according to the central directory.
struct ZipEntry {
  /// WinZip's AES: the vendor's version (2 omits the checksum), the strength (1 to 3), and the packing method of the
  /// encrypted data.
  struct AES {
    var version: UInt16
    var strength: UInt8
    var method: UInt16
  }

  var rawName: [UInt8]
  var name: String
  var versionMade: UInt16
  var versionNeeded: UInt16
  var flags: UInt16
  /// The recorded method: ``aesMethod`` for a member encrypted by AES.
  var rawMethod: UInt16
  var time: UInt16
  var date: UInt16
  var crc: UInt32
  var compressedSize: UInt64
  var size: UInt64
  var offset: UInt64
  var aes: AES?

  static let stored: UInt16 = 0
  static let deflated: UInt16 = 8
  static let aesMethod: UInt16 = 99
  static let encryptedFlag: UInt16 = 1 << 0
  /// A data descriptor with the checksum and the sizes follows the data.
  static let dataDescriptorFlag: UInt16 = 1 << 3
  static let utf8Flag: UInt16 = 1 << 11
  /// Patches, PKWARE's strong encryption, and headers masked by it: not supported.
  static let unsupportedFlags: UInt16 = 1 << 5 | 1 << 6 | 1 << 13

  var method: UInt16 { aes?.method ?? rawMethod }
  var isEncrypted: Bool { flags & Self.encryptedFlag != 0 }
  /// Whether the checksum is used; AE-2 omits it and has a stronger one.
  var hasChecksum: Bool { aes.map { $0.version != 2 } ?? true }
}

/// The relevant extra fields of an entry or a header: zip64 sizes, WinZip's AES, and a Unicode name (APPNOTE 4.5.3,
/// 4.6.9; winzip.com/aes_info).
struct ExtraFields {
  var zip64: Range<UInt64>?
  var aes: ZipEntry.AES?
  /// The name in UTF-8, after a checksum of the name that it replaces.
  var unicodeName: [UInt8]?

  /// Reads the fields, which must be loaded. Invalid data ends them, because some programs pad with zeros.
  init(_ window: borrowing FileWindow, from start: UInt64, count: Int) {
    let end = start + UInt64(count)
    var offset = start
    while end - offset >= 4 {
      let id = window.u16(offset)
      let size = UInt64(window.u16(offset + 2))
      offset += 4
      guard size <= end - offset else { return }
      switch id {
      case 0x0001 where zip64 == nil: zip64 = offset..<offset + size
      case 0x9901 where aes == nil && size >= 7:
        aes = ZipEntry.AES(
          version: window.u16(offset), strength: window.byte(offset + 4), method: window.u16(offset + 5))
      case 0x7075 where unicodeName == nil && size >= 5 && window.byte(offset) == 1:
        unicodeName = window.bytes(offset + 1, Int(size) - 1)
      default: break
      }
      offset += size
    }
  }
}

/// The values of the zip64 field, one after another: only those whose header field is all ones are present.
struct Zip64Values {
  private static let sentinel: UInt32 = 0xFFFF_FFFF
  private var rest: Range<UInt64>?

  init(_ field: Range<UInt64>?) { rest = field }

  /// The value in the header, or the next one of the zip64 field; nil if the field ends before it. Without the field,
  /// all ones are an ordinary number.
  mutating func value(_ written: UInt32, _ window: borrowing FileWindow) -> UInt64? {
    guard written == Self.sentinel, let field = rest else { return UInt64(written) }
    guard field.upperBound - field.lowerBound >= 8 else { return nil }
    rest = field.lowerBound + 8..<field.upperBound
    return window.u64(field.lowerBound)
  }

  func disk(_ window: borrowing FileWindow) -> UInt32? {
    guard let field = rest, field.upperBound - field.lowerBound >= 4 else { return nil }
    return window.u32(field.lowerBound)
  }
}

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

/// The sizes of an archive's records, and how much is read at a time.
enum ZipLimits {
  /// The maximum size of a directory entry: its fixed part and three fields of at most 65,535 bytes. A local header is
  /// smaller, and so is the area that is searched for the end record.
  static let recordBytesMax = 46 + 3 * 65535
  /// How many bytes of the directory are read at a time.
  static let directoryReadAheadBytes = 64 * 1024
  /// How many bytes are read for a local header, which is rarely longer.
  static let headerReadAheadBytes = 512
}

extension FileWindow {
  static func zipDirectory(_ file: FileDescriptor, size: UInt64, calls: any SystemCalls) -> FileWindow {
    FileWindow(
      file, size: size, capacity: ZipLimits.recordBytesMax, readAhead: ZipLimits.directoryReadAheadBytes,
      calls: calls)
  }

  static func zipHeaders(_ file: FileDescriptor, size: UInt64, calls: any SystemCalls) -> FileWindow {
    FileWindow(
      file, size: size, capacity: ZipLimits.recordBytesMax, readAhead: ZipLimits.headerReadAheadBytes,
      calls: calls)
  }

  /// Makes sure that a record's bytes are loaded; false if they are beyond the end of the file.
  mutating func loadRecord(_ offset: UInt64, _ count: Int) throws(ZipError) -> Bool {
    do throws(Errno) {
      return try load(offset, count)
    } catch {
      throw .unreadable(error)
    }
  }
}

/// Recognises office documents among zip archives by the first member: an archive of lists is unpacked, while the parts
/// of a workbook have no meaning of their own.
///
/// Sources: ISO/IEC 29500-2 (the parts of a package); OpenDocument 1.3, part 2, section 3.3 (the member `mimetype`).
enum OfficePackage {
  /// The number of bytes that are needed: a local header and the longest start of a member.
  static let startBytes = 30 + 42

  /// What the name of the first member starts with, in documents of Excel, LibreOffice, Google and libraries; the last
  /// one includes the content of the member, which is not compressed.
  private static let firstNames: [StaticString] = [
    "[Content_Types].xml", "_rels/", "docProps/", "xl/", "customXml/", "word/", "ppt/", "Index/Document.iwa",
    "mimetypeapplication/vnd.oasis.opendocument",
  ]

  /// Whether a zip archive with this start is an office document, as far as its first ``startBytes`` show.
  static func begins(_ start: Span<UInt8>) -> Bool {
    starts(start, with: "PK\u{3}\u{4}", at: 0)
      && firstNames.contains { starts(start, with: $0, at: MemberLocation.headerBytes) }
  }

  private static func starts(_ bytes: Span<UInt8>, with text: StaticString, at offset: Int) -> Bool {
    guard bytes.count >= offset + text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { letters in
      for index in 0..<letters.count where unsafe letters[index] != bytes[offset + index] { return false }
      return true
    }
  }
}
