// Little-endian fields of a mapped or built section.

extension RawSpan {
  /// The byte at an offset.
  ///
  /// - Precondition: the byte lies inside the span.
  @inlinable @inline(__always)
  package func byte(_ at: Int) -> UInt8 {
    // A load of a type without invalid values, checked against the bounds by the call.
    unsafe unsafeLoadUnaligned(fromByteOffset: at, as: UInt8.self)
  }

  /// The 16-bit field at an offset.
  ///
  /// - Precondition: the field lies inside the span.
  @inlinable @inline(__always)
  package func u16(_ at: Int) -> Int {
    unsafe Int(UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: at, as: UInt16.self)))
  }

  /// The 32-bit field at an offset.
  ///
  /// - Precondition: the field lies inside the span.
  @inlinable @inline(__always)
  package func u32(_ at: Int) -> UInt32 {
    unsafe UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: at, as: UInt32.self))
  }

  /// The 64-bit field at an offset.
  ///
  /// - Precondition: the field lies inside the span.
  @inlinable @inline(__always)
  package func u64(_ at: Int) -> UInt64 {
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
  }

  /// The 64-bit field at an offset, without a check of the bounds.
  ///
  /// - Precondition: the field lies inside the span, or the behavior is undefined.
  @unsafe @inlinable @inline(__always)
  package func u64(unchecked at: Int) -> UInt64 {
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self))
  }
}

extension ContiguousArray<UInt8> {
  /// Appends an integer, least significant byte first.
  @inlinable
  package mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
    for byte in 0..<(Integer.bitWidth / 8) {
      append(UInt8(truncatingIfNeeded: value >> Integer(truncatingIfNeeded: 8 * byte)))
    }
  }
}
