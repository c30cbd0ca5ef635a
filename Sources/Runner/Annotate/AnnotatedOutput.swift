// Copies an input and adds texts to its records. The bytes of the input are written as they are.

import BasicContainers
import InputStages
import Records
import SystemIO

/// Writes pieces of an output into a buffer, and the buffer into a sink.
struct AnnotatedOutput: ~Copyable {
  private var chunk = ByteChunk()
  private let sink: any ByteSink

  init(_ sink: any ByteSink) { self.sink = sink }

  @inline(__always)
  mutating func put(_ bytes: Span<UInt8>) throws(Failure) {
    if bytes.count > chunk.freeCapacity { return try putPieces(bytes) }
    chunk.append(bytes)
  }

  private mutating func putPieces(_ bytes: Span<UInt8>) throws(Failure) {
    var at = 0
    while at < bytes.count {
      if chunk.freeCapacity == 0 { try flush() }
      let end = min(bytes.count, at + chunk.freeCapacity)
      chunk.append(bytes.extracting(at..<end))
      at = end
    }
  }

  /// Writes the digits of a number of E.164.
  @inline(__always)
  mutating func put(digits number: UInt64) throws(Failure) {
    if chunk.freeCapacity < PhoneNumber.digitsMax { try flush() }
    let upper = UInt32(truncatingIfNeeded: number / 100_000_000)
    var low = Decimal.eightDigits(UInt32(truncatingIfNeeded: number % 100_000_000))
    let upperCount = upper == 0 ? 0 : Decimal.digitCount(UInt64(upper))
    let lowCount = upper == 0 ? Decimal.digitCount(number) : 8
    var high = Decimal.eightDigits(upper) &>> UInt64(truncatingIfNeeded: 8 &* (8 &- max(1, upperCount)))
    low &>>= UInt64(truncatingIfNeeded: 8 &* (8 &- lowCount))
    chunk.bytes.append(addingCount: upperCount + lowCount) { output in
      for _ in 0..<upperCount {
        output.append(UInt8(truncatingIfNeeded: high))
        high &>>= 8
      }
      for _ in 0..<lowCount {
        output.append(UInt8(truncatingIfNeeded: low))
        low &>>= 8
      }
    }
  }

  mutating func flush() throws(Failure) {
    if !chunk.isEmpty { try sink.receive(&chunk) }
    chunk.removeAll()
  }

  consuming func finish() throws(Failure) {
    try flush()
    try sink.finish()
  }
}

/// An input in another encoding than UTF-8: its records are those of the text in UTF-8, and their places are found again
/// by the line feeds in it. What is added is ASCII, in code units of the encoding.
struct EncodedCopy: ~Copyable {
  private let unitBytes: Int
  private let isBigEndian: Bool
  /// The number of bytes of the window that were copied.
  private(set) var used = 0

  init(_ encoding: borrowing EncodedText) {
    unitBytes = encoding.unitBytes
    isBigEndian = encoding.isBigEndian
  }

  /// Continues in a window that starts with the first byte that was not copied.
  mutating func beginWindow() { used = 0 }

  private func unit(_ bytes: Span<UInt8>, _ index: Int) -> UInt32 {
    guard unitBytes > 1 else { return UInt32(bytes[index]) }
    var value: UInt32 = 0
    for place in 0..<unitBytes {
      let byte = UInt32(bytes[index + (isBigEndian ? place : unitBytes - 1 - place)])
      value = value << 8 | byte
    }
    return value
  }

  /// The index of the next line feed from `start` on, or the index after the last whole unit.
  private func lineFeed(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index + unitBytes <= bytes.count, unit(bytes, index) != 0x0A { index += unitBytes }
    return index
  }

  /// Copies the text of a record: up to the last of this number of line feeds, or up to the end of the input if there are
  /// none. Without a carriage return at its end if `hasReturn`.
  mutating func copyText(
    _ bytes: Span<UInt8>, lineFeeds: Int, hasReturn: Bool, to output: inout AnnotatedOutput
  ) throws(Failure) {
    var end = lineFeeds == 0 ? bytes.count : lineFeed(bytes, from: used)
    for _ in 1..<max(1, lineFeeds) { end = lineFeed(bytes, from: end + unitBytes) }
    if hasReturn { end -= unitBytes }
    end = max(used, min(end, bytes.count))
    try output.put(bytes.extracting(used..<end))
    used = end
  }

  /// Copies the line end that follows.
  mutating func copyLineEnd(_ bytes: Span<UInt8>, to output: inout AnnotatedOutput) throws(Failure) {
    let end = min(bytes.count, lineFeed(bytes, from: used) + unitBytes)
    try output.put(bytes.extracting(used..<end))
    used = end
  }

  /// Copies what is known of a line that does not end yet. A carriage return may belong to its end.
  mutating func copyPart(_ bytes: Span<UInt8>, to output: inout AnnotatedOutput) throws(Failure) {
    var end = lineFeed(bytes, from: used)
    if end - unitBytes >= used, unit(bytes, end - unitBytes) == 0x0D { end -= unitBytes }
    try output.put(bytes.extracting(used..<end))
    used = end
  }

  /// Adds ASCII.
  func add(_ text: Span<UInt8>, to output: inout AnnotatedOutput) throws(Failure) {
    if unitBytes == 1 { return try output.put(text) }
    var wide = ContiguousArray<UInt8>()
    for index in text.indices {
      for place in 0..<unitBytes {
        wide.append(place == (isBigEndian ? unitBytes - 1 : 0) ? text[index] : 0)
      }
    }
    try output.put(wide.span)
  }
}
