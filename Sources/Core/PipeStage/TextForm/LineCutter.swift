// Splits bytes into lines. Lines within a chunk are not copied; lines that cross chunks are assembled.

import BasicContainers
import CallRecord

/// Receives lines.
protocol LineSink: ~Copyable {
  /// Receives one line without its line feed.
  mutating func receive(line: Span<UInt8>) throws(StageError)
  /// Receives the start of a line that is too long.
  mutating func receiveOverlong(line: Span<UInt8>) throws(StageError)
}

/// Splits bytes into lines for a sink.
struct LineCutter: ~Copyable {
  /// The start of a line that began in an earlier chunk, or of one that is too long.
  private var carried: RigidArray<UInt8>
  private var isOverlong = false

  init(lineBytesMax: Int) {
    carried = RigidArray(capacity: lineBytesMax)
  }

  mutating func cut(_ bytes: Span<UInt8>, for sink: inout some LineSink & ~Copyable) throws(StageError) {
    var start = 0
    if !carried.isEmpty || isOverlong {
      let end = LineScan.lineFeed(in: bytes, from: 0)
      carry(bytes.extracting(0..<end))
      guard end < bytes.count else { return }
      try passCarried(to: &sink)
      start = end + 1
    }
    while start < bytes.count {
      let end = LineScan.lineFeed(in: bytes, from: start)
      guard end < bytes.count else { break }
      if end - start > carried.capacity {
        try sink.receiveOverlong(line: bytes.extracting(start..<start + carried.capacity))
      } else {
        try sink.receive(line: bytes.extracting(start..<end))
      }
      start = end + 1
    }
    carry(bytes.extracting(start..<bytes.count))
  }

  /// Passes on a last line that has no line feed.
  mutating func finish(for sink: inout some LineSink & ~Copyable) throws(StageError) {
    if !carried.isEmpty || isOverlong { try passCarried(to: &sink) }
  }

  private mutating func carry(_ bytes: Span<UInt8>) {
    let count = min(bytes.count, carried.freeCapacity)
    carried.append(copying: bytes.extracting(0..<count))
    if count < bytes.count { isOverlong = true }
  }

  private mutating func passCarried(to sink: inout some LineSink & ~Copyable) throws(StageError) {
    if isOverlong {
      try sink.receiveOverlong(line: carried.span)
    } else {
      try sink.receive(line: carried.span)
    }
    carried.removeAll()
    isOverlong = false
  }
}

/// Finds the ends of lines.
package enum LineScan {
  /// The index of the next line feed, or the end. Tests eight bytes per step.
  @inline(__always)
  package static func lineFeed(in bytes: Span<UInt8>, from start: Int) -> Int {
    let raw = unsafe bytes.bytes
    var index = start
    while index + 8 <= bytes.count {
      // Line feeds become zero bytes in `differing`; the standard zero-byte test finds the lowest one.
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      let differing = UInt64(littleEndian: word) ^ 0x0A0A_0A0A_0A0A_0A0A
      let zeros = (differing &- 0x0101_0101_0101_0101) & ~differing & 0x8080_8080_8080_8080
      if zeros != 0 { return index + zeros.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < bytes.count, bytes[index] != 0x0A { index += 1 }
    return index
  }
}
