// Turns ascending records into the bytes of a store, front to back, in bounded memory.
//
// Not for: files. Bytes are handed to whoever drains them, so a store goes to a file, a pipe or a test alike.

public import CallStoreFormat
import Crypto

/// Why a record can't be part of a store.
public enum StoreEncodingError: Error, Equatable, Sendable {
  /// A number outside ``StoreLimits/numberMin`` to ``StoreLimits/numberMax``, or a range whose last number is
  /// below its first.
  case numberOutOfRange(first: UInt64, last: UInt64)
  /// A record starts at or before the last number of the one before it, of whichever kind.
  case notAscending(previous: UInt64, first: UInt64)
  /// A label is longer than ``StoreLimits/labelBytesMax``.
  case labelTooLong(bytes: Int, limit: Int)
  /// The store would need more than ``StoreLimits/blocksMax`` blocks.
  case tooManyBlocks(limit: Int)
}

/// What was written.
public struct StoreSummary: Equatable, Sendable {
  /// The records of the kind blocking; a range is one.
  public var blockingRecords: UInt64 = 0
  /// The records of the kind identification.
  public var identificationRecords: UInt64 = 0
  /// The single numbers of the kind blocking.
  public var blockingEntries: UInt64 = 0
  /// The single numbers of the kind identification.
  public var identificationEntries: UInt64 = 0
  /// The smallest number; nil when there is none.
  public var first: UInt64?
  /// The largest number; nil when there is none.
  public var last: UInt64?
  /// The labels in the store's table; those in blocks are not counted.
  public var tableLabels = 0
  /// The size of the store in bytes.
  public var byteCount: UInt64 = 0
  /// The store's identity, 32 bytes of SHA-256.
  public var contentHash: [UInt8] = []
  /// The SHA-256 of the whole file, 32 bytes: what `sha256sum` says.
  public var fileHash: [UInt8] = []

  /// The records of both kinds.
  public var records: UInt64 { blockingRecords + identificationRecords }
  /// The single numbers of both kinds, as iOS counts them.
  public var entries: UInt64 { blockingEntries + identificationEntries }
}

/// Makes a store of records that come in ascending order, both kinds in one stream. The same records give the
/// same bytes.
///
///     var encoder = StoreEncoder()
///     for … {
///       try encoder.append(first: 86755…, last: 86755…, kind: .identification, label: label.span)
///       if encoder.isDrainDue { try encoder.drain { bytes throws(SystemFailure) in try file.write(bytes) } }
///     }
///     let summary = try encoder.finish()
///     try encoder.drain { … }
///
/// Drained as above it takes at most 4 MiB, whatever the records; usually some hundred KiB.
public struct StoreEncoder: ~Copyable {
  /// So many bytes are worth a write.
  private static let drainBytes = 64 * 1024

  private var blocking = BlockBuilder(.blocking)
  private var identification = BlockBuilder(.identification)
  private var table = LabelIndex(countMax: StoreLimits.tableLabelsMax, bytesMax: StoreLimits.tableBytesMax)
  private var sequences = SequenceWriter()
  private var codes = SharedCodes()
  private var blockingIndex: ContiguousArray<UInt8> = []
  private var identificationIndex: ContiguousArray<UInt8> = []
  private var pending: ContiguousArray<UInt8> = []
  private var hash = SHA256()
  private var offset: UInt64 = 0
  private var previous: UInt64 = 0
  private var summary = StoreSummary()
  private var isFinished = false
  /// How many blocks were closed: with its block a label loses its name, unless that stands in the table.
  private var epoch: UInt64 = 0

  /// Makes an encoder; the head of the store is the first thing to drain.
  public init() {
    pending.append(littleEndian: HeadLayout.magic)
    pending.append(littleEndian: HeadLayout.version)
    pending.append(littleEndian: HeadLayout.minorVersion)
    while pending.count < HeadLayout.bytes { pending.append(0) }
    account(from: 0)
  }

  /// Whether enough bytes wait to be worth a write.
  public var isDrainDue: Bool { pending.count >= Self.drainBytes }

  /// Hands over the bytes that wait. After a throw they still wait.
  public mutating func drain<Failure: Error>(
    _ write: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    guard !pending.isEmpty else { return }
    try write(pending.span)
    pending.removeAll(keepingCapacity: true)
  }

  /// Appends a record.
  ///
  /// A record that throws is not part of the store, and the next may be tried.
  ///
  /// - Parameter label: the label's bytes, not escaped; empty for a number that is only blocked.
  /// - Precondition: `finish` was not called.
  /// - Complexity: O(bytes of the label) on average.
  public mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>
  ) throws(StoreEncodingError) {
    precondition(!isFinished, "a finished store takes no records")
    guard first >= StoreLimits.numberMin, first <= last, last <= StoreLimits.numberMax else {
      throw .numberOutOfRange(first: first, last: last)
    }
    guard first > previous else { throw .notAscending(previous: previous, first: first) }
    guard label.count <= StoreLimits.labelBytesMax else {
      throw .labelTooLong(bytes: label.count, limit: StoreLimits.labelBytesMax)
    }
    if kind == .blocking {
      if blocking.isFull { try closeBlocking() }
      var identity = blocking.identity(of: label, &table)
      if identity == nil {
        try closeBlocking()
        identity = blocking.identity(of: label, &table)
      }
      // An empty block has room for a label of the longest kind.
      blocking.append(first: first, last: last, identity: identity ?? 0)
    } else {
      if identification.isFull { try closeIdentification() }
      var identity = identification.identity(of: label, &table)
      if identity == nil {
        try closeIdentification()
        identity = identification.identity(of: label, &table)
      }
      identification.append(first: first, last: last, identity: identity ?? 0)
    }
    if summary.first == nil { summary.first = first }
    previous = last
  }

  /// Appends a record whose label stands at `index` in a batch, and notes what the label is called from now on.
  ///
  /// Otherwise as ``append(first:last:kind:label:)``.
  public mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, at index: Int, _ names: inout StoreNames
  ) throws(StoreEncodingError) {
    try append(first: first, last: last, kind: kind, label: label)
    let latest = kind == .blocking ? blocking.latestIdentity : identification.latestIdentity
    names.follow(epoch)
    names.set(index, kind, identity: latest ?? 0)
  }

  /// Appends single numbers whose labels have names, as many as go without closing a block, and returns how many
  /// that were. `labels` has the place of each number's label in its batch.
  ///
  /// It stops before the first record that ``append(first:last:kind:label:at:_:)`` must take, be it to name a label,
  /// to close a block, or to say what is wrong.
  ///
  /// - Precondition: `finish` was not called, and `labels` is as long as `numbers`.
  /// - Complexity: O(numbers taken); some ten instructions each.
  public mutating func append(numbers: Span<UInt64>, labels: Span<UInt32>, _ names: inout StoreNames) -> Int {
    precondition(!isFinished, "a finished store takes no records")
    precondition(numbers.count == labels.count, "every number has a label")
    names.follow(epoch)
    var taken = 0
    while taken < numbers.count {
      let rest = numbers.extracting(taken..<numbers.count)
      let restLabels = labels.extracting(taken..<labels.count)
      let isBlocking = names.kind(at: Int(restLabels[0])) == .blocking
      let count =
        isBlocking
        ? blocking.append(rest, labels: restLabels, names.all, after: previous)
        : identification.append(rest, labels: restLabels, names.all, after: previous)
      if count == 0 { break }
      if summary.first == nil { summary.first = rest[0] }
      previous = rest[count - 1]
      taken += count
    }
    return taken
  }

  /// Appends single numbers of which some labels may have no names yet, and returns how many that were.
  ///
  /// It stops where ``append(first:last:kind:label:at:_:)`` must go on, and where
  /// ``append(numbers:labels:_:)`` can.
  ///
  /// - Precondition: `finish` was not called, and `labels` is as long as `numbers`.
  /// - Complexity: O(numbers taken and bytes of new labels).
  public mutating func append(
    numbers: Span<UInt64>, labels: Span<UInt32>, in texts: borrowing LabelTexts, _ names: inout StoreNames
  ) -> Int {
    precondition(!isFinished, "a finished store takes no records")
    precondition(numbers.count == labels.count, "every number has a label")
    guard numbers.count > 0 else { return 0 }
    names.follow(epoch)
    let isBlocking = texts.places[Int(labels[0])].kind == .blocking
    let taken =
      isBlocking
      ? blocking.append(numbers, labels: labels, in: texts, &names, &table, after: previous)
      : identification.append(numbers, labels: labels, in: texts, &names, &table, after: previous)
    if taken > 0 {
      if summary.first == nil { summary.first = numbers[0] }
      previous = numbers[taken - 1]
    }
    return taken
  }

  /// Ends the store and says what it holds. What waits must still be drained.
  ///
  /// - Precondition: it is called once.
  public mutating func finish() throws(StoreEncodingError) -> StoreSummary {
    precondition(!isFinished, "a store is finished once")
    if blocking.count > 0 { try closeBlocking() }
    if identification.count > 0 { try closeIdentification() }
    isFinished = true
    summary.last = summary.first == nil ? nil : previous
    summary.tableLabels = table.count
    let labelsOffset = offset
    var start = pending.count
    table.write(to: &pending)
    let labelsCRC = CRC32C.checksum(pending.span.extracting(start...))
    account(from: start)
    let codesOffset = offset
    start = pending.count
    pending.append(contentsOf: codes.bytes)
    let codesCRC = CRC32C.checksum(pending.span.extracting(start...))
    account(from: start)
    let indexOffset = offset
    start = pending.count
    pending.append(contentsOf: blockingIndex)
    pending.append(contentsOf: identificationIndex)
    let indexCRC = CRC32C.checksum(pending.span.extracting(start...))
    account(from: start)
    appendTrailer([labelsOffset, codesOffset, indexOffset, offset], [labelsCRC, codesCRC, indexCRC])
    return summary
  }

  /// Appends the trailer. `offsets` are where the label table, the codes and the index start, and where extensions would.
  private mutating func appendTrailer(_ offsets: [UInt64], _ checksums: [UInt32]) {
    let start = pending.count
    for (offset, end) in zip(offsets, offsets.dropFirst() + [offset]) {
      pending.append(littleEndian: offset)
      pending.append(littleEndian: end - offset)
    }
    let numbers: [UInt64] = [
      summary.first ?? 0, summary.last ?? 0, summary.blockingEntries, summary.identificationEntries,
      summary.blockingRecords, summary.identificationRecords,
    ]
    for number in numbers { pending.append(littleEndian: number) }
    pending.append(littleEndian: UInt32(blockingIndex.count / IndexLayout.bytes))
    pending.append(littleEndian: UInt32(identificationIndex.count / IndexLayout.bytes))
    pending.append(littleEndian: UInt32(table.count))
    pending.append(littleEndian: UInt32(codes.count))
    // There are no extensions; the checksum of no bytes is 0.
    for checksum in checksums + [0] { pending.append(littleEndian: checksum) }
    for _ in 0..<TrailerLayout.reservedBytes { pending.append(0) }
    account(from: start)
    summary.contentHash = Array(hash.finalize())
    pending.append(contentsOf: summary.contentHash)
    let crc = CRC32C.checksum(pending.span.extracting(start...))
    pending.append(littleEndian: crc)
    pending.append(littleEndian: HeadLayout.version)
    pending.append(littleEndian: UInt16(TrailerLayout.bytes))
    pending.append(littleEndian: TrailerLayout.magic)
    summary.fileHash = hash(through: start + TrailerLayout.contentHash)
    summary.byteCount = offset + UInt64(TrailerLayout.bytes - TrailerLayout.contentHash)
  }

  /// Counts and hashes what was appended to `pending` from `start` on.
  private mutating func account(from start: Int) {
    offset += UInt64(pending.count - start)
    unsafe pending.withUnsafeBytes {
      unsafe hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
  }

  /// The hash of all that was accounted for and of the rest of `pending` from `start` on.
  private func hash(through start: Int) -> [UInt8] {
    var hash = hash
    unsafe pending.withUnsafeBytes {
      unsafe hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: $0[start...]))
    }
    return Array(hash.finalize())
  }

  private mutating func closeBlocking() throws(StoreEncodingError) {
    try Self.checkRoom(blockingIndex, identificationIndex)
    summary.blockingRecords += UInt64(blocking.count)
    summary.blockingEntries += blocking.entries
    let start = pending.count
    Self.close(&blocking, &blockingIndex, &pending, &sequences, &codes, offset)
    epoch += 1
    account(from: start)
  }

  private mutating func closeIdentification() throws(StoreEncodingError) {
    try Self.checkRoom(blockingIndex, identificationIndex)
    summary.identificationRecords += UInt64(identification.count)
    summary.identificationEntries += identification.entries
    let start = pending.count
    Self.close(&identification, &identificationIndex, &pending, &sequences, &codes, offset)
    epoch += 1
    account(from: start)
  }

  private static func checkRoom(
    _ one: ContiguousArray<UInt8>, _ other: ContiguousArray<UInt8>
  ) throws(StoreEncodingError) {
    guard (one.count + other.count) / IndexLayout.bytes < StoreLimits.blocksMax else {
      throw .tooManyBlocks(limit: StoreLimits.blocksMax)
    }
  }

  private static func close(
    _ block: inout BlockBuilder, _ index: inout ContiguousArray<UInt8>, _ bytes: inout ContiguousArray<UInt8>,
    _ sequences: inout SequenceWriter, _ codes: inout SharedCodes, _ offset: UInt64
  ) {
    let start = bytes.count
    let length = block.write(to: &bytes, &sequences, &codes)
    index.append(littleEndian: offset)
    index.append(littleEndian: block.first)
    index.append(littleEndian: block.last)
    index.append(littleEndian: block.entries)
    index.append(littleEndian: UInt32(length))
    index.append(littleEndian: UInt32(block.count))
    index.append(littleEndian: CRC32C.checksum(bytes.span.extracting(start...)))
    index.append(littleEndian: UInt32(block.kind.rawValue))
    block.removeAll()
  }
}
