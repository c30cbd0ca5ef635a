// A sorted run on disk: its reader, one record at a time.

import BasicContainers
import CallRecord
import SystemIO
import SystemPackage

/// Reads a spilled run from front to back through a buffer of fixed size.
struct RunCursor: ~Copyable {
  private let run: SpilledRun
  private var buffer: ByteChunk
  private var spare: ByteChunk
  private var at = 0
  private var offset: Int64 = 0
  private var left: Int

  /// The record's first number; `UInt64.max` when the run is at its end.
  private(set) var first: UInt64 = 0
  /// The record's last number.
  private(set) var last: UInt64 = 0
  /// The annotation's number, or ``AnnotationDictionary/absent`` when it stands in the buffer.
  private var annotation: UInt32 = 0
  private var inlineStart = 0
  private var inlineCount = 0

  /// Opens the run and reads its first record.
  init(_ run: consuming SpilledRun, bufferBytes: Int) throws(SystemFailure) {
    left = run.records
    self.run = run
    // Half reads ahead while the other half still holds the record that crosses the border.
    buffer = ByteChunk(capacity: bufferBytes / 2)
    spare = ByteChunk(capacity: bufferBytes / 2)
    try advance()
  }

  /// Hands the record over.
  borrowing func give(to taker: inout some RunTaker & ~Copyable) throws(SortTrouble) {
    if annotation != AnnotationDictionary.absent {
      try taker.take(first: first, last: last, annotation: annotation)
    } else {
      let inline = buffer.span.extracting(inlineStart..<inlineStart + inlineCount)
      try taker.take(first: first, last: last, inline: inline)
    }
  }

  /// Goes on to the next record.
  mutating func advance() throws(SystemFailure) {
    guard left > 0 else {
      first = .max
      last = 0
      return
    }
    left -= 1
    // Four varints of at most 10 bytes: enough is there for the numbers, then for the annotation.
    if buffer.count - at < 40 { try refill() }
    let head = try varint()
    first += head >> SpillFlag.bits
    last = first
    if head & SpillFlag.range != 0 { last += try varint() }
    let tail = try varint()
    if head & SpillFlag.inline == 0 {
      annotation = UInt32(truncatingIfNeeded: tail)
      return
    }
    annotation = AnnotationDictionary.absent
    inlineCount = Int(tail)
    if buffer.count - at < inlineCount { try refill() }
    guard inlineCount <= buffer.count - at else {
      throw SystemFailure(.readSpill, run.file.directory, .ioError)
    }
    inlineStart = at
    at += inlineCount
  }

  @inline(__always)
  private mutating func varint() throws(SystemFailure) -> UInt64 {
    guard let value = Self.varint(buffer, &at) else {
      // The file is shorter than what was written to it.
      throw SystemFailure(.readSpill, run.file.directory, .ioError)
    }
    return value
  }

  @inline(__always)
  private static func varint(_ buffer: borrowing ByteChunk, _ at: inout Int) -> UInt64? {
    let bytes = buffer.span
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while at < bytes.count, shift < 64 {
      let byte = bytes[at]
      at += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  private static func copy(from buffer: borrowing ByteChunk, _ start: Int, to spare: inout ByteChunk) {
    spare.append(buffer.span.extracting(start..<buffer.count))
  }

  /// Moves what is unread to the front and fills the rest.
  private mutating func refill() throws(SystemFailure) {
    Self.copy(from: buffer, at, to: &spare)
    buffer.removeAll()
    swap(&buffer, &spare)
    at = 0
    while buffer.freeCapacity > 0 {
      let count = try run.file.read(into: &buffer, at: offset)
      if count == 0 { return }
      offset += Int64(count)
    }
  }
}
