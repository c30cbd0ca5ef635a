// zlib's gzip decompressor: every pointer to it is in this file.
//
// Not for: what follows what in a stream (GzipStream).

import CLibZip
import SystemIO

/// Decompresses one gzip member after another.
@safe struct Inflater: ~Copyable {
  enum Result { case going, end, damaged, outOfMemory }

  private let inflater: OpaquePointer

  init() throws(UnzipFailure) {
    guard let made = unsafe cdp_gunzip_new() else { throw .outOfMemory }
    unsafe inflater = made
  }

  deinit {
    unsafe cdp_gunzip_free(inflater)
  }

  /// A further member begins.
  mutating func restart() {
    unsafe cdp_gunzip_restart(inflater)
  }

  /// Decompresses into the chunk's free room, and says how much was read.
  mutating func run(_ input: Span<UInt8>, into chunk: inout ByteChunk) -> (result: Result, consumed: Int) {
    var consumed: UInt32 = 0
    var result = CDP_GUNZIP_DAMAGED
    _ = unsafe input.withUnsafeBytes { from in
      unsafe chunk.fill { room in
        var produced: UInt32 = 0
        result = unsafe cdp_gunzip_run(
          inflater, from.baseAddress, UInt32(clamping: from.count), &consumed, room.baseAddress,
          UInt32(clamping: room.count), &produced)
        return Int(produced)
      }
    }
    return switch result {
    case CDP_GUNZIP_GOING: (.going, Int(consumed))
    case CDP_GUNZIP_END: (.end, Int(consumed))
    case CDP_GUNZIP_MEMORY: (.outOfMemory, Int(consumed))
    default: (.damaged, Int(consumed))
    }
  }

  /// zlib's words for the damage.
  var text: String { unsafe String(cString: cdp_gunzip_text(inflater)) }
}
