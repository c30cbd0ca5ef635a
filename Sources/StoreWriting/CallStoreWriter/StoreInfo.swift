// What a store or a delta contains, as `cdpipe info` prints it.

import CallDeltaReader
import CallStoreFormat
import CallStoreReader
import Hashing
package import Records

/// The content of a store, as `info` prints it.
package struct StoreDescription: Encodable {
  var file: String
  var bytes: Int
  var contentHash: String
  var records: KindCounts
  var entries: KindCounts
  var first: UInt64?
  var last: UInt64?
  var blocks: Int
  var tableLabels: Int

  package init(_ path: String) throws(Failure) {
    do throws(CallStoreError) {
      let store = try CallStore(path: path)
      file = path
      bytes = store.byteCount
      contentHash = Hexadecimal.text(store.contentHash)
      records = store.recordCounts
      entries = store.entryCounts
      first = store.firstNumber
      last = store.lastNumber
      blocks = store.blockCount
      tableLabels = store.labelCount
    } catch {
      var failure = Failure.unreadableStore(error, path: path)
      failure.message = error.userMessage(path: path, acceptsDeltas: true)
      throw failure
    }
  }

  package var lines: [String] {
    let facts: [(name: String, value: String?)] = [
      ("store", PrintableText.name(file)), ("content hash", contentHash),
      ("size", "\(Figures.grouped(UInt64(bytes))) bytes"), ("records", Figures.grouped(records.sum)),
      (
        "entries",
        "\(Figures.grouped(entries.sum)) (\(Figures.grouped(entries.identification)) to identify, "
          + "\(Figures.grouped(entries.blocking)) to block)"
      ),
      ("numbers", first.flatMap { first in last.map { "\(first) to \($0)" } }),
      ("labels", "\(Figures.grouped(UInt64(tableLabels))) in the table"),
    ]
    return facts.compactMap { name, value in value.map { name.padding(to: 16) + $0 } }
  }
}

/// The content of a delta, as `info` prints it.
package struct DeltaDescription: Encodable {
  /// The counts of one of a delta's two stores.
  struct Counts: Encodable {
    var records: UInt64
    var entries: UInt64

    init(_ store: borrowing CallStore) {
      records = store.recordCounts.sum
      entries = store.entryCounts.sum
    }

    var text: String {
      Figures.counted(records, "record") + ", " + Figures.counted(entries, "entry", plural: "entries")
    }
  }
  var file: String
  var bytes: Int
  var from: String
  var to: String
  var step: Int
  var steps: Int
  var removals: Counts
  var additions: Counts

  package init(_ path: String) throws(Failure) {
    do throws(CallDeltaError) {
      let delta = try CallDelta(path: path)
      file = path
      bytes = delta.header.additions.upperBound
      from = Hexadecimal.text(delta.header.baselineHash)
      to = Hexadecimal.text(delta.header.resultHash)
      step = delta.header.step
      steps = delta.header.steps
      removals = Counts(delta.removals)
      additions = Counts(delta.additions)
    } catch {
      throw .unreadableDelta(error, path: path)
    }
  }

  package var lines: [String] {
    [
      ("delta", PrintableText.name(file)), ("from", from), ("to", to), ("step", "\(step) of \(steps)"),
      ("size", "\(Figures.grouped(UInt64(bytes))) bytes"), ("removals", removals.text),
      ("additions", additions.text),
    ].map { name, value in name.padding(to: 16) + value }
  }
}
