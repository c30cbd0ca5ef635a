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

@Suite("Nights of updates", .seeded)
struct UpdateNightsTests {
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
    for night in 1...nights {
      scene.now += 86_400
      list.pass()
      let hasBootstrap = list.random.chance(oneIn: 10)
      try scene.publish(
        list.shards, deltasFrom: list.random.below(3), entriesMax: list.random.chance(oneIn: 5) ? 4 : 1000,
        bootstrap: hasBootstrap ? [TestRecord(7, "bootstrap")] : nil)
      // The phone is off in one night of five.
      if list.random.chance(oneIn: 5), night < nights { continue }
      let before = scene.stores()
      let update = try await scene.updater.update()
      updates += 1
      #expect(scene.stores() == scene.list.stores)
      #expect(update.shards == [1, 2] && update.removed.isEmpty)
      #expect(update.changed == [1, 2].filter { before[$0] != scene.list.stores[$0] })
      #expect(update.serial == (scene.signer == nil ? nil : scene.serial))
      if update.isUpToDate { unchanged += 1 }
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
    #expect(updates > nights / 2 && incremental > nights / 20 && unchanged > nights / 20)
    for shard in [1, 2] {
      try await phone.load(shard, scene)
      let first = shard == 1 ? 1 : PublishedList.boundary
      try phone.expect(
        shard, list.shards[shard - 1], numbers: first..<UInt64(shard) * PublishedList.boundary)
    }
  }
}
