// The extra fields of an entry or a header, as far as they matter here: zip64's sizes, WinZip's AES, and a name in
// Unicode (APPNOTE 4.5.3, 4.6.9; winzip.com/aes_info).

/// The extra fields that matter.
struct ExtraFields {
  /// Where zip64's values stand.
  var zip64: Range<UInt64>?
  var aes: ZipEntry.AES?
  /// The name in UTF-8, behind a checksum of the name that it stands for.
  var unicodeName: [UInt8]?

  /// Reads the fields, which the window holds. What does not look like a field ends them: some programs fill up with
  /// zeros.
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

/// The values of zip64's field, one behind the other: only those are there whose offset in the header is filled with
/// ones.
struct Zip64Values {
  private static let sentinel: UInt32 = 0xFFFF_FFFF
  private var rest: Range<UInt64>?

  init(_ field: Range<UInt64>?) {
    rest = field
  }

  /// The value that the header has, or zip64's next; nil if the field ends before it. Without the field, a offset
  /// filled with ones is a number like any other.
  mutating func value(_ written: UInt32, _ window: borrowing FileWindow) -> UInt64? {
    guard written == Self.sentinel, let field = rest else { return UInt64(written) }
    guard field.upperBound - field.lowerBound >= 8 else { return nil }
    rest = field.lowerBound + 8..<field.upperBound
    return window.u64(field.lowerBound)
  }

  /// The number of the disk, which comes last.
  func disk(_ window: borrowing FileWindow) -> UInt32? {
    guard let field = rest, field.upperBound - field.lowerBound >= 4 else { return nil }
    return window.u32(field.lowerBound)
  }
}
