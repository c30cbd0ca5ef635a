// A caller's name, looked up in the stores of several extensions.

import CallDirectory
import StoreSupport
import TestSupport
import Testing

@Suite("Callers")
struct CallerLookupTests {
  @Test("numbers are found in the store that contains them")
  func shards() throws {
    let place = try TemporaryDirectory()
    let shards = [
      [TestRecord(10, "ten"), TestRecord(20, to: 29, "no!")], [],
      [TestRecord(35, "x"), TestRecord(50, "fifty")],
      [TestRecord(51, to: 60, "sixty")],
    ]
    for (index, records) in shards.enumerated() {
      try StoreFiles.write(records, to: place / "\(index).cdstore")
    }
    let lookup = try CallerLookup(stores: [2, 0, 3, 1].map { place / "\($0).cdstore" })
    var found: [UInt64: Caller] = [:]
    for number in UInt64(0)...100 { found[number] = try lookup.caller(number) }
    var expected: [UInt64: Caller] = [:]
    for record in shards.joined() {
      for number in record.first...record.last {
        expected[number] = Caller(
          isBlocked: StoreFiles.isBlocking(record),
          label: String(decoding: record.recordFields, as: UTF8.self))
      }
    }
    #expect(found == expected)
    #expect(try lookup.caller(.max) == nil)
    #expect(try CallerLookup(stores: []).caller(1) == nil)
  }

  @Test("stores whose numbers overlap are refused")
  func overlap() throws {
    let place = try TemporaryDirectory()
    try StoreFiles.write([TestRecord(1, "a"), TestRecord(9, "a")], to: place / "one")
    try StoreFiles.write([TestRecord(5, "a")], to: place / "two")
    #expect(throws: CallDirectoryError.overlap(place / "one", place / "two")) {
      _ = try CallerLookup(stores: [place / "two", place / "one"])
    }
  }

  @Test("deltas change the answers of a store, whatever the order of the files", .seeded, arguments: 0..<8)
  func deltas(_ run: Int) throws {
    var random = SplitMix64(test: "caller \(run)")
    let place = try TemporaryDirectory()
    func records() -> [TestRecord] {
      (1...40).filter { _ in random.chance(oneIn: 2) }.map {
        TestRecord(
          $0 * 3, to: $0 * 3 + UInt64.random(in: 0...2, using: &random), random.chance(oneIn: 2) ? "a" : "b!")
      }
    }
    let (old, new) = (records(), records())
    try StoreFiles.write(old, to: place / "old")
    try StoreFiles.write(new, to: place / "new")
    let steps = try StoreFiles.makeDeltas(
      in: place, from: "old", to: "new", entriesMax: UInt64.random(in: 3...200, using: &random)
    ).count
    let deltas = (1...steps).map { place / "\($0).cddelta" }
    let after = try CallerLookup([ExtensionFiles(store: place / "old", deltas: deltas, record: "")])
    let ahead = try CallerLookup([ExtensionFiles(store: place / "new", deltas: deltas, record: "")])
    let plain = try CallerLookup(stores: [place / "new"])
    for number in UInt64(1)...130 {
      let expected = try plain.caller(number)
      #expect(try after.caller(number) == expected)
      #expect(try ahead.caller(number) == expected)
    }
  }

  @Test("a shard that was divided by a delta does not hide the numbers of the new one")
  func divided() throws {
    let place = try TemporaryDirectory()
    try StoreFiles.write([TestRecord(10, "a"), TestRecord(50, "b"), TestRecord(90, "c")], to: place / "old")
    try StoreFiles.write([TestRecord(10, "a")], to: place / "new")
    try StoreFiles.write([TestRecord(50, "B"), TestRecord(90, "c")], to: place / "next")
    _ = try StoreFiles.makeDeltas(in: place, from: "old", to: "new", entriesMax: 100)
    let lookup = try CallerLookup([
      ExtensionFiles(store: place / "next", record: ""),
      ExtensionFiles(store: place / "old", deltas: [place / "1.cddelta"], record: ""),
    ])
    #expect(try [10, 50, 70, 90].map { try lookup.caller($0)?.label } == ["a", "B", nil, "c"])
  }
}
