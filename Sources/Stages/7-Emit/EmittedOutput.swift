// What an emit wrote, told when all of it is in place: for a run's report.
//
// Not for: what stands beside the files (Manifest).

import CallManifest
public import CallStoreFormat
import CallStoreReader
import CallStoreWriter
import ContentHash
import ShardDirectories
import SystemIO

/// One output that is in place.
public struct EmittedOutput: Equatable, Sendable {
  /// A store that stands there.
  public struct Store: Equatable, Sendable {
    /// Which extension's shard it is; nil for a store that is none.
    public var id: Int?
    /// Its file: in a directory the name alone.
    public var name: String
    /// Its size.
    public var bytes: UInt64
    /// Its records; a range is one.
    public var records: KindCounts
    /// Its single numbers, as iOS counts them.
    public var entries: KindCounts
    /// Its identity, in hexadecimal.
    public var contentHash: String
  }

  /// What was there before: what stood at the same place, or the baseline.
  public struct Previous: Equatable, Sendable {
    /// Its identity, in hexadecimal.
    public var contentID: String
    /// Its records; a range is one.
    public var records: KindCounts
    /// Its single numbers, as iOS counts them.
    public var entries: KindCounts
    /// The identities of its stores.
    public var stores: [String]
  }

  /// The path, as it was given.
  public var path: String
  /// The form.
  public var format: EmitFormat
  /// All files together, without the manifest.
  public var bytes: UInt64 = 0
  /// The stores in the order of their numbers; none for another form.
  public var stores: [Store] = []
  /// The identity of all stores together, in hexadecimal; nil for another form.
  public var contentID: String?
  /// Whether it is a directory of shards.
  public var isDirectory = false
  /// Single numbers that the deltas take out and put in; nil without deltas.
  public var removals: UInt64?
  /// The same, put in.
  public var additions: UInt64?
  /// What was there before; nil if nothing was, or nothing that could be read.
  public var previous: Previous?

  init(_ options: EmitOptions) {
    path = options.output
    format = options.format
    isDirectory = options.isDirectory
  }

  /// Takes over what a directory's manifest says.
  mutating func take(_ manifest: Manifest) {
    contentID = manifest.contentID
    stores = manifest.shards.map { Store($0.store, id: $0.id) }
    let deltas = manifest.shards.flatMap { $0.deltas ?? [] }
    let deltaBytes = deltas.reduce(0) { $0 &+ $1.bytes }
    bytes = stores.reduce(deltaBytes &+ (manifest.bootstrap?.bytes ?? 0)) { $0 &+ $1.bytes }
    if manifest.baseline != nil {
      // Deltas may lead from older states, too.
      let before = previous?.stores ?? []
      let steps = manifest.shards.flatMap { shard in
        shard.chains.filter { before.contains($0.key) }.values.flatMap { $0 }
      }
      removals = steps.reduce(0) { $0 &+ $1.removals }
      additions = steps.reduce(0) { $0 &+ $1.additions }
    }
  }

  /// Takes over what a single store is.
  mutating func take(_ summary: StoreSummary) {
    let store = Store(Manifest.Store(name: path, summary), id: nil)
    contentID = store.contentHash
    stores = [store]
    bytes = store.bytes
  }
}

extension EmittedOutput.Store {
  init(_ store: Manifest.Store, id: Int?) {
    self.id = id
    name = store.name
    bytes = store.bytes
    records = store.records
    entries = store.entries
    contentHash = store.contentHash
  }
}

extension EmittedOutput.Previous {
  /// What stands at an output's place or is its baseline; nil if that can't be read, which is no failure: nobody
  /// builds upon it here.
  init?(_ options: EmitOptions, calls: any SystemCalls) {
    if options.isDirectory {
      let named = options.shards.baseline.flatMap { $0 == Baseline.none ? nil : $0 }
      let file = ManifestLocation(named ?? options.output).path
      guard Directory.holdsFile(file), let manifest = try? Manifest(path: file, calls: calls) else {
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
