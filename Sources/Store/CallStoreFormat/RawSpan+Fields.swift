// Little-endian fields of a mapped or built section. The caller has checked that the field lies inside.

extension RawSpan {
  @inlinable @inline(__always)
  package func byte(_ at: Int) -> UInt8 {
    // A load of a type without invalid values, checked against the bounds by the call.
    unsafe unsafeLoadUnaligned(fromByteOffset: at, as: UInt8.self)
  }

  @inlinable @inline(__always)
  package func u16(_ at: Int) -> Int {
    unsafe Int(UInt16(littleEndian: unsafeLoadUnaligned(fromByteOffset: at, as: UInt16.self)))
  }

  @inlinable @inline(__always)
  package func u32(_ at: Int) -> UInt32 {
    unsafe UInt32(littleEndian: unsafeLoadUnaligned(fromByteOffset: at, as: UInt32.self))
  }

  @inlinable @inline(__always)
  package func u64(_ at: Int) -> UInt64 {
    unsafe UInt64(littleEndian: unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self))
  }
}
