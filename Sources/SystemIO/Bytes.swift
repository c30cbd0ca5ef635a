// The buffer of bytes that stages pass on, and bytes in spans.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import BasicContainers

/// A buffer of bytes of a fixed capacity.
public struct ByteChunk: ~Copyable, Sendable {
  /// The default capacity: large enough that the cost of a system call per byte is negligible, small enough for the
  /// second-level cache.
  public static let defaultBytes = 256 * 1024

  public var bytes: RigidArray<UInt8>

  public init(capacity: Int = ByteChunk.defaultBytes) { bytes = RigidArray(capacity: capacity) }
  @inlinable public var count: Int { bytes.count }
  @inlinable public var isEmpty: Bool { bytes.isEmpty }
  @inlinable public var freeCapacity: Int { bytes.freeCapacity }

  @inlinable
  public var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { bytes.span }
  }

  /// - Precondition: They fit into the free capacity.
  @inlinable
  public mutating func append(_ more: Span<UInt8>) { bytes.append(copying: more) }

  @inlinable
  public mutating func removeAll() { bytes.removeAll() }

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

extension Array where Element == UInt8 {
  @inlinable
  public init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  @inlinable
  public mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension ContiguousArray where Element == UInt8 {
  @inlinable
  public init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe ContiguousArray($0) }
  }

  @inlinable
  public mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension Span where Element == UInt8 {
  @inlinable
  public func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}

extension UInt8 {
  /// The value of a hexadecimal digit; nil for any other byte.
  public var hexDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - 0x30
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - 0x61 + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - 0x41 + 10
    default: nil
    }
  }
}
