// The rows of records: an identity for a number with a label, and a mark for one that is blocked.

import BasicContainers
import Records
import StoreWriting
import SystemIO

struct CallerRows: ~Copyable {
  private let answers: CallerAnswers
  private let ranges: EntryRanges
  private let blockedField = KeywordRow.field(value: [BlockValue.blocked])
  private var identities: RowSpill
  private var blocks: RowSpill
  /// Whether the test identity must still be added, before the first number that comes after it.
  private var needsTest: Bool
  /// Whether the test identity has replaced a record.
  private var replacesRecord = false

  init(_ options: EmitOptions, _ context: StageContext) throws(Failure) {
    // Everything that can fail happens before the first property is set; see OutputFile.
    let first = try RowSpill(context)
    let second = try RowSpill(context)
    identities = first
    blocks = second
    answers = CallerAnswers(options)
    ranges = EntryRanges(.numbers, options)
    needsTest = options.lookup.hasTestIdentity
  }

  private struct BatchAnswers {
    /// For each record fields: where the identity is in `identities`, and whether the number is blocked.
    var answers: [(identity: Range<Int>, isBlocked: Bool)] = []
    /// The fields with the identities, one after another.
    var identities: [UInt8] = []
  }

  mutating func write(_ batch: borrowing RecordBatch) throws(Failure) {
    var known = BatchAnswers()
    for index in 0..<batch.fieldsTable.count {
      let answer = answers.answer(RecordFields.fields(batch.fieldsTable[index]))
      let start = known.identities.count
      known.identities += answer.identity ?? []
      known.answers.append((start..<known.identities.count, answer.isBlocked))
    }
    for index in 0..<batch.count {
      let fields = Int(batch.fieldsIndices[index])
      let (first, last) = (batch.firsts[index], batch.lasts[index])
      if first == last {
        try add(first, known, fields)
      } else {
        try ranges.forEach(in: first...last) { (block) throws(Failure) in
          try add(block.prefix, known, fields)
        }
      }
    }
  }

  private mutating func add(
    _ number: UInt64, _ known: BatchAnswers, _ fields: Int
  ) throws(Failure) {
    if needsTest, number >= CallIdentity.test.number {
      try addTest()
      if number == CallIdentity.test.number {
        replacesRecord = true
        return
      }
    }
    let (identity, isBlocked) = known.answers[fields]
    let keyword = Keyword(number)
    let hash = keyword.hash
    if !identity.isEmpty {
      let valueField = known.identities.span.extracting(identity)
      try identities.add(keyword, hash: hash, valueField: valueField)
    }
    if isBlocked {
      let valueField = blockedField
      try blocks.add(keyword, hash: hash, valueField: valueField.span)
    }
  }

  private mutating func addTest() throws(Failure) {
    needsTest = false
    let (number, identity) = CallIdentity.test
    let keyword = Keyword(number)
    let field = KeywordRow.field(value: identity.value)
    try identities.add(keyword, hash: keyword.hash, valueField: field.span)
  }

  consuming func sealed() throws(Failure) -> SealedRows {
    if needsTest { try addTest() }
    return SealedRows(
      identities: try identities.sealed(), blocks: try blocks.sealed(), replacesRecord: replacesRecord)
  }
}

struct SealedRows {
  let identities: SpilledRows
  let blocks: SpilledRows
  /// Whether the test identity has replaced a record.
  let replacesRecord: Bool
}

// What a service answers for the fields of a record: the identity that phones show, and whether they block
// the call.

final class CallerAnswers {
  /// What the rows of some record fields have in common.
  struct Answer {
    /// The field with the identity; nil for a number without a label.
    var identity: [UInt8]?
    var isBlocked: Bool
  }

  /// The maximum number of labels whose answers are kept.
  private static let knownMax = 4096

  private let blockGlobs: [LabelGlob]
  private let categories: [(glob: LabelGlob, category: CallIdentity.Category)]
  private let cacheMinutes: UInt32
  private var known: [String: Answer] = [:]

  init(_ options: EmitOptions) {
    blockGlobs = options.blockGlobs.map(LabelGlob.init)
    categories = options.lookup.categories.map {
      (LabelGlob($0.glob), $0.category == .person ? .person : .business)
    }
    cacheMinutes = options.lookup.cacheMinutes
  }

  /// The answer for the fields of a record. As in stores, a number without a label is only blocked.
  func answer(_ fields: RecordFields.Fields) -> Answer {
    let label = fields.label
    if label.isEmpty { return Answer(identity: nil, isBlocked: true) }
    if let answer = known[label] { return answer }
    let category = categories.first { $0.glob.matches(label) }?.category ?? .unspecified
    let identity = CallIdentity(name: label, cacheMinutes: cacheMinutes, category: category)
    let answer = Answer(
      identity: KeywordRow.field(value: identity.value), isBlocked: blockGlobs.contains { $0.matches(label) })
    if known.count < Self.knownMax { known[label] = answer }
    return answer
  }
}

// The rows of all shards, in a temporary file: in as many partitions as can have a buffer each, by the low
// bits of their hashes. How many shards there are is known only at the end.
//
// A partition has the rows of whole shards, or with fewer shards than partitions, a shard has whole
// partitions.

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
  private var rows: UInt64 = 0

  init(_ context: StageContext) throws(Failure) {
    file = try asFailure(context.stage) { () throws(SystemError) in
      try TemporaryFile(in: TemporaryFile.defaultDirectory, calls: context.calls)
    }
    for _ in 0..<Self.partitions { pending.append(UniqueArray(minimumCapacity: 0)) }
  }

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
    try asFailure(.emit) { () throws(SystemError) in try file.append(bytes.span) }
    blocks[partition].append(block)
    // Long labels must not make all buffers long.
    guard block.count < 2 * Self.blockBytes else { return }
    bytes.removeAll(keepingCapacity: true)
    swap(&bytes, &pending[partition])
  }

  consuming func sealed() throws(Failure) -> SpilledRows {
    for partition in 0..<Self.partitions where !pending[partition].isEmpty { try drain(partition) }
    return SpilledRows(file, blocks, rows)
  }
}

/// Rows that were written. Several threads may read them.
final class SpilledRows: Sendable {
  struct Block: Sendable {
    var offset: Int64
    var count: Int
  }

  fileprivate let file: TemporaryFile
  /// The blocks of each partition, in the order in which their rows were added.
  fileprivate let blocks: [[Block]]
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
  private(set) var row = 0..<0
  /// The row's keyword in ``span``.
  private var keyword = 0..<0
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
      let offset = block.offset + Int64(chunk.count)
      let count = try asFailure(.emit) { () throws(SystemError) in
        try rows.file.read(into: &chunk, at: offset, limit: block.count - chunk.count)
      }
      // The file has no name, so nothing else can shorten it.
      precondition(count > 0, "the temporary file is shorter than what was written")
    }
  }
}
