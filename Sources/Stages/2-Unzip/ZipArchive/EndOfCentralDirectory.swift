// Locates an archive's central directory by the records at the archive's end (APPNOTE 4.3.14 to 4.3.16).
//
// This is strict: nothing may follow the end record, the directory must immediately precede it, and the zip64 record
// must agree with the old one. An archive that is off by a byte is damaged, and with data before or after an archive
// two programs could see two different archives.

import SystemIO

/// The location of an archive's central directory, and its number of entries.
package struct EndOfCentralDirectory {
  /// The offset of the first entry.
  package var directoryStart: UInt64
  /// The offset after the last entry.
  package var directoryEnd: UInt64
  /// The number of entries.
  package var count: UInt64

  /// The sizes of the fixed parts.
  package static let endBytes = 22
  private static let locatorBytes: UInt64 = 20
  private static let end64Bytes = 56
  private static let commentBytesMax = 65535
  private static let entryBytesMin: UInt64 = 46

  /// Finds and reads the end records.
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

  /// Whether these bytes, the last of an input, are the end record of an archive without a comment.
  package static func isEndRecord(_ tail: [UInt8], of size: UInt64) -> Bool {
    guard tail.count == endBytes, tail.starts(with: [0x50, 0x4B, 5, 6, 0, 0, 0, 0]) else { return false }
    func u16(_ index: Int) -> UInt64 { UInt64(tail[index]) | UInt64(tail[index + 1]) << 8 }
    let directoryBytes = u16(12) | u16(14) << 16
    return u16(8) > 0 && u16(8) == u16(10) && u16(20) == 0 && directoryBytes >= entryBytesMin * u16(8)
      && directoryBytes + UInt64(endBytes) < size
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
