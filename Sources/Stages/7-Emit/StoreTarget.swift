// Writes records to one store. If there are too many, the error contains their count.

import BasicContainers
import Records
import StoreWriting
import SystemIO

/// Writes one store.
final class StoreTarget: EmitTarget {
  private let maxEntries: UInt64
  private var labels: StoreLabels
  private var store: StoreFile?
  private var entries: UInt64 = 0
  private var row: UInt64 = 0
  private var summary: StoreSummary?

  init(_ options: EmitOptions, _ context: StageContext) throws(Failure) {
    if options.output == OutputFile.standardOutput, RunningProcess.isOutputTerminal {
      throw Failure(.emit, EmitError.isTerminal)
    }
    maxEntries = options.maxEntries
    labels = StoreLabels(options.blockGlobs)
    store = try StoreFile(options.output, threads: options.threads, calls: context.calls)
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) {
    labels.prepare(batch.fieldsTable)
    if store != nil, batch.isSingles, entries + UInt64(batch.count) <= maxEntries {
      try labels.append(singles: batch, 0..<batch.count, row: row + 1, to: &store!)
      entries += UInt64(batch.count)
      row += UInt64(batch.count)
      return
    }
    for index in 0..<batch.count {
      let first = batch.firsts[index]
      let last = batch.lasts[index]
      row += 1
      entries &+= last - first + 1
      // Beyond the limit, numbers are only counted, for the error.
      if entries > maxEntries { store = nil }
      guard store != nil else { continue }
      try labels.append(
        first: first, last: last, batch.fieldsTable, Int(batch.fieldsIndices[index]), row: row,
        to: &store!)
    }
  }

  func seal() throws(Failure) {
    guard store != nil else {
      throw Failure(
        .emit,
        EmitError.tooManyEntries(
          count: entries, limit: maxEntries, shards: (entries + maxEntries - 1) / maxEntries))
    }
    summary = try store!.seal()
    try store!.verify()
  }

  func publish() throws(Failure) {
    try store.take()?.publish()
  }

  func outcome(_ output: inout EmittedOutput) {
    if let summary { output.set(summary) }
  }
}
