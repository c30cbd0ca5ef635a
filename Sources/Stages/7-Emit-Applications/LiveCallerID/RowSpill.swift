// The rows of all shards, in a temporary file: as many partitions as fit into memory as buffers, by the low bits of the
// hash. How many shards there are is known only at the end.
//
// A partition has the rows of whole shards, or with fewer shards than partitions, a shard has whole partitions. Not for:
// the shards' files (ShardGroup).

import CallRecord
import ContentHash
import EmitStage
import KeywordDatabase
import PipeStage
import SystemIO

/// Rows in partitions. Each row begins with the second byte of its hash, which chooses a shard of the partition.
final class RowSpill {
  /// The number of partitions, a power of two: the low 8 bits of a hash.
  static let partitions = 256
  /// The number of bytes of a partition at which they are written to the file. All partitions of both databases have
  /// 8 MiB of such buffers.
  static let blockBytes = 16 << 10

  /// A block of whole rows in the file.
  struct Block {
    var offset: Int64
    var count: Int
  }

  private var pending: [[UInt8]]
  private(set) var blocks: [[Block]]
  private(set) var file: TemporaryFile
  /// The number of rows.
  private(set) var rows: UInt64 = 0

  /// Makes the file.
  init(_ context: StageContext) throws(StageError) {
    file = try asStageError(context.stage) { () throws(SystemError) in
      try TemporaryFile(in: TemporaryFile.defaultDirectory, calls: context.calls)
    }
    pending = Array(repeating: [], count: Self.partitions)
    blocks = Array(repeating: [], count: Self.partitions)
  }

  /// Adds a row.
  func add(_ keyword: Keyword, hash: UInt64, valueField: [UInt8]) throws(StageError) {
    let partition = Int(hash % UInt64(Self.partitions))
    pending[partition].append(UInt8(truncatingIfNeeded: hash >> 8))
    KeywordRow.append(keyword.bytes, valueField: valueField, to: &pending[partition])
    rows += 1
    if pending[partition].count >= Self.blockBytes { try drain(partition) }
  }

  private func drain(_ partition: Int) throws(StageError) {
    var bytes: [UInt8] = []
    swap(&bytes, &pending[partition])
    let block = Block(offset: file.size, count: bytes.count)
    do throws(SystemError) {
      try file.append(bytes.span)
    } catch {
      throw StageError(.emit, error)
    }
    blocks[partition].append(block)
    // A long label must not leave a long buffer behind.
    bytes.removeAll(keepingCapacity: block.count < 2 * Self.blockBytes)
    swap(&bytes, &pending[partition])
  }

  /// Writes what is left. No rows may be added afterwards.
  func seal() throws(StageError) {
    for partition in 0..<Self.partitions where !pending[partition].isEmpty { try drain(partition) }
    pending = []
  }
}

/// Reads the rows of a partition, in the order in which they were added.
struct PartitionReader: ~Copyable {
  private let spill: RowSpill
  private let partition: Int
  private var next = 0
  private var chunk = ByteChunk(capacity: 0)
  private var at = 0
  /// The second byte of the row's hash.
  private(set) var selector: UInt8 = 0
  /// The row in the bytes of ``span``.
  private(set) var row = 0..<0
  /// The length of the row's value.
  private(set) var valueBytes = 0
  /// The number of the row; `.max` at the end.
  private(set) var number = UInt64.max

  init(_ spill: RowSpill, _ partition: Int) {
    self.spill = spill
    self.partition = partition
  }

  /// The bytes of the block that contains the row.
  var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { chunk.span }
  }

  /// Advances to the next row.
  mutating func advance() throws(StageError) {
    if at == chunk.count {
      guard next < spill.blocks[partition].count else {
        number = .max
        return
      }
      try read(spill.blocks[partition][next])
      next += 1
    }
    let first = chunk.span[at]
    selector = first
    let start = at + 1
    do throws(KeywordRowError) {
      guard let found = try KeywordRow.read(chunk.span, from: start),
        let value = Keyword.number(chunk.span.extracting(found.keyword))
      else { throw .invalid }
      row = start..<found.end
      valueBytes = found.value.count
      number = value
      at = found.end
    } catch {
      preconditionFailure("the temporary file has other bytes than those that were written")
    }
  }

  private mutating func read(_ block: RowSpill.Block) throws(StageError) {
    if chunk.count + chunk.freeCapacity < block.count {
      chunk = ByteChunk(capacity: max(block.count, 2 * RowSpill.blockBytes))
    }
    chunk.removeAll()
    at = 0
    while chunk.count < block.count {
      let offset = block.offset + Int64(chunk.count)
      do throws(SystemError) {
        let count = try spill.file.read(into: &chunk, at: offset, limit: block.count - chunk.count)
        // The file has no name, so nothing else can shorten it.
        precondition(count > 0, "the temporary file is shorter than what was written")
      } catch {
        throw StageError(.emit, error)
      }
    }
  }
}
