// Splits the bytes of a stream in the packed form into blocks. Blocks within a chunk are not copied; blocks that cross
// chunks are assembled.

import BasicContainers
import Hashing

/// Receives blocks.
protocol PackedBlockSink: ~Copyable {
  /// The rows that the sink accepts.
  var packedRows: PackedForm.Rows { get }
  /// Whether the sink accepts another block at once.
  var acceptsBlock: Bool { get }
  /// Receives the columns of a block; returns false if they are invalid.
  mutating func receive(block: PackedFormBlock, _ columns: Span<UInt8>) throws(Failure) -> Bool
}

extension PackedBlockSink where Self: ~Copyable {
  /// True: the sink passes blocks on.
  var acceptsBlock: Bool { true }
}

/// The state of reading one stream.
struct PackedFormStream: ~Copyable {
  private let stage: StageName?
  /// The start of a header or block that continues in the next chunk.
  private var carried = RigidArray<UInt8>(capacity: 0)
  /// The number of rows in the blocks so far.
  private var rows: UInt64 = 0
  private var hasHeader = false
  /// Whether the end mark was read.
  private(set) var isAtEnd = false

  init(stage: StageName?) {
    self.stage = stage
  }

  /// Passes on blocks from `start` on, up to the end mark or as long as the sink accepts them, and returns the index after
  /// the last byte that was used.
  mutating func cut(
    _ bytes: Span<UInt8>, from start: Int, for sink: inout some PackedBlockSink & ~Copyable
  ) throws(Failure) -> Int {
    var at = start
    while at < bytes.count, !isAtEnd, sink.acceptsBlock {
      let rest = bytes.extracting(at...)
      if carried.isEmpty, let size = try size(rest, sink.packedRows), size <= rest.count {
        try pass(rest.extracting(..<size), to: &sink)
        at += size
      } else {
        at += try carry(rest, for: &sink)
      }
    }
    return at
  }

  /// Throws if the stream has not ended.
  func finish() throws(Failure) {
    guard isAtEnd else { throw Failure(stage, PackedFormError.truncated(rows: rows)) }
  }

  /// The size of the header or block that starts with these bytes; nil if there are too few to know it.
  private func size(_ bytes: Span<UInt8>, _ kind: PackedForm.Rows) throws(Failure) -> Int? {
    guard hasHeader else {
      return bytes.count >= PackedForm.streamHeaderBytes ? PackedForm.streamHeaderBytes : nil
    }
    guard bytes.count >= PackedForm.blockHeaderBytes else { return nil }
    guard let block = unsafe PackedFormBlock(bytes.bytes, kind) else {
      throw Failure(stage, PackedFormError.damaged(rows: rows))
    }
    return PackedForm.blockHeaderBytes + block.columnBytes(kind)
  }

  /// Adds bytes to a header or block, passes it on when it is complete, and returns the number of bytes used.
  private mutating func carry(
    _ bytes: Span<UInt8>, for sink: inout some PackedBlockSink & ~Copyable
  ) throws(Failure) -> Int {
    if carried.capacity == 0 { carried = RigidArray(capacity: PackedForm.blockBytesMax) }
    let head = hasHeader ? PackedForm.blockHeaderBytes : PackedForm.streamHeaderBytes
    let needed = try size(carried.span, sink.packedRows) ?? head
    let count = min(needed - carried.count, bytes.count)
    carried.append(copying: bytes.extracting(..<count))
    if try size(carried.span, sink.packedRows) == carried.count {
      var whole = RigidArray<UInt8>(capacity: 0)
      swap(&whole, &carried)
      try pass(whole.span, to: &sink)
      swap(&whole, &carried)
      carried.removeAll()
    }
    return count
  }

  /// Passes on a whole header or block.
  private mutating func pass(
    _ bytes: Span<UInt8>, to sink: inout some PackedBlockSink & ~Copyable
  ) throws(Failure) {
    guard hasHeader else {
      do throws(PackedFormError) {
        try PackedForm.check(streamHeader: bytes, expecting: sink.packedRows)
      } catch {
        throw Failure(stage, error)
      }
      hasHeader = true
      return
    }
    let raw = unsafe bytes.bytes
    let head = CRC32C.checksum(raw.extracting(..<(PackedForm.blockHeaderBytes - 4)))
    guard let block = PackedFormBlock(raw, sink.packedRows),
      CRC32C.checksum(raw.extracting(PackedForm.blockHeaderBytes...), after: head) == block.checksum,
      block.rowsBefore == rows
    else { throw Failure(stage, PackedFormError.damaged(rows: rows)) }
    guard block.rows > 0 else {
      isAtEnd = true
      return
    }
    guard try sink.receive(block: block, bytes.extracting(PackedForm.blockHeaderBytes...)) else {
      throw Failure(stage, PackedFormError.damaged(rows: rows))
    }
    rows += UInt64(block.rows)
  }
}
