// Encodes full blocks into the bytes of a store, front to back, in bounded memory.

package import CallStoreFormat
import Hashing

/// The totals of a store that was written.
package struct StoreSummary: Equatable, Sendable {
  /// The number of records of each kind; a range is one record.
  package var recordCounts = KindCounts()
  /// The number of single numbers of each kind; iOS counts them like this.
  package var entryCounts = KindCounts()
  /// The smallest number; nil when the store is empty.
  package var first: UInt64?
  /// The largest number; nil when the store is empty.
  package var last: UInt64?
  /// The number of labels in the store's table. Labels in blocks are not counted.
  package var tableLabels = 0
  package var byteCount: UInt64 = 0
  /// The store's identity, 32 bytes of SHA-256.
  package var contentHash: [UInt8] = []
  /// The SHA-256 of the whole file, 32 bytes, as printed by `sha256sum`.
  package var fileHash: [UInt8] = []

  package var records: UInt64 { recordCounts.sum }
  /// The number of single numbers of both kinds.
  package var entries: UInt64 { entryCounts.sum }
}

/// The bytes of a store that is being written.
package struct StoreBody: ~Copyable {
  /// The number of pending bytes from which on a write is worthwhile.
  private static let drainBytes = 64 * 1024

  private var sequences = SequenceWriter()
  private var codes = SharedCodes()
  private var blockingIndex: ContiguousArray<UInt8> = []
  private var identificationIndex: ContiguousArray<UInt8> = []
  private var pending: ContiguousArray<UInt8> = []
  private var hash = SHA256Hasher()
  private var offset: UInt64 = 0
  private var summary = StoreSummary()

  /// Starts a store. The first bytes to drain are its head.
  package init() {
    pending.append(littleEndian: HeadLayout.magic)
    pending.append(littleEndian: HeadLayout.version)
    pending.append(littleEndian: HeadLayout.minorVersion)
    while pending.count < HeadLayout.bytes { pending.append(0) }
    account(from: 0)
  }

  /// Whether there are enough pending bytes for a write.
  package var isDrainDue: Bool { pending.count >= Self.drainBytes }

  /// Passes the pending bytes to `write`, if there are any. If it throws, they stay pending.
  package mutating func drain<Failure: Error>(
    _ write: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    guard !pending.isEmpty else { return }
    try write(pending.span)
    pending.removeAll(keepingCapacity: true)
  }

  /// Appends a block that has records, and empties it.
  package mutating func append(_ block: inout BlockBuilder) {
    let start = pending.count
    if block.kind == .blocking {
      summary.recordCounts.blocking += UInt64(block.count)
      summary.entryCounts.blocking += block.entries
      Self.append(&block, &blockingIndex, &pending, &sequences, &codes, offset)
    } else {
      summary.recordCounts.identification += UInt64(block.count)
      summary.entryCounts.identification += block.entries
      Self.append(&block, &identificationIndex, &pending, &sequences, &codes, offset)
    }
    account(from: start)
  }

  /// Ends the store and returns its totals. The pending bytes must still be drained.
  ///
  /// `first` is the store's first number, nil when the store is empty, and `last` its last number.
  mutating func finish(_ table: borrowing LabelIndex, first: UInt64?, last: UInt64) -> StoreSummary {
    summary.first = first
    summary.last = first == nil ? nil : last
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

  /// Appends the trailer. `offsets` are the starts of the label table, the codes, the index and the extensions.
  private mutating func appendTrailer(_ offsets: [UInt64], _ checksums: [UInt32]) {
    let start = pending.count
    for (offset, end) in zip(offsets, offsets.dropFirst() + [offset]) {
      pending.append(littleEndian: offset)
      pending.append(littleEndian: end - offset)
    }
    let numbers: [UInt64] = [
      summary.first ?? 0, summary.last ?? 0, summary.entryCounts.blocking,
      summary.entryCounts.identification, summary.recordCounts.blocking, summary.recordCounts.identification,
    ]
    for number in numbers { pending.append(littleEndian: number) }
    pending.append(littleEndian: UInt32(blockingIndex.count / IndexLayout.bytes))
    pending.append(littleEndian: UInt32(identificationIndex.count / IndexLayout.bytes))
    pending.append(littleEndian: UInt32(summary.tableLabels))
    pending.append(littleEndian: UInt32(codes.count))
    // There are no extensions. The checksum of no bytes is 0.
    for checksum in checksums + [0] { pending.append(littleEndian: checksum) }
    for _ in 0..<TrailerLayout.reservedBytes { pending.append(0) }
    account(from: start)
    summary.contentHash = hash.digest
    pending.append(contentsOf: summary.contentHash)
    let crc = CRC32C.checksum(pending.span.extracting(start...))
    pending.append(littleEndian: crc)
    pending.append(littleEndian: HeadLayout.version)
    pending.append(littleEndian: UInt16(TrailerLayout.bytes))
    pending.append(littleEndian: TrailerLayout.magic)
    summary.fileHash = hash(through: start + TrailerLayout.contentHash)
    summary.byteCount = offset + UInt64(TrailerLayout.bytes - TrailerLayout.contentHash)
  }

  /// Counts and hashes the pending bytes from `start` on.
  private mutating func account(from start: Int) {
    offset += UInt64(pending.count - start)
    Self.add(pending, from: start, to: &hash)
  }

  private static func add(_ bytes: ContiguousArray<UInt8>, from start: Int, to hash: inout SHA256Hasher) {
    hash.update(bytes.span.extracting(start...))
  }

  /// The hash of all bytes that were accounted for, followed by the pending bytes from `start` on.
  private func hash(through start: Int) -> [UInt8] {
    var hash = hash
    Self.add(pending, from: start, to: &hash)
    return hash.digest
  }

  /// Appends a block to `bytes` and its entry to `index`, and empties it.
  private static func append(
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

// Turns ascending records into the bytes of a store, front to back, in bounded memory and in one thread.

/// Encodes a store from records in ascending order, both kinds in one stream. The same records result in the same
/// bytes.
///
///     var encoder = StoreEncoder()
///     for … {
///       try encoder.append(first: 86755…, last: 86755…, kind: .identification, label: label.span)
///       if encoder.isDrainDue { try encoder.drain { bytes throws(SystemError) in try file.write(bytes) } }
///     }
///     let summary = encoder.finish()
///     try encoder.drain { … }
///
/// Drained like this, it uses at most 4 MiB for any records, and usually a few hundred KiB.
package struct StoreEncoder: ~Copyable {
  private var filler = BlockFiller()
  private var body = StoreBody()
  private var isFinished = false

  /// Makes an encoder. The first bytes to drain are the head of the store.
  package init() {}

  /// Whether there are enough pending bytes for a write.
  package var isDrainDue: Bool { body.isDrainDue }

  /// Passes the pending bytes to `write`, if there are any. If it throws, they stay pending.
  package mutating func drain<Failure: Error>(
    _ write: (Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    try body.drain(write)
  }

  /// Appends a record.
  ///
  /// If it throws, the record is not part of the store, and other records may follow.
  ///
  /// - Parameter label: the bytes of the label, not escaped; empty for a number that is only blocked.
  /// - Precondition: `finish` was not called.
  package mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>
  ) throws(StoreEncodingError) {
    precondition(!isFinished, "a finished store accepts no records")
    while !(try filler.append(first: first, last: last, kind: kind, label: label)) {
      filler.endBlock(kind, in: &body)
    }
  }

  /// Ends the store and returns its totals. The pending bytes must still be drained.
  ///
  /// - Precondition: it is called once.
  package mutating func finish() -> StoreSummary {
    precondition(!isFinished, "a store is finished once")
    isFinished = true
    for kind in StoreKind.allCases { filler.endBlock(kind, in: &body) }
    return filler.finish(&body)
  }
}

extension BlockFiller {
  /// Ends the block of a kind, if it has records, and encodes it into `body`.
  fileprivate mutating func endBlock(_ kind: StoreKind, in body: inout StoreBody) {
    endBlock(kind) { block in body.append(&block) }
  }
}
