// Many nights: after each, the extensions' stores are those of a fresh build, and the phone has their entries.

import CallDirectory
import CallDirectoryKit
import CallManifest
import Foundation
import TestSupport
import Testing

/// A made-up list that changes from night to night.
private struct ChangingList {
  private static let labels = ["a", "b", "fraud!", "spam!", "a label that is longer than a small string"]
  private var labels: [UInt64: String] = [:]
  var random: SplitMix64

  init(_ random: SplitMix64) {
    self.random = random
    for _ in 0..<50 { change() }
  }

  private mutating func change() {
    let number = UInt64.random(in: 1..<2 * PublishedList.boundary, using: &random)
    // The list has this number already.
    if number % PublishedList.boundary == PublishedList.boundary - 1 { return }
    labels[number] = random.chance(oneIn: 2) ? Self.labels.randomElement(using: &random) : nil
    if let present = labels.keys.sorted().randomElement(using: &random), random.chance(oneIn: 2) {
      labels[present] = random.chance(oneIn: 2) ? nil : Self.labels.randomElement(using: &random)
    }
  }

  /// Changes some numbers; in one night of four, none.
  mutating func pass() {
    if random.chance(oneIn: 4) { return }
    for _ in 0..<random.below(8) { change() }
  }

  var shards: [[TestRecord]] {
    let records = labels.sorted { $0.key < $1.key }.map { TestRecord($0.key, $0.value) }
    return [
      records.filter { $0.first < PublishedList.boundary },
      records.filter { $0.first >= PublishedList.boundary },
    ]
  }
}

/// The bytes of nights: stores and deltas, without manifests and signatures.
private struct NightBytes: CustomStringConvertible {
  /// What was downloaded.
  var received = 0
  /// The deltas that lead from each former store to the new one, if there are any.
  var deltas = 0
  /// What an updater would download that needs the new stores, too.
  var asBefore = 0

  /// Adds a night, after its update.
  mutating func add(_ scene: UpdateScene, since former: [Int: [UInt8]]) {
    let requests = scene.server.nextRequests().filter { $0.name.contains(".cd") }
    received += requests.reduce(0) { $0 + $1.bytes }
    for shard in scene.list.manifest?.shards ?? [] {
      guard let bytes = former[shard.id], bytes != scene.list.stores[shard.id] else { continue }
      let chain = shard.chains[PublishedList.contentHash(bytes)] ?? []
      let size = Int(chain.reduce(0) { $0 + $1.bytes })
      deltas += size
      asBefore += size + Int(shard.store.bytes)
    }
  }

  var description: String { "\(received) bytes; deltas \(deltas), deltas and stores \(asBefore)" }
}

@Suite("Nights of updates", .seeded)
struct UpdateNightsTests {
  /// Expects that lookups find what they find in the stores of a fresh build.
  private func expectCallers(_ scene: UpdateScene, _ random: inout SplitMix64) throws {
    let lookup = try CallerLookup([1, 2].map { scene.files(of: $0) })
    let fresh = try [1, 2].map { shard in
      let path = scene.place / "fresh-\(shard)"
      try PlainFile.write(path, try #require(scene.list.stores[shard]))
      return path
    }
    let expected = try CallerLookup(stores: fresh)
    for _ in 0..<50 {
      let number = UInt64.random(in: 0...2 * PublishedList.boundary, using: &random)
      #expect(try lookup.caller(number) == expected.caller(number), "\(number)")
    }
  }

  @Test(
    "each update leads to the stores of a fresh build and to their entries, also after missed nights",
    arguments: [UpdateEncoding.plain, .gzip])
  func nights(_ encoding: UpdateEncoding) async throws {
    let scene = try UpdateScene(signed: encoding == .plain)
    scene.encoding = encoding
    let phone = try UpdatePhone(scene)
    var list = ChangingList(SplitMix64(test: "nights \(encoding)"))
    // Together 900 in `make soak`.
    let nights =
      encoding == .plain ? TestEffort.cases(short: 120, long: 600) : TestEffort.cases(short: 80, long: 300)
    var (updates, incremental, unchanged) = (0, 0, 0)
    var bytes = NightBytes()
    for night in 1...nights {
      scene.now += 86_400
      list.pass()
      let hasBootstrap = list.random.chance(oneIn: 10)
      try scene.publish(
        list.shards, deltasFrom: list.random.chance(oneIn: 10) ? 0 : 1 + list.random.below(3),
        entriesMax: list.random.chance(oneIn: 5) ? 4 : 1000,
        bootstrap: hasBootstrap ? [TestRecord(7, "bootstrap")] : nil)
      // The phone is off in one night of five.
      if list.random.chance(oneIn: 5), night < nights { continue }
      let before = try scene.stores()
      _ = scene.server.nextRequests()
      let update = try await scene.updater.update()
      updates += 1
      bytes.add(scene, since: before)
      #expect(try scene.stores() == scene.list.stores)
      #expect(update.shards == [1, 2] && update.removed.isEmpty)
      #expect(update.changed == [1, 2].filter { before[$0] != scene.list.stores[$0] })
      #expect(update.serial == (scene.signer == nil ? nil : scene.serial))
      if update.isUpToDate { unchanged += 1 }
      try expectCallers(scene, &list.random)
      // The app is not always started after an update. If it is, the extensions catch up.
      for shard in [1, 2] where night % 4 < 2 {
        let next = try #require(scene.updater.files(of: shard)).progress().next
        if next == .nothing { continue }
        if case .delta = next { incremental += 1 }
        try await phone.load(shard, scene)
        let numbers = (0..<4).map { _ in
          UInt64.random(in: 1..<2 * PublishedList.boundary, using: &list.random)
        }.filter { ($0 < PublishedList.boundary) == (shard == 1) }
        try phone.expect(shard, list.shards[shard - 1], numbers: numbers)
      }
    }
    // Otherwise the nights did not test what they are for.
    #expect(bytes.received < bytes.asBefore / 3 * 2 && bytes.received >= bytes.deltas, "\(bytes)")
    #expect(updates > nights / 2 && incremental > nights / 20 && unchanged > nights / 20)
    for shard in [1, 2] {
      try await phone.load(shard, scene)
      let first = shard == 1 ? 1 : PublishedList.boundary
      try phone.expect(
        shard, list.shards[shard - 1], numbers: first..<UInt64(shard) * PublishedList.boundary)
    }
  }
}
