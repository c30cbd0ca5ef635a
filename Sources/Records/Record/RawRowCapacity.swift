// The free capacity of a batch of raw rows, for loops in which adding rows one by one would take too long.
//
// Not for: rows in general (RawRowBatch.append).

/// The free capacity after a batch's last row. It exists only within ``RawRowBatch/appendRows(_:)``.
@safe
package struct RawRowCapacity: ~Copyable {
  /// The longest text that can be added here, in bytes: two words.
  package static let textBytesMax = 16

  // Each points to the free capacity of a column, which `appendRows` keeps alive and accesses exclusively.
  // `hasCapacity` is checked for each row before anything is written.
  @usableFromInline let texts: UnsafeMutableRawPointer
  @usableFromInline let ends: UnsafeMutablePointer<UInt32>
  @usableFromInline let indices: UnsafeMutablePointer<UInt32>
  @usableFromInline let rowsMax: Int
  @usableFromInline let textBytesBefore: Int
  @usableFromInline var textBytes = 0
  @usableFromInline var rowsAdded = 0

  @inlinable
  init(
    _ texts: UnsafeMutableBufferPointer<UInt8>, _ ends: UnsafeMutableBufferPointer<UInt32>,
    _ indices: UnsafeMutableBufferPointer<UInt32>, textBytesBefore: Int
  ) {
    // A full column may have no address; nothing is written there.
    unsafe self.texts =
      UnsafeMutableRawPointer(texts.baseAddress) ?? UnsafeMutableRawPointer(bitPattern: 1)!
    unsafe self.ends = ends.baseAddress ?? UnsafeMutablePointer(bitPattern: 4)!
    unsafe self.indices = indices.baseAddress ?? UnsafeMutablePointer(bitPattern: 4)!
    // Every row may have the longest text, so that counting rows is enough.
    rowsMax = min(ends.count, indices.count, texts.count / Self.textBytesMax)
    self.textBytesBefore = textBytesBefore
  }

  /// The number of rows added so far.
  @inlinable package var rows: Int { rowsAdded }

  /// Whether another row fits.
  @inlinable
  package var hasCapacity: Bool { rowsAdded < rowsMax }

  /// Adds a row whose text is the first `count` bytes of two words, the first byte lowest.
  ///
  /// - Precondition: ``hasCapacity``, `count` is at most ``textBytesMax``, and `fieldsIndex` was returned by `intern`.
  @inlinable
  @inline(__always)
  package mutating func append(_ front: UInt64, _ back: UInt64, count: Int, fieldsIndex: Int) {
    precondition(hasCapacity && count >= 0 && count <= Self.textBytesMax, "no capacity for a row")
    // Both words fit. The bytes after the text are overwritten by the next text, or never read.
    unsafe texts.storeBytes(of: front.littleEndian, toByteOffset: textBytes, as: UInt64.self)
    unsafe texts.storeBytes(of: back.littleEndian, toByteOffset: textBytes &+ 8, as: UInt64.self)
    textBytes &+= count
    unsafe ends[rowsAdded] = UInt32(truncatingIfNeeded: textBytesBefore &+ textBytes)
    unsafe indices[rowsAdded] = UInt32(truncatingIfNeeded: fieldsIndex)
    rowsAdded &+= 1
  }
}
