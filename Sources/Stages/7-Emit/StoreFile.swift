// One store on its way to its file: blocks filled, encoded, written, verified, put in place.
//
// To fill blocks and to encode them is about the same work, so with threads each is done in one.

import BasicContainers
import CallRecord
import CallStoreFormat
import CallStoreReader
import CallStoreWriter
import PipeStage
import SystemIO
import SystemPackage

/// A store that is being written.
struct StoreFile: ~Copyable {
  private var filler: BlockFiller
  /// The block that is empty while the others fill.
  private var spare: BlockBuilder
  private let writer: BlockWriter
  private let relay: BlockRelay?

  init(
    _ path: String, removesLeftovers: Bool = true, hasThread: Bool = false, calls: any SystemCalls
  ) throws(StageError) {
    // What can fail comes before the first property is set; OutputFile says why.
    let made = BlockWriter(
      try asStageError(.emit) { () throws(SystemError) in
        try OutputFile(path, removesLeftovers: removesLeftovers, calls: calls)
      })
    let started = hasThread ? try BlockRelay(made) : nil
    writer = made
    relay = started
    filler = BlockFiller()
    spare = BlockBuilder()
  }

  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, at index: Int,
    _ names: inout StoreNames,
    row: UInt64
  ) throws(StageError) {
    do throws(StoreEncodingError) {
      if try filler.append(first: first, last: last, kind: kind, label: label, at: index, &names) { return }
    } catch {
      throw StageError(.emit, EmitError.notForStore(error, row: row))
    }
    try handOver(kind, row: row)
    try append(first: first, last: last, kind: kind, label: label, at: index, &names, row: row)
  }

  /// Appends a record whose label has no place in a batch.
  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, row: UInt64
  ) throws(StageError) {
    do throws(StoreEncodingError) {
      if try filler.append(first: first, last: last, kind: kind, label: label) { return }
    } catch {
      throw StageError(.emit, EmitError.notForStore(error, row: row))
    }
    try handOver(kind, row: row)
    try append(first: first, last: last, kind: kind, label: label, row: row)
  }

  /// Appends single numbers whose labels have names; returns how many it took before one that needs more.
  mutating func append(numbers: Span<UInt64>, labels: Span<UInt32>, _ names: inout StoreNames) -> Int {
    filler.append(numbers: numbers, labels: labels, &names)
  }

  /// Appends single numbers of which some labels may have no names yet; returns how many it took before one that needs
  /// more, or that the method above can take.
  mutating func append(
    numbers: Span<UInt64>, labels: Span<UInt32>, in texts: borrowing BatchLabels, _ names: inout StoreNames
  ) -> Int {
    filler.append(numbers: numbers, labels: labels, in: texts, &names)
  }

  /// Lets the block of a kind be encoded, if it has records.
  private mutating func handOver(_ kind: StoreKind, row: UInt64) throws(StageError) {
    do throws(StoreEncodingError) {
      guard try filler.exchange(kind, for: &spare) else { return }
    } catch {
      throw StageError(.emit, EmitError.notForStore(error, row: row))
    }
    if let relay { try relay.push(&spare) } else { try writer.write(&spare) }
  }

  /// The file's descriptor, to read a sealed store back. It stays owned by this value.
  var descriptor: Int32 { writer.descriptor }

  /// Ends the store.
  mutating func seal() throws(StageError) -> StoreSummary {
    for kind in StoreKind.allCases { try handOver(kind, row: 0) }
    try relay?.finish()
    return try writer.seal(filler)
  }

  /// Reads a sealed store back and checks all of it. What was written in place can't be read back, or has more in it.
  func verify() throws(StageError) {
    try writer.verify()
  }

  /// Puts a sealed store in place, under a name that was not known at the beginning, if given.
  consuming func publish(as name: String? = nil) throws(StageError) {
    try writer.publish(as: name)
  }
}
