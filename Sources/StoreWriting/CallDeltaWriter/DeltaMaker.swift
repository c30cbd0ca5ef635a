// Writes the deltas that lead from one store to another.
//
// Both stores are walked together: once for the removals, once for the additions, and, for every step except the last,
// once more for the content hash of the step's result. Only one batch of each is held in memory.

package import CallDeltaReader
import CallStoreFormat
package import CallStoreReader
import Hashing
import Records
package import SystemIO

/// The content of a delta file.
package struct DeltaSummary: Equatable, Sendable {
  /// The file's header.
  package var header: DeltaHeader
  /// The store of removals.
  package var removals: StoreSummary
  /// The store of additions.
  package var additions: StoreSummary
  /// The size of the file in bytes.
  package var byteCount: UInt64
  /// The SHA-256 of the file, 32 bytes.
  package var fileHash: [UInt8]
}

/// Writes the steps of a plan, one after another.
package struct DeltaMaker {
  private let plan: DeltaPlan
  private let oldPath: String
  private let newPath: String
  /// The number of steps that were written.
  private var written = 0
  /// The content hash of the store that the next step changes.
  private var baselineHash: [UInt8]

  /// Plans the steps from `old` to `new`, of at most `entriesMax` added single numbers each. The paths are for
  /// messages.
  package init(
    from old: borrowing CallStore, at oldPath: String, to new: borrowing CallStore, at newPath: String,
    entriesMax: UInt64
  ) throws(DeltaError) {
    plan = try DeltaPlan(from: old, at: oldPath, to: new, at: newPath, entriesMax: entriesMax)
    self.oldPath = oldPath
    self.newPath = newPath
    baselineHash = old.contentHash
  }

  /// The number of steps.
  package var steps: Int { plan.steps }

  /// Writes the next step to an empty file.
  ///
  /// - Precondition: fewer than ``steps`` steps were written, and the stores are those the steps were planned from.
  /// - Complexity: O(records of both stores).
  package mutating func writeNext(
    from old: borrowing CallStore, to new: borrowing CallStore, into file: inout OutputFile
  ) throws(DeltaWritingError) -> DeltaSummary {
    precondition(written < plan.steps, "all steps are written")
    let numbers = plan.numbers(ofStep: written)
    try asDeltaWritingError { () throws(SystemError) in
      try file.write([UInt8](repeating: 0, count: DeltaLayout.bytes).span)
    }
    let removals = try writeRemovals(old, new, numbers, into: &file)
    let additions = try writeAdditions(old, new, numbers, into: &file)
    let isLast = written + 1 == plan.steps
    let result: [UInt8]
    if isLast { result = new.contentHash } else { result = try resultHash(old, new, numbers.upperBound) }
    let header = DeltaHeader(
      baselineHash: baselineHash, resultHash: result, step: written + 1, steps: plan.steps,
      removalsLength: Int(removals.byteCount),
      additionsLength: Int(additions.byteCount))
    let bytes = header.bytes
    try asDeltaWritingError { () throws(SystemError) in try file.write(bytes.span, at: 0) }
    baselineHash = header.resultHash
    written += 1
    return DeltaSummary(
      header: header, removals: removals, additions: additions,
      byteCount: UInt64(DeltaLayout.bytes) + removals.byteCount + additions.byteCount,
      fileHash: try asDeltaWritingError { () throws(SystemError) in try Self.hash(of: &file) })
  }

  private func writeRemovals(
    _ old: borrowing CallStore, _ new: borrowing CallStore, _ numbers: Range<UInt64>,
    into file: inout OutputFile
  ) throws(DeltaWritingError) -> StoreSummary {
    var encoder = StoreEncoder()
    var walk = StoreDifference(old, at: oldPath, new, at: newPath)
    while let finding = try next(&walk, old, new), walk.firstNumber(of: finding) < numbers.upperBound {
      if finding == .removal || finding == .change, numbers.contains(walk.old.first) {
        try append(walk.old, from: old, to: &encoder)
        if encoder.isDrainDue { try encoder.drain(into: &file) }
      }
      walk.advance(past: finding)
    }
    let summary = encoder.finish()
    try encoder.drain(into: &file)
    return summary
  }

  private func writeAdditions(
    _ old: borrowing CallStore, _ new: borrowing CallStore, _ numbers: Range<UInt64>,
    into file: inout OutputFile
  ) throws(DeltaWritingError) -> StoreSummary {
    var encoder = StoreEncoder()
    var walk = StoreDifference(old, at: oldPath, new, at: newPath)
    while let finding = try next(&walk, old, new), walk.firstNumber(of: finding) < numbers.upperBound {
      if finding == .addition || finding == .change, numbers.contains(walk.new.first) {
        try append(walk.new, from: new, to: &encoder)
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
  ) throws(DeltaWritingError) -> [UInt8] {
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
    return encoder.finish().contentHash
  }

  // MARK: Errors

  private func next(
    _ walk: inout StoreDifference, _ old: borrowing CallStore, _ new: borrowing CallStore
  ) throws(DeltaWritingError) -> StoreDifference.Finding? {
    do throws(DeltaError) {
      return try walk.finding(old, new)
    } catch {
      throw .delta(error)
    }
  }

  private func hasRecord(
    _ walk: inout RecordWalk, _ store: borrowing CallStore, _ path: String
  ) throws(DeltaWritingError) -> Bool {
    do throws(DeltaError) {
      return try walk.hasRecord(store, at: path)
    } catch {
      throw .delta(error)
    }
  }

  private func append(
    _ walk: borrowing RecordWalk, from store: borrowing CallStore, to encoder: inout StoreEncoder
  ) throws(DeltaWritingError) {
    do throws(StoreEncodingError) {
      try walk.append(from: store, to: &encoder)
    } catch {
      throw .delta(.notForStore(error))
    }
  }

  private func asDeltaWritingError<Result>(
    _ body: () throws(SystemError) -> Result
  ) throws(DeltaWritingError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw .file(error)
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
