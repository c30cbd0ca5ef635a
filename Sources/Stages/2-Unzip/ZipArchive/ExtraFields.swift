// The relevant extra fields of an entry or a header: zip64 sizes, WinZip's AES, and a Unicode name (APPNOTE 4.5.3,
// 4.6.9; winzip.com/aes_info).

import SystemIO

/// The relevant extra fields.
struct ExtraFields {
  /// The range of the zip64 values.
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

  init(_ field: Range<UInt64>?) {
    rest = field
  }

  /// The value in the header, or the next one of the zip64 field; nil if the field ends before it. Without the field,
  /// all ones are an ordinary number.
  mutating func value(_ written: UInt32, _ window: borrowing FileWindow) -> UInt64? {
    guard written == Self.sentinel, let field = rest else { return UInt64(written) }
    guard field.upperBound - field.lowerBound >= 8 else { return nil }
    rest = field.lowerBound + 8..<field.upperBound
    return window.u64(field.lowerBound)
  }

  /// The disk number, which comes last.
  func disk(_ window: borrowing FileWindow) -> UInt32? {
    guard let field = rest, field.upperBound - field.lowerBound >= 4 else { return nil }
    return window.u32(field.lowerBound)
  }
}
