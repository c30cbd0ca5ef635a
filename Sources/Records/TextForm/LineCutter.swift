// Splits bytes into lines. Lines within a chunk are not copied; lines that cross chunks are assembled.

import BasicContainers

/// Receives lines.
protocol LineSink: ~Copyable {
  /// Receives one line without its line feed.
  mutating func receive(line: Span<UInt8>) throws(Failure)
  /// Receives the start of a line that is too long.
  mutating func receiveOverlong(line: Span<UInt8>) throws(Failure)
  /// Receives plain lines from `start` on, and returns the start of the first line that `receive` must read, or that
  /// may not end within the bytes.
  mutating func receivePlain(lines: Span<UInt8>, from start: Int) throws(Failure) -> Int
}

/// Splits bytes into lines for a sink.
struct LineCutter: ~Copyable {
  /// The start of a line that began in an earlier chunk, or of one that is too long.
  private var carried: RigidArray<UInt8>
  private var isOverlong = false
  /// The number of bytes of the current line that were left out.
  private var skipped: UInt64 = 0
  private let stage: StageName?

  init(lineBytesMax: Int, stage: StageName?) {
    carried = RigidArray(capacity: lineBytesMax)
    self.stage = stage
  }

  mutating func cut(_ bytes: Span<UInt8>, for sink: inout some LineSink & ~Copyable) throws(Failure) {
    var start = 0
    if !carried.isEmpty || isOverlong {
      let end = LineScan.lineFeed(in: bytes, from: 0)
      try carry(bytes.extracting(0..<end))
      guard end < bytes.count else { return }
      try passCarried(to: &sink)
      start = end + 1
    }
    while start < bytes.count {
      start = try sink.receivePlain(lines: bytes, from: start)
      let end = LineScan.lineFeed(in: bytes, from: start)
      guard end < bytes.count else { break }
      if end - start > carried.capacity {
        try sink.receiveOverlong(line: bytes.extracting(start..<start + carried.capacity))
      } else {
        try sink.receive(line: bytes.extracting(start..<end))
      }
      start = end + 1
    }
    try carry(bytes.extracting(start..<bytes.count))
  }

  /// Passes on a last line that has no line feed.
  mutating func finish(for sink: inout some LineSink & ~Copyable) throws(Failure) {
    if !carried.isEmpty || isOverlong { try passCarried(to: &sink) }
  }

  private mutating func carry(_ bytes: Span<UInt8>) throws(Failure) {
    let count = min(bytes.count, carried.freeCapacity)
    carried.append(copying: bytes.extracting(0..<count))
    guard count < bytes.count else { return }
    isOverlong = true
    skipped += UInt64(bytes.count - count)
    if skipped > EndlessLineError.bytesMax { throw Failure(stage, EndlessLineError(list: nil)) }
  }

  private mutating func passCarried(to sink: inout some LineSink & ~Copyable) throws(Failure) {
    if isOverlong {
      try sink.receiveOverlong(line: carried.span)
    } else {
      try sink.receive(line: carried.span)
    }
    carried.removeAll()
    isOverlong = false
    skipped = 0
  }
}
