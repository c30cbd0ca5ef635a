// Writes one store to its file: fills, encodes and writes its blocks, verifies the file, and publishes it.
//
// Filling and encoding blocks cost about the same, so with threads each has its own.

import CallStoreFormat
import StoreWriting
import Records
import SystemIO

/// A store that is being written.
struct StoreFile: ~Copyable {
  private var filler: BlockFiller
  private let writer: BlockWriter
  private let relay: BlockRelay?

  init(
    _ path: String, removesLeftovers: Bool = true, threads: Int = 1, calls: any SystemCalls
  ) throws(Failure) {
    // Everything that can throw runs before the first property is set; see OutputFile.
    let made = BlockWriter(
      try asFailure(.emit) { () throws(SystemError) in
        try OutputFile(path, removesLeftovers: removesLeftovers, calls: calls)
      })
    let started = threads > 1 ? try BlockRelay(made, threads: threads) : nil
    writer = made
    relay = started
    filler = BlockFiller()
  }

  /// Appends a record whose label is at `index` in a batch. `row` is for messages.
  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, at index: Int,
    _ names: inout StoreNames, row: UInt64
  ) throws(Failure) {
    do throws(StoreEncodingError) {
      if try filler.append(first: first, last: last, kind: kind, label: label, at: index, &names) { return }
    } catch {
      throw Failure(.emit, EmitError.notForStore(error, row: row))
    }
    try endBlock(kind)
    try append(first: first, last: last, kind: kind, label: label, at: index, &names, row: row)
  }

  /// Appends a record whose label is not in a batch. `row` is for messages.
  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, row: UInt64
  ) throws(Failure) {
    do throws(StoreEncodingError) {
      if try filler.append(first: first, last: last, kind: kind, label: label) { return }
    } catch {
      throw Failure(.emit, EmitError.notForStore(error, row: row))
    }
    try endBlock(kind)
    try append(first: first, last: last, kind: kind, label: label, row: row)
  }

  /// Appends the first single numbers whose labels have names, and returns how many were appended.
  mutating func append(numbers: Span<UInt64>, labels: Span<UInt32>, _ names: inout StoreNames) -> Int {
    filler.append(numbers: numbers, labels: labels, &names)
  }

  /// Appends the first single numbers, including those whose labels have no names yet, and returns how many were
  /// appended.
  mutating func append(
    numbers: Span<UInt64>, labels: Span<UInt32>, in texts: borrowing BatchLabels, _ names: inout StoreNames
  ) -> Int {
    filler.append(numbers: numbers, labels: labels, in: texts, &names)
  }

  /// Encodes the block of a kind, if it has records.
  private mutating func endBlock(_ kind: StoreKind) throws(Failure) {
    try filler.endBlock(kind) { [writer, relay] (block) throws(Failure) in
      if let relay { try relay.push(&block) } else { try writer.write(&block) }
    }
  }

  /// The file's descriptor, to read a sealed store back. This value keeps ownership.
  var descriptor: Int32 { writer.descriptor }

  /// Ends the store and returns its totals.
  mutating func seal() throws(Failure) -> StoreSummary {
    for kind in StoreKind.allCases { try endBlock(kind) }
    try relay?.finish()
    return try writer.seal(filler)
  }

  /// Reads a sealed store back and checks all of it, unless it was written in place: such an output can't be read
  /// back, or contains more than the store.
  func verify() throws(Failure) {
    try writer.verify()
  }

  /// Publishes a sealed store, under `name` if it was not known at the beginning.
  consuming func publish(as name: String? = nil) throws(Failure) {
    try writer.publish(as: name)
  }
}
