// Writes the deltas that lead from one store to another.
//
// Both stores are walked together: once for the removals, once for the additions, and, for every step except
// the last, once more for the content hash of the step's result. Only one batch of each is held in memory.

package import CallDeltaReader
import CallStoreFormat
package import CallStoreReader
import Hashing
package import Records
package import SystemIO
import SystemPackage

/// The content of a delta file.
package struct DeltaSummary: Equatable, Sendable {
  package var header: DeltaHeader
  package var removals: StoreSummary
  package var additions: StoreSummary
  package var byteCount: UInt64
  /// The SHA-256 of the file, 32 bytes.
  package var fileHash: [UInt8]
}

/// Writes the steps of a plan, one after another.
package struct DeltaMaker {
  private let plan: DeltaPlan
  private let oldPath: String
  private let newPath: String
  private var written = 0
  /// The content hash of the store that the next step changes.
  private var baselineHash: [UInt8]

  /// Plans the steps from `old` to `new`, of at most `entriesMax` added single numbers each. The paths are for
  /// messages.
  package init(
    from old: borrowing CallStore, at oldPath: String, to new: borrowing CallStore, at newPath: String,
    entriesMax: UInt64
  ) throws(Failure) {
    plan = try DeltaPlan(from: old, at: oldPath, to: new, at: newPath, entriesMax: entriesMax)
    self.oldPath = oldPath
    self.newPath = newPath
    baselineHash = old.contentHash
  }

  package var steps: Int { plan.steps }

  /// Writes the next step to an empty file.
  ///
  /// - Precondition: fewer than ``steps`` steps were written, and the stores are those the steps were planned from.
  /// - Complexity: O(records of both stores).
  package mutating func writeNext(
    from old: borrowing CallStore, to new: borrowing CallStore, into file: inout OutputFile
  ) throws(Failure) -> DeltaSummary {
    precondition(written < plan.steps, "all steps are written")
    let numbers = plan.numbers(ofStep: written)
    try asFailure(nil) { () throws(SystemError) in
      try file.write([UInt8](repeating: 0, count: DeltaLayout.bytes).span)
    }
    let removals = try write(.removal, old, new, numbers, into: &file)
    let additions = try write(.addition, old, new, numbers, into: &file)
    let isLast = written + 1 == plan.steps
    let result: [UInt8]
    if isLast { result = new.contentHash } else { result = try resultHash(old, new, numbers.upperBound) }
    let header = DeltaHeader(
      baselineHash: baselineHash, resultHash: result, step: written + 1, steps: plan.steps,
      removalsLength: Int(removals.byteCount),
      additionsLength: Int(additions.byteCount))
    let bytes = header.bytes
    try asFailure(nil) { () throws(SystemError) in try file.write(bytes.span, at: 0) }
    baselineHash = header.resultHash
    written += 1
    return DeltaSummary(
      header: header, removals: removals, additions: additions,
      byteCount: UInt64(DeltaLayout.bytes) + removals.byteCount + additions.byteCount,
      fileHash: try asFailure(nil) { () throws(SystemError) in try Self.hash(of: &file) })
  }

  /// Writes the records of a step that only one of the stores has: those to remove, or those to add.
  private func write(
    _ side: StoreDifference.Finding, _ old: borrowing CallStore, _ new: borrowing CallStore,
    _ numbers: Range<UInt64>,
    into file: inout OutputFile
  ) throws(Failure) -> StoreSummary {
    var encoder = StoreEncoder()
    var walk = StoreDifference(old, at: oldPath, new, at: newPath)
    while let finding = try walk.finding(old, new), walk.firstNumber(of: finding) < numbers.upperBound {
      if finding == side || finding == .change {
        if side == .removal, numbers.contains(walk.old.first) {
          try append(walk.old, from: old, to: &encoder)
        } else if side == .addition, numbers.contains(walk.new.first) {
          try append(walk.new, from: new, to: &encoder)
        }
        if encoder.isDrainDue { try encoder.drain(into: &file) }
      }
      walk.advance(past: finding)
    }
    let summary = encoder.finish()
    try encoder.drain(into: &file)
    return summary
  }

  /// The content hash of the store with the new records below a number and the old ones from there on.
  private func resultHash(
    _ old: borrowing CallStore, _ new: borrowing CallStore, _ cut: UInt64
  ) throws(Failure) -> [UInt8] {
    var encoder = StoreEncoder()
    var walk = RecordWalk(new)
    while try walk.hasRecord(new, at: newPath), walk.first < cut {
      try append(walk, from: new, to: &encoder)
      walk.advance()
      encoder.drain { _ in }
    }
    var rest = RecordWalk(old)
    while try rest.hasRecord(old, at: oldPath) {
      if rest.first >= cut {
        try append(rest, from: old, to: &encoder)
        encoder.drain { _ in }
      }
      rest.advance()
    }
    return encoder.finish().contentHash
  }

  private func append(
    _ walk: borrowing RecordWalk, from store: borrowing CallStore, to encoder: inout StoreEncoder
  ) throws(Failure) {
    do throws(StoreEncodingError) {
      try walk.append(from: store, to: &encoder)
    } catch {
      throw error.failure(nil, row: 0)
    }
  }

  // MARK: Hash

  /// The SHA-256 of a file that is complete: the header is written last, so the bytes are read back.
  private static func hash(of file: inout OutputFile) throws(SystemError) -> [UInt8] {
    var hash = SHA256Hasher()
    var chunk = ByteChunk()
    var offset: Int64 = 0
    while true {
      let count = try file.read(into: &chunk, at: offset)
      if count == 0 { break }
      hash.update(chunk.span)
      offset += Int64(count)
      chunk.removeAll()
    }
    return hash.digest
  }
}

// MARK: - How many steps lead from one store to another, and where each of them starts

/// The steps from one store to another. A step contains the differences in a range of numbers.
///
/// A step starts at the first number of a record to add. This way the result of each step is a valid store: no added
/// record overlaps one that a later step removes.
struct DeltaPlan: Sendable {
  /// The number at which each step after the first starts.
  let cuts: [UInt64]

  /// The number of steps, at least 1.
  package var steps: Int { cuts.count + 1 }

  /// Walks through both stores and plans steps that add at most `entriesMax` single numbers each. A range with more
  /// numbers is a separate step. The paths are for messages.
  ///
  /// - Complexity: O(records of both); ranges are not expanded.
  package init(
    from old: borrowing CallStore, at oldPath: String, to new: borrowing CallStore, at newPath: String,
    entriesMax: UInt64
  ) throws(Failure) {
    var cuts: [UInt64] = []
    var entries: UInt64 = 0
    var walk = StoreDifference(old, at: oldPath, new, at: newPath)
    while let finding = try walk.finding(old, new) {
      if finding == .addition || finding == .change {
        let width = walk.new.last - walk.new.first + 1
        if entries > 0, width > entriesMax - min(entries, entriesMax) {
          cuts.append(walk.new.first)
          entries = 0
        }
        // Numbers have at most 15 digits: the sum stays below 2^51.
        entries += width
      }
      if cuts.count >= DeltaLimits.stepsMax { break }
      walk.advance(past: finding)
    }
    guard cuts.count < DeltaLimits.stepsMax else {
      throw Failure(
        nil, .usage, "too-many-steps",
        "the delta of one shard needs more than \(DeltaLimits.stepsMax) steps of \(Figures.grouped(entriesMax)) numbers",
        hint: "use a larger \(option: "delta-entries")")
    }
    self.cuts = cuts
  }

  /// The range of numbers whose differences are in a step. Steps count from 0.
  func numbers(ofStep step: Int) -> Range<UInt64> {
    (step == 0 ? 0 : cuts[step - 1])..<(step == cuts.count ? .max : cuts[step])
  }
}

// Walks through two stores together and finds where they differ. Only this file defines what a difference is.
//
// Records are compared as a whole: numbers, kind and label. A range that grew, shrank or changed its label
// counts as a range removed and a range added.

/// A walk through two stores at once.
struct StoreDifference: ~Copyable {
  /// How the current records of the two stores differ.
  enum Finding {
    case removal
    /// A record of the new store alone.
    case addition
    /// Two records that start at the same number and are not the same.
    case change
    case same
  }

  var old: RecordWalk
  var new: RecordWalk
  private let oldPath: String
  private let newPath: String

  /// Starts at the first records. The paths are for messages.
  init(_ old: borrowing CallStore, at oldPath: String, _ new: borrowing CallStore, at newPath: String) {
    self.old = RecordWalk(old)
    self.new = RecordWalk(new)
    self.oldPath = oldPath
    self.newPath = newPath
  }

  /// Compares the current records; nil after the end of both stores.
  mutating func finding(
    _ oldStore: borrowing CallStore, _ newStore: borrowing CallStore
  ) throws(Failure) -> Finding? {
    let hasOld = try old.hasRecord(oldStore, at: oldPath)
    let hasNew = try new.hasRecord(newStore, at: newPath)
    guard hasOld else { return hasNew ? .addition : nil }
    guard hasNew else { return .removal }
    let one = old.first
    let two = new.first
    if one != two { return one < two ? .removal : .addition }
    let isSame =
      old.last == new.last && old.kind == new.kind
      && oldStore.hasSame(old.label, as: new.label, of: newStore)
    return isSame ? .same : .change
  }

  /// The number at which a finding starts: the first number of the smaller current record.
  func firstNumber(of finding: Finding) -> UInt64 {
    finding == .removal ? old.first : new.first
  }

  mutating func advance(past finding: Finding) {
    if finding != .addition { old.advance() }
    if finding != .removal { new.advance() }
  }
}

// MARK: - Walks through a store's records, one at a time, both kinds in one ascending order

package struct RecordWalk: ~Copyable {
  /// The number of records read from the cursor at once, 25 bytes each.
  private static let batchRecords = 2048
  /// Pages are released after this number of batches, a few hundred KiB of a typical store.
  private static let batchesResident = 64

  private var cursor: StoreCursor
  private var batch = StoreBatch(capacity: batchRecords)
  private var at = 0
  private var batches = 0

  package init(_ store: borrowing CallStore) {
    cursor = StoreCursor(store)
  }

  /// Whether there is a current record. Call it before reading the record's fields.
  package mutating func hasRecord(_ store: borrowing CallStore) throws(CallStoreError) -> Bool {
    if at < batch.count { return true }
    at = 0
    batches += 1
    if batches % Self.batchesResident == 0 { store.releasePages() }
    return try cursor.nextRecords(of: store, into: &batch)
  }

  /// Like ``hasRecord(_:)``, with an error that names the store's path.
  mutating func hasRecord(_ store: borrowing CallStore, at path: String) throws(Failure) -> Bool {
    do throws(CallStoreError) {
      return try hasRecord(store)
    } catch {
      throw .unreadableStore(error, path: path)
    }
  }

  package var first: UInt64 { batch.firsts[at] }
  package var last: UInt64 { batch.lasts[at] }
  package var kind: StoreKind { batch.kinds[at] }
  package var label: StoreLabel { batch.labels[at] }

  package mutating func advance() { at += 1 }

  func append(from store: borrowing CallStore, to encoder: inout StoreEncoder) throws(StoreEncodingError) {
    let bytes = store.bytes(of: label)
    try encoder.append(first: first, last: last, kind: kind, label: Span<UInt8>(_bytes: bytes))
  }
}

extension CallStore {
  /// Whether a label of this store has the same bytes as a label of another.
  borrowing func hasSame(_ label: StoreLabel, as other: StoreLabel, of store: borrowing CallStore) -> Bool {
    let one = bytes(of: label)
    let two = store.bytes(of: other)
    guard one.byteCount == two.byteCount else { return false }
    for index in 0..<one.byteCount where one.byte(index) != two.byte(index) { return false }
    return true
  }
}

// MARK: - Delta files by their paths

package enum DeltaFile {
  /// Opens the file at a path. A pipe has no header; without `nonBlocking`, opening it would wait for a writer.
  static func open(_ path: String) throws(CallDeltaError) -> FileDescriptor {
    do {
      return try FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec, .nonBlocking])
    } catch {
      throw .cannotOpen((error as? Errno ?? .ioError).rawValue)
    }
  }

  /// Whether the file at a path starts like a delta. False if it can't be read.
  package static func isDelta(_ path: String) -> Bool {
    guard let file = try? open(path) else { return false }
    defer { try? file.close() }
    return DeltaHeader.isDelta(descriptor: file.rawValue)
  }

  package static func verify(_ path: String) throws(DeltaVerificationError) -> DeltaHeader {
    let file = try throwing(DeltaVerificationError.unreadable) { () throws(CallDeltaError) in try open(path) }
    defer { try? file.close() }
    return try DeltaVerification.verify(descriptor: file.rawValue)
  }
}
