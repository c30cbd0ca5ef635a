// Slices of an input, which several processes read: where an input may be divided, and where a slice starts and ends.
//
// Not for: choosing the slices, or reading their bytes.

/// A place between two records of an input. What follows can be read without what comes before, apart from the head.
package struct InputBoundary: Codable, Equatable, Sendable {
  /// The number of bytes before it.
  package var byte: UInt64
  /// The line that follows; the first is 1.
  package var line: UInt64
  /// The row that follows; the first is 1.
  package var row: UInt64
  /// Whether something before it was broken, so that brackets need not match.
  package var isAfterReject: Bool
  /// The CRC-32C of all bytes before it.
  package var checksum: UInt32

  /// Makes a boundary.
  package init(byte: UInt64, line: UInt64, row: UInt64, isAfterReject: Bool = false, checksum: UInt32 = 0) {
    self.byte = byte
    self.line = line
    self.row = row
    self.isAfterReject = isAfterReject
    self.checksum = checksum
  }
}

/// A slice of an input. Its bytes come after those of the input's head, by which the format is recognised; the rows of the
/// head are dropped.
package struct InputSlice: Equatable, Sendable {
  /// The minimum number of bytes of a head.
  package static let headBytesMin = UInt64(ParseLimits.startBytesMax + ByteOrderMark.bytesMax)

  /// The number of bytes of the head, which ends between two records; 0 if the slice is the input's first one.
  package var headBytes: UInt64
  /// Where it starts.
  package var start: InputBoundary
  /// Where it ends.
  package var end: InputBoundary

  /// Makes a slice.
  package init(headBytes: UInt64, start: InputBoundary, end: InputBoundary) {
    self.headBytes = headBytes
    self.start = start
    self.end = end
  }
}
