// Bytes on their way from one stage to the next: one buffer of fixed size, filled, handed on, emptied.

public import BasicContainers

/// A buffer of bytes of a fixed capacity.
@frozen
public struct ByteChunk: ~Copyable, Sendable {
  /// The usual capacity: large enough that a system call costs nothing a byte, small enough for the
  /// second-level cache.
  public static let defaultBytes = 256 * 1024

  /// The bytes.
  public var bytes: RigidArray<UInt8>

  /// Makes an empty chunk.
  public init(capacity: Int = ByteChunk.defaultBytes) {
    bytes = RigidArray(capacity: capacity)
  }

  /// The number of bytes in the chunk.
  @inlinable public var count: Int { bytes.count }
  /// Whether there is no byte.
  @inlinable public var isEmpty: Bool { bytes.isEmpty }
  /// The number of bytes that still fit.
  @inlinable public var freeCapacity: Int { bytes.freeCapacity }

  /// The bytes, to read.
  @inlinable
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span }
  }

  /// Adds bytes.
  ///
  /// - Precondition: they fit.
  @inlinable
  public mutating func append(_ more: Span<UInt8>) {
    bytes.append(copying: more)
  }

  /// Empties the chunk and keeps its memory.
  @inlinable
  public mutating func removeAll() {
    bytes.removeAll()
  }

  /// Lets `fill` write behind the bytes that are there; it gets the free room and returns how much it wrote.
  ///
  /// This is the one door for bytes that a C function writes.
  public mutating func fill<E: Error>(
    _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    var written = 0
    try bytes.append(addingCount: bytes.freeCapacity) { (output) throws(E) in
      try unsafe output.withUnsafeMutableBufferPointer { (buffer, initialized) throws(E) in
        let room = unsafe UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[initialized...])
        written = try unsafe fill(room)
        precondition(written >= 0 && written <= room.count, "more bytes were written than there was room")
        initialized += written
      }
    }
    return written
  }
}
