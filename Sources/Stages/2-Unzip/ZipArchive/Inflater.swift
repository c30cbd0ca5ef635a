// zlib's decompressor: every pointer to it is in this file.
//
// Not for: the sequence of streams (DeflateStream), or of members (MemberReader).

import CLibZ
package import SystemIO

/// Decompresses one deflate stream after another.
@safe package struct Inflater: ~Copyable {
  /// The result of a call.
  package enum Status { case inProgress, end, damaged, outOfMemory }

  /// The format around the compressed data.
  package enum Wrapper {
    /// gzip's header and trailer, which are verified.
    case gzip
    /// zlib's header and trailer, which are verified.
    case zlib
    /// None.
    case raw
  }

  private let inflater: OpaquePointer

  /// Makes a decompressor; throws ``ZipError/outOfMemory``.
  package init(_ wrapper: Wrapper) throws(ZipError) {
    let cWrapper =
      switch wrapper {
      case .gzip: CDP_INFLATER_GZIP
      case .zlib: CDP_INFLATER_ZLIB
      case .raw: CDP_INFLATER_RAW
      }
    guard let made = unsafe cdp_inflater_new(cWrapper) else { throw .outOfMemory }
    unsafe inflater = made
  }

  deinit {
    unsafe cdp_inflater_free(inflater)
  }

  /// Prepares for another stream.
  package mutating func restart() {
    unsafe cdp_inflater_restart(inflater)
  }

  /// Decompresses into the chunk's free space, and returns how many bytes of input were consumed.
  package mutating func inflate(_ input: Span<UInt8>, into chunk: inout ByteChunk) -> (
    status: Status, consumed: Int
  ) {
    var consumed: UInt32 = 0
    var result = CDP_INFLATER_DAMAGED
    _ = unsafe input.withUnsafeBytes { from in
      unsafe chunk.fill { space in
        var produced: UInt32 = 0
        result = unsafe cdp_inflater_run(
          inflater, from.baseAddress, UInt32(clamping: from.count), &consumed, space.baseAddress,
          UInt32(clamping: space.count), &produced)
        return Int(produced)
      }
    }
    return switch result {
    case CDP_INFLATER_CONTINUES: (.inProgress, Int(consumed))
    case CDP_INFLATER_END: (.end, Int(consumed))
    case CDP_INFLATER_MEMORY: (.outOfMemory, Int(consumed))
    default: (.damaged, Int(consumed))
    }
  }

  /// zlib's error message.
  package var text: String { unsafe String(cString: cdp_inflater_error_message(inflater)) }
}
