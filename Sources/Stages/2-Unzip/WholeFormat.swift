// Formats of members that are only read as a whole: joined with another member they would be damaged, or read in part.
//
// Not for: data slices, which declare their end and may follow one another (ParseStage).

import SystemIO

/// A format whose files can't be joined.
package enum WholeFormat: Equatable, Sendable {
  /// A workbook or another Office document, of today or in Microsoft's compound file format.
  case office
  /// A SQLite database.
  case database
  /// A property list in Apple's binary form.
  case propertyList

  /// The number of bytes that are needed.
  static let startBytes = OfficePackage.startBytes

  /// Sources: [MS-CFB] 2.2; SQLite's Database File Format, 1.3.1; CFBinaryPList.c of Apple's Core Foundation.
  private static let marks: [(bytes: [UInt8], format: WholeFormat)] = [
    ([0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], .office), (Array("SQLite format 3\0".utf8), .database),
    (Array("bplist0".utf8), .propertyList),
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
