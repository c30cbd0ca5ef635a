// The labels of a shard in a manifest, and a shard with more labels than are counted.

import RecordStages
import Records
import TestSupport
import Testing

@Suite("Labels in manifests", .seeded)
struct ShardLabelCounterTests {
  /// The label of a record: one of a few in the first shard, a distinct label in the second, then one of a few again.
  private static func label(_ index: Int) -> String {
    switch index {
    case ..<7_000: "few \(index % 3)"
    case ..<14_000: "own \(index)"
    default: index % 5 == 0 ? "" : "few \(index % 4)"
    }
  }

  @Test(
    "a shard's labels are counted for any batches, and none remains from the previous shard",
    arguments: [Cut.whole, .every(6_500), .every(997), .every(1)])
  func shardOfManyLabels(cut: Cut) throws {
    let records = (0..<20_000).map { TestRecord(8_613_000_000_000 + UInt64($0) * 7, Self.label($0)) }
    let directory = try TemporaryDirectory()
    var options = EmitOptions(format: .store, output: directory / "shards")
    options.maxEntries = 7_000
    try EmitterTests.emit(records, [options], cut: cut)
    let manifest = try ReadManifest(directory / "shards")
    try #require(manifest.shards.count == 3)
    #expect(manifest.shards[1].labels.count == nil && manifest.shards[1].labels.list == nil)
    for (shard, range) in [(0, 0..<7_000), (2, 14_000..<20_000)] {
      let uses = try #require(manifest.shards[shard].labels.list)
      var wanted: [String: UInt64] = [:]
      for index in range { wanted[Self.label(index), default: 0] += 1 }
      #expect(Dictionary(uniqueKeysWithValues: uses.map { ($0.label, $0.entries) }) == wanted)
      #expect(uses.allSatisfy { $0.records == $0.entries })
    }
  }
}
