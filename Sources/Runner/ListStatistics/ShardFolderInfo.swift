// The facts about a directory of shards, as `cdpipe info` prints them. All of them are in its manifest.

import CallManifest
import CallStoreFormat
package import Records
package import StoreWriting

package enum ShardFolderText {
  // MARK: Files that are not in the manifest

  /// A file in a published version's folder is not in its manifest, and the folder has changed.
  package static func unlisted(_ path: String) -> UserMessage {
    UserMessage(
      "'\(path)' is not in the manifest, and was added or changed after the version was published")
  }

  // MARK: Text

  package static func lines(_ directory: ShardFolder) -> [String] {
    let manifest = directory.manifest
    let facts = ShardFolderDescription(directory)
    var lines: [String] = []
    func add(_ name: String, _ value: String?) {
      if let value { lines.append(name.padding(to: 16) + value) }
    }
    add("manifest", PrintableText.name(directory.manifestPath))
    add("version", directory.version)
    add("content id", manifest.contentID)
    add("date", manifest.date)
    add("size", "\(Figures.grouped(facts.bytes)) bytes")
    add("records", Figures.grouped(manifest.records.sum))
    add(
      "entries",
      "\(Figures.grouped(manifest.entries.sum)) (\(Figures.grouped(manifest.entries.identification)) to identify, "
        + "\(Figures.grouped(manifest.entries.blocking)) to block)")
    if let first = facts.first, let last = facts.last { add("numbers", "\(first) to \(last)") }
    add("labels", labels(facts.labels))
    add("countries", manifest.countries.map(countries))
    add("bootstrap", manifest.bootstrap.map { "\($0.name), \(entries($0.entries.sum))" })
    add("baseline", manifest.baseline?.contentID)
    add("deltas", deltas(facts.deltas))
    add("shards", Figures.grouped(UInt64(manifest.shards.count)))
    return lines + [""] + table(manifest.shards)
  }

  private static func entries(_ count: UInt64) -> String {
    Figures.counted(count, "entry", plural: "entries")
  }

  /// `2: spam 5 · sales 3`, or what is known of the count.
  private static func labels(_ labels: ShardFolderDescription.Labels) -> String {
    guard let list = labels.list else {
      if let count = labels.count { return Figures.grouped(UInt64(count)) }
      return labels.atLeast.map { "at least \(Figures.grouped(UInt64($0)))" } ?? "not counted"
    }
    let listed = CountryText.listed(
      list.map { ($0.label.isEmpty ? "no label" : PrintableText.line($0.label), $0.entries) }, "more label",
      plural: "more labels")
    return Figures.grouped(UInt64(list.count)) + (listed.isEmpty ? "" : ": " + listed)
  }

  private static func countries(_ countries: [Manifest.Country]) -> String {
    CountryText.listed(
      countries.map { (CountryText.name($0.callingCode, $0.region), $0.entries) }, "more country",
      plural: "more countries")
  }

  private static func deltas(_ deltas: ShardFolderDescription.Deltas?) -> String? {
    deltas.map {
      "\(Figures.counted(UInt64($0.files), "file")), \(Figures.grouped($0.bytes)) bytes: "
        + "\(entries($0.removals)) to remove, \(Figures.grouped($0.additions)) to add"
    }
  }

  private static func table(_ shards: [Manifest.Shard]) -> [String] {
    let width = max("store".count, shards.map(\.store.name.count).max() ?? 0)
    func line(_ id: String, _ from: String, _ name: String, _ entries: String) -> String {
      id.paddingStart(to: 6) + from.paddingStart(to: 17) + "  " + name.padding(to: width)
        + entries.paddingStart(to: 11)
    }
    return [line("id", "from", "store", "entries")]
      + shards.map {
        line("\($0.id)", "\($0.from)", $0.store.name, Figures.grouped($0.store.entries.sum))
      }
  }

  // MARK: JSON

  package static func json(_ directory: ShardFolder) -> String {
    JSONDocument.text(ShardFolderDescription(directory))
  }
}

/// The JSON form of the facts about a directory of shards; keys without a value are left out.
private struct ShardFolderDescription: Encodable {
  struct Shard: Encodable {
    var id: Int
    var from: UInt64
    var file: String
    var contentHash: String
    var bytes: UInt64
    var records: KindCounts
    var entries: KindCounts
    var first: UInt64?
    var last: UInt64?
  }
  struct Labels: Encodable {
    /// The number of distinct labels, if it is known.
    var count: Int?
    /// The number of distinct labels of the shard with the most, if ``count`` is not known.
    var atLeast: Int?
    /// All labels, the most frequent first, if every shard lists its own.
    var list: [Manifest.Labels.LabelCount]?
  }
  struct Deltas: Encodable {
    var files: Int
    var bytes: UInt64
    var removals: UInt64
    var additions: UInt64
  }

  var manifest: String
  var version: String?
  var contentID: String
  var date: String?
  /// The size of the shards' stores.
  var bytes: UInt64
  var records: KindCounts
  var entries: KindCounts
  var first: UInt64?
  var last: UInt64?
  var labels: Labels
  var countries: [Manifest.Country]?
  var shards: [Shard]
  var bootstrap: Manifest.Store?
  var baseline: Manifest.Baseline?
  var deltas: Deltas?

  init(_ directory: ShardFolder) {
    let manifest = directory.manifest
    let stores = manifest.shards.map(\.store)
    self.manifest = directory.manifestPath
    version = directory.version
    contentID = manifest.contentID
    date = manifest.date
    bytes = stores.reduce(0) { $0 &+ $1.bytes }
    records = manifest.records
    entries = manifest.entries
    first = stores.lazy.compactMap(\.first).first
    last = stores.reversed().lazy.compactMap(\.last).first
    labels = Self.labels(manifest.shards)
    countries = manifest.countries
    shards = zip(manifest.shards, directory.shards).map { shard, opened in
      Shard(
        id: shard.id, from: shard.from, file: opened.store.path, contentHash: shard.store.contentHash,
        bytes: shard.store.bytes, records: shard.store.records, entries: shard.store.entries,
        first: shard.store.first, last: shard.store.last)
    }
    bootstrap = manifest.bootstrap
    baseline = manifest.baseline
    let steps = manifest.shards.flatMap { $0.deltas ?? [] }
    if !steps.isEmpty {
      deltas = Deltas(
        files: steps.count, bytes: steps.reduce(0) { $0 &+ $1.bytes },
        removals: steps.reduce(0) { $0 &+ $1.removals }, additions: steps.reduce(0) { $0 &+ $1.additions })
    }
  }

  /// Adds up the labels of the shards, as far as they are listed.
  private static func labels(_ shards: [Manifest.Shard]) -> Labels {
    var sums: [String: Manifest.Labels.LabelCount] = [:]
    for shard in shards {
      guard let list = shard.labels.list else {
        let counts = shards.compactMap(\.labels.count)
        return shards.count == 1
          ? Labels(count: shard.labels.count) : Labels(atLeast: counts.max())
      }
      for use in list {
        sums[use.label, default: .init(label: use.label, records: 0, entries: 0)].records &+= use.records
        sums[use.label]?.entries &+= use.entries
      }
    }
    let list = sums.values.sorted {
      ($1.entries, $0.label) < ($0.entries, $1.label)
    }
    return Labels(count: list.count, list: list)
  }
}
