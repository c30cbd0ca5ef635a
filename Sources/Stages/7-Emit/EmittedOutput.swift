// What an emit has written, for the report of a run.

import CallDeltaReader
package import CallManifest
package import CallStoreFormat
import CallStoreReader
import Hashing
package import StoreWriting
import SystemIO

/// One output that was published.
package struct EmittedOutput: Equatable, Sendable {
  package struct Store: Equatable, Sendable {
    /// The id of the shard; nil for a single store.
    package var id: Int?
    /// The store as a manifest describes it; its name is the path of a single store.
    package var file: Manifest.Store
  }

  package struct Previous: Equatable, Sendable {
    /// The identity of all its stores together, in hexadecimal.
    package var contentID: String
    /// The number of records; a range is one record.
    package var records: KindCounts
    /// The number of single numbers; iOS counts them like this.
    package var entries: KindCounts
    package var stores: [String]
  }

  package var path: String
  package var format: EmitFormat
  /// The size of all files together in bytes, without the manifest.
  package var bytes: UInt64 = 0
  /// The number of entries in the format of another application; nil for other formats.
  package var entries: UInt64?
  /// The fields of which some were written as something else, because the format can't represent their contents.
  package var replaced: RecordFieldSet = []
  /// What the user should know about the output, besides the losses above.
  package var notices: [EmitNotice] = []
  /// The stores, in the order of their numbers; empty for other formats.
  package var stores: [Store] = []
  /// The identity of all stores together, in hexadecimal; nil for other formats.
  package var contentID: String?
  package var isDirectory = false
  /// The number of single numbers that the deltas remove; nil without deltas.
  package var removals: UInt64?
  /// The number of single numbers that the deltas add; nil without deltas.
  package var additions: UInt64?
  /// The single numbers in which the output differs from its baseline; nil without deltas.
  package var changes: NumberChanges?
  /// The previous state; nil if there was none or it can't be read.
  package var previous: Previous?

  init(_ options: EmitOptions) {
    path = options.output
    format = options.format
    isDirectory = options.isDirectory
  }

  mutating func set(_ manifest: Manifest) {
    contentID = manifest.contentID
    stores = manifest.shards.map { Store(id: $0.id, file: $0.store) }
    let deltas = manifest.shards.flatMap { $0.deltas ?? [] }
    let deltaBytes = deltas.reduce(0) { $0 &+ $1.bytes }
    bytes = stores.reduce(deltaBytes &+ (manifest.bootstrap?.bytes ?? 0)) { $0 &+ $1.file.bytes }
    let counts = manifest.deltaCounts(from: Set(previous?.stores ?? []))
    removals = counts?.removals
    additions = counts?.additions
  }

  mutating func set(_ summary: StoreSummary) {
    let store = Manifest.Store(name: path, summary)
    contentID = store.contentHash
    stores = [Store(id: nil, file: store)]
    bytes = store.bytes
  }
}

extension EmittedOutput.Previous {
  /// Reads the baseline of an output, or the previous content. Nil if it can't be read; that is not an error, because
  /// it is only reported.
  init?(_ options: EmitOptions, calls: any SystemCalls) {
    if options.isDirectory {
      let named = options.shards.baseline.flatMap { $0 == ShardOptions.noBaseline ? nil : $0 }
      guard let file = try? ManifestLocation(named ?? options.output, calls: calls).path,
        Directory.holdsFile(file), let manifest = try? Manifest(path: file, calls: calls)
      else {
        return nil
      }
      contentID = manifest.contentID
      records = manifest.records
      entries = manifest.entries
      stores = manifest.shards.map(\.store.contentHash)
    } else {
      guard options.format == .store, Directory.holdsFile(options.output) else { return nil }
      do throws(CallStoreError) {
        let store = try CallStore(path: options.output)
        contentID = Hexadecimal.text(store.contentHash)
        records = store.recordCounts
        entries = store.entryCounts
        stores = [contentID]
      } catch {
        return nil
      }
    }
  }
}

// MARK: - What the store and delta writers report, as a manifest describes it

extension Manifest.Store {
  /// Describes a store that was just written.
  init(name: String, _ summary: StoreSummary) {
    self.init(
      name: name, bytes: summary.byteCount, sha256: Hexadecimal.text(summary.fileHash),
      contentHash: Hexadecimal.text(summary.contentHash), first: summary.first, last: summary.last,
      records: summary.recordCounts, entries: summary.entryCounts)
  }
}

extension Manifest.Delta {
  /// Describes a delta that was just written.
  init(name: String, _ summary: DeltaSummary) {
    self.init(
      name: name, bytes: summary.byteCount, sha256: Hexadecimal.text(summary.fileHash),
      step: summary.header.step, from: Hexadecimal.text(summary.header.baselineHash),
      to: Hexadecimal.text(summary.header.resultHash), removals: summary.removals.entries,
      additions: summary.additions.entries)
  }
}
