// The rows of all shards, in a temporary file: in as many partitions as can have a buffer each, by the low bits of their
// hashes. How many shards there are is known only at the end.
//
// A partition has the rows of whole shards, or with fewer shards than partitions, a shard has whole partitions. Not for:
// the shards' files (ShardGroup).

import BasicContainers
import Records
import StoreWriting
import SystemIO

/// Rows that are being written, in partitions. Each row has a byte in front, the second one of its hash, which chooses a
/// shard of the partition.
struct RowSpill: ~Copyable {
  /// The number of partitions, a power of two: the low 8 bits of a hash.
  static let partitions = 256
  /// The number of bytes of a partition at which they are written to the file. All partitions of both databases have 8 MiB
  /// of such buffers.
  static let blockBytes = 16 << 10

  private var pending = UniqueArray<UniqueArray<UInt8>>(minimumCapacity: Self.partitions)
  private var blocks: [[SpilledRows.Block]] = Array(repeating: [], count: Self.partitions)
  private var file: TemporaryFile
  /// The number of rows.
  private var rows: UInt64 = 0

  /// Makes the file.
  init(_ context: StageContext) throws(Failure) {
    file = try asFailure(context.stage) { () throws(SystemError) in
      try TemporaryFile(in: TemporaryFile.defaultDirectory, calls: context.calls)
    }
    for _ in 0..<Self.partitions { pending.append(UniqueArray(minimumCapacity: 0)) }
  }

  /// Adds a row.
  mutating func add(_ keyword: Keyword, hash: UInt64, valueField: Span<UInt8>) throws(Failure) {
    let partition = Int(hash % UInt64(Self.partitions))
    pending[partition].append(UInt8(truncatingIfNeeded: hash >> 8))
    KeywordRow.append(keyword, valueField: valueField, to: &pending[partition])
    rows += 1
    if pending[partition].count >= Self.blockBytes { try drain(partition) }
  }

  private mutating func drain(_ partition: Int) throws(Failure) {
    var bytes = UniqueArray<UInt8>(minimumCapacity: 0)
    swap(&bytes, &pending[partition])
    let block = SpilledRows.Block(offset: file.size, count: bytes.count)
    do throws(SystemError) {
      try file.append(bytes.span)
    } catch {
      throw Failure(.emit, error)
    }
    blocks[partition].append(block)
    // Long labels must not make all buffers long.
    guard block.count < 2 * Self.blockBytes else { return }
    bytes.removeAll(keepingCapacity: true)
    swap(&bytes, &pending[partition])
  }

  /// Writes what is left, and returns the rows.
  consuming func sealed() throws(Failure) -> SpilledRows {
    for partition in 0..<Self.partitions where !pending[partition].isEmpty { try drain(partition) }
    return SpilledRows(file, blocks, rows)
  }
}

/// Rows that were written. Several threads may read them.
final class SpilledRows: Sendable {
  /// A block of whole rows in the file.
  struct Block: Sendable {
    var offset: Int64
    var count: Int
  }

  fileprivate let file: TemporaryFile
  /// The blocks of each partition, in the order in which their rows were added.
  fileprivate let blocks: [[Block]]
  /// The number of rows.
  let count: UInt64

  fileprivate init(_ file: consuming TemporaryFile, _ blocks: [[Block]], _ count: UInt64) {
    self.file = file
    self.blocks = blocks
    self.count = count
  }
}

/// Reads the rows of a partition, in the order in which they were added.
struct PartitionReader: ~Copyable {
  private let rows: SpilledRows
  private let partition: Int
  private var next = 0
  private var chunk = ByteChunk(capacity: 0)
  private var end = 0
  /// The second byte of the row's hash.
  private(set) var selector: UInt8 = 0
  /// The row in ``span``.
  private(set) var row = 0..<0
  /// The row's keyword in ``span``.
  private var keyword = 0..<0
  /// The length of the row's value.
  private(set) var valueBytes = 0

  init(_ rows: SpilledRows, _ partition: Int) {
    self.rows = rows
    self.partition = partition
  }

  /// The bytes of the block that contains the row.
  var span: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { chunk.span }
  }

  /// The number of the row.
  var number: UInt64 { Keyword.number(chunk.span.extracting(keyword)) ?? 0 }

  /// Advances to the next row; false at the end.
  mutating func advance() throws(Failure) -> Bool {
    if end == chunk.count {
      guard next < rows.blocks[partition].count else { return false }
      try read(rows.blocks[partition][next])
      next += 1
    }
    let (first, start) = (chunk.span[end], end + 1)
    selector = first
    do throws(KeywordRowError) {
      guard let found = try KeywordRow.read(chunk.span, from: start) else { throw .invalid }
      row = start..<found.end
      keyword = found.keyword
      valueBytes = found.value.count
      end = found.end
    } catch {
      preconditionFailure("the temporary file has other bytes than those that were written")
    }
    return true
  }

  private mutating func read(_ block: SpilledRows.Block) throws(Failure) {
    if chunk.count + chunk.freeCapacity < block.count {
      chunk = ByteChunk(capacity: max(block.count, 2 * RowSpill.blockBytes))
    }
    chunk.removeAll()
    end = 0
    while chunk.count < block.count {
      do throws(SystemError) {
        let count = try rows.file.read(
          into: &chunk, at: block.offset + Int64(chunk.count), limit: block.count - chunk.count)
        // The file has no name, so nothing else can shorten it.
        precondition(count > 0, "the temporary file is shorter than what was written")
      } catch {
        throw Failure(.emit, error)
      }
    }
  }
}
