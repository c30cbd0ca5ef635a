// Record fields that wait until their number is resolved: in memory, or on disk if a number has very many.

import Records
import SystemIO
import SystemPackage

/// Record fields in input order.
struct RecordFieldsSpool: ~Copyable {
  /// The maximum bytes in memory. A number has a few records; one with tens of thousands goes to disk.
  static let bytesMax = 1 << 20
  /// The size of the length prefix.
  private static let lengthBytes = 2

  private let directory: String
  private let calls: any SystemCalls
  private var bytes: [UInt8] = []
  private var file: TemporaryFile?
  /// The sizes of the blocks written to the file; each holds whole entries.
  private var blocks: [Int] = []

  init(directory: String, calls: any SystemCalls) {
    self.directory = directory
    self.calls = calls
  }

  mutating func append(_ recordFields: Span<UInt8>) throws(SystemError) {
    if bytes.count + recordFields.count + Self.lengthBytes > Self.bytesMax { try spill() }
    // Record fields have at most 32 KiB, so two bytes are enough for the length.
    bytes.append(UInt8(truncatingIfNeeded: recordFields.count))
    bytes.append(UInt8(truncatingIfNeeded: recordFields.count >> 8))
    bytes.append(copying: recordFields)
  }

  private mutating func spill() throws(SystemError) {
    if file == nil { file = try TemporaryFile(in: directory, calls: calls) }
    let block = bytes
    try file?.append(block.span)
    blocks.append(bytes.count)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Calls `body` with all record fields in order, and empties the spool.
  mutating func drain(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    if !blocks.isEmpty {
      var chunk = ByteChunk(capacity: Self.bytesMax)
      var offset: Int64 = 0
      for size in blocks {
        do throws(SystemError) {
          try read(size, at: offset, into: &chunk)
        } catch {
          throw Failure(.dedupe, error)
        }
        offset += Int64(size)
        try Self.forEachRecord(chunk.span, body)
      }
      file = nil
      blocks.removeAll()
    }
    let rest = bytes
    try Self.forEachRecord(rest.span, body)
    bytes.removeAll(keepingCapacity: true)
  }

  private borrowing func read(
    _ size: Int, at offset: Int64, into chunk: inout ByteChunk
  ) throws(SystemError) {
    chunk.removeAll()
    while chunk.count < size {
      let position = offset + Int64(chunk.count)
      let count = try file?.read(into: &chunk, at: position, limit: size - chunk.count) ?? 0
      // No other process can truncate an unnamed file, so missing data is a disk error.
      guard count > 0 else { throw SystemError(.readSpill, directory, .ioError) }
    }
  }

  private static func forEachRecord(
    _ bytes: Span<UInt8>, _ body: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    var at = 0
    while at + lengthBytes <= bytes.count {
      let start = at + lengthBytes
      let end = start + (Int(bytes[at]) | Int(bytes[at + 1]) << 8)
      try body(bytes.extracting(start..<end))
      at = end
    }
  }
}
