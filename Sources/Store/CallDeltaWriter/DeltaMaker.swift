// Writes the deltas that lead from one store to another.
//
// Both stores are walked together, once for the removals, once for the additions, and once more for the hash of the
// state behind a step that is not the last: nothing is held but a batch of each.

public import CallDeltaReader
import CallStoreFormat
public import CallStoreReader
public import CallStoreWriter
import ContentHash
public import PipeStage
public import SystemIO

/// What a delta file holds.
public struct DeltaSummary: Equatable, Sendable {
  /// What its header says.
  public var header: DeltaHeader
  /// What is removed.
  public var removals: StoreSummary
  /// What is added.
  public var additions: StoreSummary
  /// The size of the file in bytes.
  public var byteCount: UInt64
  /// The SHA-256 of the file, 32 bytes.
  public var fileHash: [UInt8]
}

/// Writes the steps of a plan, one after another.
public struct DeltaMaker {
  private let plan: DeltaPlan
  private let stage: StageName?
  private let oldPath: String
  private let newPath: String
  /// How many steps were written.
  private var written = 0
  /// The content hash of the state that the next step changes.
  private var state: [UInt8]

  /// Plans the steps from `old` to `new`. The paths are for messages; failures are those of `stage`.
  public init(
    from old: borrowing CallStore, at oldPath: String, to new: borrowing CallStore, at newPath: String,
    entriesMax: UInt64, stage: StageName?
  ) throws(StageError) {
    do throws(DeltaError) {
      plan = try DeltaPlan(from: old, at: oldPath, to: new, at: newPath, entriesMax: entriesMax)
    } catch {
      throw StageError(stage, error)
    }
    self.stage = stage
    self.oldPath = oldPath
    self.newPath = newPath
    state = old.contentHash
  }

  /// The number of steps.
  public var steps: Int { plan.steps }

  /// Writes the next step to an empty file.
  ///
  /// - Precondition: fewer than ``steps`` were written, and the stores are those that the plan was made of.
  /// - Complexity: O(records of both stores).
  public mutating func writeNext(
    from old: borrowing CallStore, to new: borrowing CallStore, into file: inout OutputFile
  ) throws(StageError) -> DeltaSummary {
    precondition(written < plan.steps, "all steps are written")
    let numbers = plan.numbers(ofStep: written)
    try put([UInt8](repeating: 0, count: DeltaLayout.bytes), into: &file)
    let removals = try writeRemovals(old, new, numbers, into: &file)
    let additions = try writeAdditions(old, new, numbers, into: &file)
    let isLast = written + 1 == plan.steps
    let result: [UInt8]
    if isLast { result = new.contentHash } else { result = try stateHash(old, new, numbers.upperBound) }
    let header = DeltaHeader(
      baselineHash: state, resultHash: result, step: written + 1, steps: plan.steps,
      removalsLength: Int(removals.byteCount),
      additionsLength: Int(additions.byteCount))
    let bytes = header.bytes
    do throws(SystemError) {
      try file.write(bytes.span, at: 0)
    } catch {
      throw StageError(stage, error)
    }
    state = header.resultHash
    written += 1
    return DeltaSummary(
      header: header, removals: removals, additions: additions,
      byteCount: UInt64(DeltaLayout.bytes) + removals.byteCount + additions.byteCount,
      fileHash: try hash(of: &file))
  }

  private func writeRemovals(
    _ old: borrowing CallStore, _ new: borrowing CallStore, _ numbers: Range<UInt64>,
    into file: inout OutputFile
  ) throws(StageError) -> StoreSummary {
    var encoder = StoreEncoder()
    var walk = StoreDifference(old, new)
    while let finding = try next(&walk, old, new), walk.place(of: finding) < numbers.upperBound {
      if finding == .removal || finding == .change, numbers.contains(walk.old.first) {
        try append(walk.old, from: old, to: &encoder)
        if encoder.isDrainDue { try drain(&encoder, into: &file) }
      }
      walk.pass(finding)
    }
    return try finish(&encoder, into: &file)
  }

  private func writeAdditions(
    _ old: borrowing CallStore, _ new: borrowing CallStore, _ numbers: Range<UInt64>,
    into file: inout OutputFile
  ) throws(StageError) -> StoreSummary {
    var encoder = StoreEncoder()
    var walk = StoreDifference(old, new)
    while let finding = try next(&walk, old, new), walk.place(of: finding) < numbers.upperBound {
      if finding == .addition || finding == .change, numbers.contains(walk.new.first) {
        try append(walk.new, from: new, to: &encoder)
        if encoder.isDrainDue { try drain(&encoder, into: &file) }
      }
      walk.pass(finding)
    }
    return try finish(&encoder, into: &file)
  }

  /// The content hash of the store that has the new records below a number and the old ones from there on.
  private func stateHash(
    _ old: borrowing CallStore, _ new: borrowing CallStore, _ cut: UInt64
  ) throws(StageError) -> [UInt8] {
    var encoder = StoreEncoder()
    var walk = RecordWalk(new)
    while try hasRecord(&walk, new, newPath), walk.first < cut {
      try append(walk, from: new, to: &encoder)
      walk.advance()
      encoder.drain { _ in }
    }
    var rest = RecordWalk(old)
    while try hasRecord(&rest, old, oldPath) {
      if rest.first >= cut {
        try append(rest, from: old, to: &encoder)
        encoder.drain { _ in }
      }
      rest.advance()
    }
    return try end(&encoder).contentHash
  }

  // MARK: Failures by their place

  private func next(
    _ walk: inout StoreDifference, _ old: borrowing CallStore, _ new: borrowing CallStore
  ) throws(StageError) -> StoreDifference.Finding? {
    do throws(DifferenceError) {
      return try walk.finding(old, new)
    } catch {
      throw StageError(stage, DeltaError(error, oldPath, newPath))
    }
  }

  private func hasRecord(
    _ walk: inout RecordWalk, _ store: borrowing CallStore, _ path: String
  ) throws(StageError) -> Bool {
    do throws(CallStoreError) {
      return try walk.hasRecord(store)
    } catch {
      throw StageError(stage, DeltaError.unreadableStore(error, path: path))
    }
  }

  private func append(
    _ walk: borrowing RecordWalk, from store: borrowing CallStore, to encoder: inout StoreEncoder
  ) throws(StageError) {
    do throws(StoreEncodingError) {
      try walk.append(from: store, to: &encoder)
    } catch {
      throw StageError(stage, DeltaError.notForStore(error))
    }
  }

  private func end(_ encoder: inout StoreEncoder) throws(StageError) -> StoreSummary {
    do throws(StoreEncodingError) {
      return try encoder.finish()
    } catch {
      throw StageError(stage, DeltaError.notForStore(error))
    }
  }

  // MARK: Bytes

  private func finish(
    _ encoder: inout StoreEncoder, into file: inout OutputFile
  ) throws(StageError) -> StoreSummary {
    let summary = try end(&encoder)
    try drain(&encoder, into: &file)
    return summary
  }

  private func drain(_ encoder: inout StoreEncoder, into file: inout OutputFile) throws(StageError) {
    do throws(SystemError) {
      try encoder.drain { (bytes) throws(SystemError) in try file.write(bytes) }
    } catch {
      throw StageError(stage, error)
    }
  }

  private func put(_ bytes: [UInt8], into file: inout OutputFile) throws(StageError) {
    do throws(SystemError) {
      try file.write(bytes.span)
    } catch {
      throw StageError(stage, error)
    }
  }

  /// The header is written last, so the file is hashed when it is whole.
  private func hash(of file: inout OutputFile) throws(StageError) -> [UInt8] {
    var hash = SHA256Hasher()
    var chunk = ByteChunk()
    var offset: Int64 = 0
    do throws(SystemError) {
      while true {
        let count = try file.read(into: &chunk, at: offset)
        if count == 0 { break }
        hash.update(chunk.span)
        offset += Int64(count)
        chunk.removeAll()
      }
    } catch {
      throw StageError(stage, error)
    }
    return hash.digest
  }
}
