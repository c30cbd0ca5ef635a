// The buffer of bytes that stages pass on: of fixed capacity, filled, read and emptied.

public import BasicContainers

/// A buffer of bytes of a fixed capacity.
@frozen
public struct ByteChunk: ~Copyable, Sendable {
  /// The default capacity: large enough that the cost of a system call per byte is negligible, small enough for the
  /// second-level cache.
  public static let defaultBytes = 256 * 1024

  /// The bytes.
  public var bytes: RigidArray<UInt8>

  /// Creates an empty chunk.
  public init(capacity: Int = ByteChunk.defaultBytes) {
    bytes = RigidArray(capacity: capacity)
  }

  /// The number of bytes in the chunk.
  @inlinable public var count: Int { bytes.count }
  /// Whether the chunk has no bytes.
  @inlinable public var isEmpty: Bool { bytes.isEmpty }
  /// The number of bytes that still fit.
  @inlinable public var freeCapacity: Int { bytes.freeCapacity }

  /// The bytes, to read.
  @inlinable
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span }
  }

  /// Appends bytes.
  ///
  /// - Precondition: They fit into the free capacity.
  @inlinable
  public mutating func append(_ more: Span<UInt8>) {
    bytes.append(copying: more)
  }

  /// Removes all bytes and keeps the memory.
  @inlinable
  public mutating func removeAll() {
    bytes.removeAll()
  }

  /// Calls `fill` with the free capacity; it writes bytes there and returns how many. They are appended to the chunk.
  ///
  /// All bytes that C functions write into a chunk pass through here.
  public mutating func fill<E: Error>(
    _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    var written = 0
    try bytes.append(addingCount: bytes.freeCapacity) { (output) throws(E) in
      try unsafe output.withUnsafeMutableBufferPointer { (buffer, initialized) throws(E) in
        let free = unsafe UnsafeMutableRawBufferPointer(
          rebasing: UnsafeMutableRawBufferPointer(buffer)[initialized...])
        written = try unsafe fill(free)
        precondition(written >= 0 && written <= free.count, "more bytes were written than fit")
        initialized += written
      }
    }
    return written
  }
}
