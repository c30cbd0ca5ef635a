// Where an archive's directory lies, by the records at the archive's end (APPNOTE 4.3.14 to 4.3.16).
//
// Taken to the letter: nothing behind the end record, the directory right before it, zip64's record in agreement
// with the old one. What is off by a byte is damaged, and what was put before or behind an archive could make two
// programs see two archives.

/// Where an archive's directory lies, and how many entries it has.
struct ZipEnd {
  var directoryStart: UInt64
  var directoryEnd: UInt64
  var count: UInt64

  /// The sizes of the fixed parts.
  private static let endBytes = 22
  private static let locatorBytes: UInt64 = 20
  private static let end64Bytes = 56
  private static let commentBytesMax = 65535
  private static let entryBytesMin: UInt64 = 46

  /// Finds the end record and reads the records.
  static func find(in window: inout FileWindow) throws(ZipError) -> ZipEnd {
    let place = try endRecord(in: &window)
    guard window.u16(place + 4) == 0 || window.u16(place + 4) == 0xFFFF,
      window.u16(place + 6) == window.u16(place + 4), window.u16(place + 8) == window.u16(place + 10)
    else { throw damaged(.severalDisks) }
    let old = ZipEnd(
      directoryStart: UInt64(window.u32(place + 16)), directoryEnd: UInt64(window.u32(place + 12)),
      count: UInt64(window.u16(place + 10)))
    var end = old
    end.directoryEnd = place
    var size = old.directoryEnd
    if let place64 = try record64(in: &window, before: place) {
      end.directoryEnd = place64
      end.count = window.u64(place64 + 32)
      size = window.u64(place64 + 40)
      end.directoryStart = window.u64(place64 + 48)
      func agrees(_ old: UInt64, _ new: UInt64, unless sentinel: UInt64) -> Bool {
        old == new || old == sentinel
      }
      guard agrees(old.count, end.count, unless: 0xFFFF),
        agrees(old.directoryEnd, size, unless: 0xFFFF_FFFF),
        agrees(old.directoryStart, end.directoryStart, unless: 0xFFFF_FFFF)
      else { throw damaged(.badEnd) }
    }
    guard end.directoryStart <= end.directoryEnd, size == end.directoryEnd - end.directoryStart,
      end.count <= size / entryBytesMin
    else { throw damaged(.badEnd) }
    return end
  }

  /// The place of the end record, which the window holds: the last one whose comment ends where the file ends.
  private static func endRecord(in window: inout FileWindow) throws(ZipError) -> UInt64 {
    let size = window.size
    let searched = Int(min(size, UInt64(endBytes + commentBytesMax)))
    guard searched >= endBytes, try window.hold(size - UInt64(searched), searched) else {
      throw damaged(.noEnd)
    }
    var ended: UInt64?
    var place = size - UInt64(endBytes)
    while true {
      if window.byte(place) == 0x50, window.u32(place) == 0x0605_4B50 {
        let end = place + UInt64(endBytes) + UInt64(window.u16(place + 20))
        if end == size { return place }
        if end < size, ended == nil { ended = end }
      }
      if place == size - UInt64(searched) { break }
      place -= 1
    }
    throw damaged(ended.map { .trailingBytes(atByte: $0) } ?? .noEnd)
  }

  /// The place of zip64's end record, which the window then holds, if there is one.
  private static func record64(in window: inout FileWindow, before end: UInt64) throws(ZipError) -> UInt64? {
    guard end >= locatorBytes else { return nil }
    let locator = end - locatorBytes
    guard try window.hold(locator, Int(locatorBytes)), window.u32(locator) == 0x0706_4B50 else { return nil }
    // Some write 0 disks.
    guard window.u32(locator + 4) == 0, window.u32(locator + 16) <= 1 else { throw damaged(.severalDisks) }
    let place = window.u64(locator + 8)
    guard place < locator, try window.hold(place, end64Bytes), window.u32(place) == 0x0606_4B50,
      locator - place >= 12, window.u64(place + 4) == locator - place - 12
    else { throw damaged(.badEnd) }
    guard window.u32(place + 16) == 0, window.u32(place + 20) == 0,
      window.u64(place + 24) == window.u64(place + 32)
    else { throw damaged(.severalDisks) }
    return place
  }

  private static func damaged(_ defect: ArchiveErrorReason) -> ZipError { .failure(.damagedArchive(defect)) }
}
