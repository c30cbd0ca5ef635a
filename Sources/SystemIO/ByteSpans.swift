// Bytes in spans: copied into arrays, and compared.

extension Array where Element == UInt8 {
  /// Copies the bytes of a span.
  @inlinable
  package init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Appends the bytes of a span.
  @inlinable
  package mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension ContiguousArray where Element == UInt8 {
  /// Copies the bytes of a span.
  @inlinable
  package init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe ContiguousArray($0) }
  }

  /// Appends the bytes of a span.
  @inlinable
  package mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension Span where Element == UInt8 {
  /// Whether another span contains the same bytes.
  @inlinable
  package func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in indices where self[index] != other[index] { return false }
    return true
  }
}
