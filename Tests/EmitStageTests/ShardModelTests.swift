// Random lists that change from night to night, against the naive model: boundaries are kept, only full shards split,
// no number is lost, and the deltas make the new stores from the old ones, byte for byte.

import BasicContainers
import CallDeltaReader
import CallStoreFormat
import CallStoreReader
import RecordStages
import Records
import StoreWriting
import SystemIO
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Shards against a model")
struct ShardModelTests {
  /// The number of shards that are compared with the model, each with its boundary, contents, files and deltas; about 6
  /// ms each in a debug build. `CDPIPE_SHARD_CASES` sets the number for a longer run.
  static let shardsMin =
    unsafe getenv("CDPIPE_SHARD_CASES").flatMap { unsafe Int(String(cString: $0)) }
    ?? TestEffort.cases(short: 1000, long: 5000)

  /// A list that changes every night.
  struct List {
    static let labels = ["a", "b", "bc", "長い名前", ""]
    var entries: [ShardEntry] = []
    let universe: UInt64
    let rangeWidth: UInt64

    init(_ random: inout SplitMix64) {
      universe = UInt64([60, 300, 2000].randomElement(using: &random) ?? 300)
      rangeWidth = UInt64([1, 4, 40].randomElement(using: &random) ?? 4)
    }

    /// Adds records that replace or extend the present ones, and removes some.
    mutating func change(_ random: inout SplitMix64, times: Int) {
      for _ in 0..<times {
        let first = UInt64.random(in: 1...universe, using: &random)
        let last = first + (random.chance(oneIn: 3) ? UInt64.random(in: 0..<rangeWidth, using: &random) : 0)
        let label = Self.labels.randomElement(using: &random) ?? ""
        let kind: StoreKind = label.isEmpty || label.hasPrefix("b") ? .blocking : .identification
        let isRemoval = random.chance(oneIn: 3)
        var next: [ShardEntry] = []
        var isPut = isRemoval
        for entry in entries {
          if !isPut, entry.first > first {
            next.append(ShardEntry(first: first, last: last, label: label, kind: kind))
            isPut = true
          }
          if entry.last < first || entry.first > last { next.append(entry) }
        }
        if !isPut { next.append(ShardEntry(first: first, last: last, label: label, kind: kind)) }
        entries = next.sorted { $0.first < $1.first }
      }
    }

    var records: [TestRecord] { entries.map { TestRecord($0.first, to: $0.last, $0.label) } }
  }

  @Test("the shards equal those of the model, night after night", .seeded)
  func nights() throws {
    var random = SplitMix64(test: "nights")
    let place = try TemporaryDirectory()
    var batch = RecordBatch()
    var checked = 0
    var splits = 0
    var deltas = 0
    // Few lists have few deltas by chance: more lists follow until there are enough, within limits.
    while checked < Self.shardsMin
      || (checked < 4 * Self.shardsMin && (splits <= Self.shardsMin / 250 || deltas <= Self.shardsMin / 10))
    {
      let directory = place / "shards"
      defer { removeDirectory(directory) }
      var list = List(&random)
      list.change(&random, times: RecordShape.randomCount(&random, most: 80))
      var options = EmitOptions(
        format: .store, blockGlobs: ["b*"], maxEntries: UInt64.random(in: 3...50, using: &random),
        output: directory)
      options.allowsEmpty = true
      var model = ShardModel(maxEntries: options.maxEntries)
      if random.chance(oneIn: 2) {
        options.shards.fillPercent = Int.random(in: 1...100, using: &random)
        model.fillPercent = options.shards.fillPercent.map(UInt64.init)
      }
      if random.chance(oneIn: 3) { options.shards.deltaEntries = UInt64.random(in: 2...20, using: &random) }
      var old: [ShardState] = []
      for night in 0..<5 {
        let expected = model.shards(of: list.entries, keeping: old)
        // After a first night that failed, there is nothing to keep.
        options.shards.baseline = Directory.holdsFile(directory + "/manifest.json") ? directory : "none"
        options.threads = random.chance(oneIn: 20) ? 2 : 1
        let isTooMany = random.chance(oneIn: 10) && expected.count > 1
        options.shards.shards = isTooMany ? expected.count - 1 : nil
        let stores = try Self.stores(in: directory)
        let before = try stores.isEmpty ? nil : ShardFolder(directory).shards
        let context = StageContext(
          meter: StageMeter(.emit), rejects: try RejectLog(), calls: FailingCalls.unsynced())
        let records = list.records
        // A failed run has added its records to the list.
        batch.removeAll()
        let cut = random.chance(oneIn: 4) ? Cut.every(3) : .whole
        let failure = stageError { () throws(Failure) in
          try feed(records, cut: cut, through: &batch, to: try Emitter(options: [options], context: context))
        }
        checked += expected.count + 1
        if isTooMany {
          guard failure?.code == "too-many-shards" else {
            Issue.record("expected too many shards, got \(String(describing: failure))")
            return
          }
          #expect(try Self.stores(in: directory) == stores)
          options.shards.shards = nil
          continue
        }
        if failure == nil, let before {
          let changes = try ShardFolder(directory).changes(since: before)
          guard changes == Self.changes(old, expected) else {
            Issue.record("\(String(describing: changes)): \(old) to \(expected)")
            return
          }
        }
        guard failure == nil, try Self.isRight(directory, expected, stores, place, model, &deltas) else {
          Issue.record(
            """
            \(String(describing: failure)): max \(options.maxEntries), fill \(options.shards.fillPercent ?? 0), \
            delta entries \(options.shards.deltaEntries ?? 0), night \(night)
            old \(old)
            new \(list.records)
            """)
          return
        }
        splits += expected.count - (old.isEmpty ? expected.count : old.count)
        old = expected
        list.change(&random, times: Int.random(in: 0...12, using: &random))
      }
    }
    // The cases that the test is about did occur.
    #expect(splits > Self.shardsMin / 250)
    #expect(deltas > Self.shardsMin / 10)
  }

  /// The counts of changed numbers, number by number.
  static func changes(_ old: [ShardState], _ new: [ShardState]) -> NumberChanges {
    func labels(_ shards: [ShardState]) -> [UInt64: String] {
      var labels: [UInt64: String] = [:]
      for entry in shards.flatMap(\.entries) {
        for number in entry.first...entry.last { labels[number] = entry.label }
      }
      return labels
    }
    let (old, new) = (labels(old), labels(new))
    return NumberChanges(
      added: UInt64(new.keys.count { old[$0] == nil }), removed: UInt64(old.keys.count { new[$0] == nil }),
      relabelled: UInt64(new.count { number, label in old[number].map { $0 != label } ?? false }))
  }

  /// The stores of a directory by their ids, and the total length of its file names.
  static func stores(in directory: String) throws -> [Int: [UInt8]] {
    guard Directory.holdsFile(directory + "/manifest.json") else { return [:] }
    var stores: [Int: [UInt8]] = [:]
    for shard in try ReadManifest(directory).shards {
      stores[shard.id] = try fileBytes(directory + "/" + shard.name)
    }
    return stores
  }

  static func isRight(
    _ directory: String, _ expected: [ShardState], _ before: [Int: [UInt8]], _ place: TemporaryDirectory,
    _ model: ShardModel, _ deltaCount: inout Int
  ) throws -> Bool {
    let manifest = try ReadManifest(directory)
    let found = try shards(in: directory)
    guard found == expected else {
      Issue.record("found \(found)\nexpected \(expected)")
      return false
    }
    var named: Set = ["manifest.json"]
    for (shard, state) in zip(manifest.shards, expected) {
      named.insert(shard.name)
      named.formUnion((shard.deltas ?? []).map(\.name))
      let new = try fileBytes(directory + "/" + shard.name)
      guard state.count <= model.maxEntries, shard.first == state.entries.first?.first,
        shard.last == state.entries.last?.last, shard.bytes == new.count,
        shard.entries.blocking + shard.entries.identification == state.count,
        shard.records.blocking + shard.records.identification == UInt64(state.entries.count),
        shard.labels.count == Set(state.entries.map(\.label)).count,
        shard.labels.list?.reduce(0, { $0 + $1.entries }) == state.count
      else {
        Issue.record("the manifest is wrong about shard \(shard.id)")
        return false
      }
      guard let old = before[shard.id], old != new else {
        if shard.deltas != nil {
          Issue.record("shard \(shard.id) has a delta but did not change")
          return false
        }
        continue
      }
      try place.write("0.cdstore", old)
      for (index, delta) in (shard.deltas ?? []).enumerated() {
        deltaCount += 1
        let path = directory + "/" + delta.name
        let base = try CallStore(path: place / "\(index).cdstore")
        var output = try OutputFile(place / "\(index + 1).cdstore", calls: FailingCalls.unsynced())
        let opened = try CallDelta(path: path)
        _ = try DeltaApplication.apply(opened, at: path, to: base, at: "base", into: &output)
        try output.publish()
      }
      guard place.read("\(shard.deltas?.count ?? 0).cdstore") == new else {
        Issue.record("the deltas of shard \(shard.id) result in a different store")
        return false
      }
    }
    guard try Set(Directory.names(directory)) == named else {
      Issue.record("unexpected files: \(try Directory.names(directory))")
      return false
    }
    return true
  }
}
