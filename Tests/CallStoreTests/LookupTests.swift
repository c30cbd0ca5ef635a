// Lookups, compared with a plain dictionary.

import CallStoreFormat
import CallStoreReader
import TestSupport
import Testing

@Suite struct LookupTests {
  @Test(arguments: [1, 2, 3, 12, 400, 6_000, 0])
  func againstTheRows(labels: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("CallStoreTests lookup, \(labels) labels: seed \(seed)")
    var random = SplitMix64(seed: seed)
    let wanted = randomRows(22_000, gap: 1...2_000_000, rangesIn1000: 40, labels: labels, using: &random)
    let file = try TemporaryStore(encode(wanted).bytes)
    let store = try CallStore(path: file.path)
    for (index, row) in wanted.enumerated() where index % 5 == 0 {
      let inside = UInt64.random(in: row.first...row.last, using: &random)
      for number in [row.first, row.last, inside] {
        let found = try #require(try store.record(of: number), "seed \(seed)")
        var got = StoreRow(found.first, found.last, found.kind)
        got.label = bytes(of: found.label, in: store)
        try #require(got == row, "seed \(seed)")
      }
      let nextFirst = index + 1 < wanted.count ? wanted[index + 1].first : .max
      if row.last + 1 < nextFirst { #expect(try store.record(of: row.last + 1) == nil, "seed \(seed)") }
    }
    #expect(try store.record(of: 0) == nil)
    #expect(try store.record(of: .max) == nil)
  }

  @Test func inAnEmptyStore() throws {
    let file = try TemporaryStore(encode([]).bytes)
    let store = try CallStore(path: file.path)
    #expect(try store.record(of: 1) == nil)
    #expect(store.firstNumber == nil)
    #expect(store.labelCount == 0)
  }
}
