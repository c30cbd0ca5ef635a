// The free room of a batch of raw rows, for a loop that finds rows faster than they could be added one by one.
//
// Not for: rows in general (RawRowBatch.append).

/// The room behind a batch's last row. It only exists within ``RawRowBatch/appendRows(_:)``.
@safe
@frozen
public struct RawRowCapacity: ~Copyable {
  /// The longest text that can be added here: two words.
  public static let textBytesMax = 16

  // Each points to the free room of a column, which `appendRows` keeps alive and to itself. `hasCapacity` is asked for each
  // row before anything is written.
  @usableFromInline let texts: UnsafeMutableRawPointer
  @usableFromInline let ends: UnsafeMutablePointer<UInt32>
  @usableFromInline let indices: UnsafeMutablePointer<UInt32>
  @usableFromInline let rowsMost: Int
  @usableFromInline let textBytesBefore: Int
  @usableFromInline var textBytes = 0
  @usableFromInline var rowsAdded = 0

  @inlinable
  init(
    _ texts: UnsafeMutableBufferPointer<UInt8>, _ ends: UnsafeMutableBufferPointer<UInt32>,
    _ indices: UnsafeMutableBufferPointer<UInt32>, textBytesBefore: Int
  ) {
    // A column without room has no address, and none is needed.
    unsafe self.texts =
      UnsafeMutableRawPointer(texts.baseAddress) ?? UnsafeMutableRawPointer(bitPattern: 1)!
    unsafe self.ends = ends.baseAddress ?? UnsafeMutablePointer(bitPattern: 4)!
    unsafe self.indices = indices.baseAddress ?? UnsafeMutablePointer(bitPattern: 4)!
    // Each row may have the longest text, so that rows alone need counting.
    rowsMost = min(ends.count, indices.count, texts.count / Self.textBytesMax)
    self.textBytesBefore = textBytesBefore
  }

  /// Rows added here.
  @inlinable public var rows: Int { rowsAdded }

  /// Whether another row fits.
  @inlinable
  public var hasCapacity: Bool { rowsAdded < rowsMost }

  /// Adds a row whose text is the first `count` bytes of two words, the first byte lowest.
  ///
  /// - Precondition: ``hasCapacity``, `count` is at most ``textBytesMax``, and the index is one that `intern` gave.
  @inlinable
  @inline(__always)
  public mutating func append(_ front: UInt64, _ back: UInt64, count: Int, fieldsIndex: Int) {
    precondition(hasCapacity && count >= 0 && count <= Self.textBytesMax, "no room for a row")
    // Both words fit; what is written behind the text is overwritten by the next one, or never seen.
    unsafe texts.storeBytes(of: front.littleEndian, toByteOffset: textBytes, as: UInt64.self)
    unsafe texts.storeBytes(of: back.littleEndian, toByteOffset: textBytes &+ 8, as: UInt64.self)
    textBytes &+= count
    unsafe ends[rowsAdded] = UInt32(truncatingIfNeeded: textBytesBefore &+ textBytes)
    unsafe indices[rowsAdded] = UInt32(truncatingIfNeeded: fieldsIndex)
    rowsAdded &+= 1
  }
}
