// Numbers looked up in stores and directories of shards, against a linear search.

import CallStoreFormat
import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import StoreWriting

@Suite("Lookups in lists")
struct ListLookupTests {
  /// Records with gaps, some of them ranges.
  private static func records(_ count: Int, _ random: inout SplitMix64) -> [TestRecord] {
    var records: [TestRecord] = []
    var next: UInt64 = 1
    for index in 0..<count {
      let first = next + UInt64.random(in: 0...3, using: &random)
      let last = first + (random.chance(oneIn: 3) ? UInt64.random(in: 1...4, using: &random) : 0)
      records.append(TestRecord(first, to: last, "label \(index % 7)"))
      next = last + 1
    }
    return records
  }

  @Test("the record of each number is found in a store and in its shard", .seeded)
  func model() throws {
    var random = SplitMix64(test: "lookups in lists")
    let place = try TemporaryDirectory()
    for round in 0..<20 {
      let records = Self.records(Int.random(in: 1...60, using: &random), &random)
      let maxEntries = UInt64.random(in: 1...20, using: &random)
      try emitShards(records, to: place / "\(round).cdstore")
      try emitShards(records, to: place / "\(round)", maxEntries: maxEntries)
      let lookup = try ListLookup([place / "\(round).cdstore", place / "\(round)"])
      for number in 0...(records[records.count - 1].last + 2) {
        let matches = try lookup.matches(of: number)
        guard let record = records.first(where: { $0.first <= number && number <= $0.last }) else {
          #expect(matches.isEmpty)
          continue
        }
        let label = String(decoding: record.recordFields, as: UTF8.self)
        #expect(matches.map(\.list) == lookup.names)
        #expect(matches.allSatisfy { $0.label == label && $0.first <= number && number <= $0.last })
        #expect(matches.first?.first == record.first && matches.first?.last == record.last)
      }
    }
  }

  /// A record and its first number in some ranges.
  private struct Found: Equatable, CustomStringConvertible {
    var number: UInt64
    var first: UInt64
    var last: UInt64
    var label: String

    var description: String { "\(number): \(first)..\(last) \(label)" }
  }

  /// The records that overlap some ranges, by the names of their lists.
  private static func found(
    in ranges: [ClosedRange<UInt64>], _ lookup: ListLookup
  ) throws(Failure) -> [String: [Found]] {
    var found: [String: [Found]] = [:]
    try lookup.forEachMatch(in: ranges) { (number, match) throws(Failure) in
      found[match.list, default: []].append(
        Found(number: number, first: match.first, last: match.last, label: match.label))
    }
    return found
  }

  /// The records with a number that starts with some digits, found by a search of all numbers.
  private static func searched(_ prefix: UInt64, _ records: [Found]) -> [Found] {
    let digits = "\(prefix)"
    return records.compactMap { record in
      (record.first...record.last).first { "\($0)".hasPrefix(digits) }.map {
        Found(number: $0, first: record.first, last: record.last, label: record.label)
      }
    }
  }

  @Test("the records with the numbers of a prefix are found in a store and in its shards", .seeded)
  func prefixes() throws {
    var random = SplitMix64(test: "prefixes in lists")
    let place = try TemporaryDirectory()
    for round in 0..<12 {
      // The first store has several blocks of each kind.
      let records = Self.records(round == 0 ? 25_000 : Int.random(in: 1...300, using: &random), &random)
      let names = [place / "\(round).cdstore", place / "\(round)"]
      for (name, maxEntries) in zip(names, [100_000, round == 0 ? 20_000 : 40] as [UInt64]) {
        let options = EmitOptions(
          format: .store, blockGlobs: ["label 1", "label 2", "label 3"], maxEntries: maxEntries, output: name)
        try ShardOptionTests.emit(records, options, calls: FailingCalls.unsynced())
      }
      let lookup = try ListLookup(names)
      let all = try Self.found(in: [1...PhoneNumber.max], lookup)
      let plain = records.map {
        Found(
          number: $0.first, first: $0.first, last: $0.last,
          label: String(decoding: $0.recordFields, as: UTF8.self))
      }
      #expect(all[names[0]] == plain)
      // A range is cut where a shard ends.
      let numbers = [plain, all[names[1]] ?? []].map { $0.flatMap { Array($0.first...$0.last) } }
      #expect(numbers[0] == numbers[1])
      for _ in 0..<(round == 0 ? 10 : 30) {
        var prefix = UInt64.random(in: 1...(records[records.count - 1].last + 9), using: &random)
        if random.chance(oneIn: 2) { prefix = max(1, prefix / 10) }
        let found = try Self.found(in: PhoneNumber.ranges(startingWith: prefix), lookup)
        for name in names {
          #expect(found[name] ?? [] == Self.searched(prefix, all[name] ?? []), "\(prefix)")
        }
      }
    }
  }

  @Test("ranges that start and end inside records, at their ends, and at the largest number")
  func boundaries() throws {
    let place = try TemporaryDirectory()
    let records = [
      TestRecord(7, "a"), TestRecord(95, to: 1_200, "b"), TestRecord(86_755, to: 86_756, "c"),
      TestRecord(867_551_234_567_890, "d"), TestRecord(PhoneNumber.max, "e"),
    ]
    try emitShards(records, to: place / "o.cdstore", maxEntries: 10_000)
    let lookup = try ListLookup([place / "o.cdstore"])
    func labels(_ prefix: UInt64) throws -> String {
      let found = try Self.found(in: PhoneNumber.ranges(startingWith: prefix), lookup)
      return found.values.joined().map { "\($0.label)\($0.number)" }.joined(separator: " ")
    }
    // A record that overlaps several ranges comes once.
    #expect(try labels(1) == "b100")
    #expect(try labels(9) == "b95 e999999999999999")
    #expect(try labels(94) == "b940" && labels(2_000).isEmpty)
    #expect(try labels(12) == "b120" && labels(1_200) == "b1200" && labels(1_201).isEmpty)
    #expect(try labels(86_755) == "c86755 d867551234567890" && labels(86_756) == "c86756")
    #expect(try labels(867_551_234_567_890) == "d867551234567890" && labels(867_551_234_567_891).isEmpty)
    #expect(try labels(PhoneNumber.max) == "e999999999999999")
  }

  @Test("a directory that is replaced after the first record of a range is an error, not a mixture")
  func replacedInside() throws {
    let place = try TemporaryDirectory()
    try emitShards((1...4).map { TestRecord($0, "old") }, to: place / "dir", maxEntries: 1)
    let lookup = try ListLookup([place / "dir"])
    var labels: [String] = []
    let failure = stageError { () throws(Failure) in
      try lookup.forEachMatch(in: [1...4]) { (_, match) throws(Failure) in
        labels.append(match.label)
        if labels.count == 1 { try? emitShards((1...4).map { TestRecord($0, "new") }, to: place / "dir") }
      }
    }
    #expect(failure?.code == "replaced" && labels == ["old"])
    lookup.refresh()
    #expect(try Self.found(in: [1...4], lookup).values.joined().map(\.label) == ["new", "new", "new", "new"])
  }

  @Test("only the shards that hold the numbers are opened, and not more than the limit")
  func openStores() throws {
    let place = try TemporaryDirectory()
    let count = UInt64(ListLookup.openStoresMax) + 6
    try emitShards((1...count).map { TestRecord($0 * 10, "a") }, to: place / "dir", maxEntries: 1)
    let lookup = try ListLookup([place / "dir"])
    #expect(lookup.openStores == 0)
    #expect(try lookup.matches(of: 500).count == 1)
    #expect(try lookup.matches(of: 505).isEmpty)
    #expect(lookup.openStores == 1)
    #expect(try Self.found(in: [500...505, 600...PhoneNumber.max], lookup).values.joined().count == 12)
    #expect(lookup.openStores == 12)
    for _ in 0..<2 {
      for number in 1...count {
        #expect(try lookup.matches(of: number * 10).count == 1)
        #expect(lookup.openStores <= ListLookup.openStoresMax)
      }
    }
    #expect(lookup.openStores == ListLookup.openStoresMax)
  }

  @Test("a shard that is missing or not the manifest's is an error once a number needs it")
  func otherShards() throws {
    let place = try TemporaryDirectory()
    try emitShards((1...3).map { TestRecord($0, "a") }, to: place / "dir", maxEntries: 1)
    let stores = try ShardFolder(place / "dir").shards.map(\.store)
    try place.write("dir/\(stores[1].name)", try #require(place.read("dir/\(stores[0].name)")))
    place.remove("dir/\(stores[2].name)")
    let lookup = try ListLookup([place / "dir"])
    #expect(try lookup.matches(of: 1).count == 1)
    func failure(of number: UInt64) -> Failure? {
      stageError { () throws(Failure) in _ = try lookup.matches(of: number) }
    }
    #expect(
      failure(of: 2)
        == .otherShard(path: stores[1].path, expected: stores[1].contentHash, found: stores[0].contentHash))
    #expect(
      failure(of: 3)
        == .missingShard(path: stores[2].path, code: Errno.noSuchFileOrDirectory.rawValue))
  }

  @Test("a directory that was replaced is opened again, when a number needs it or on request")
  func replaced() throws {
    let place = try TemporaryDirectory()
    try emitShards((1...4).map { TestRecord($0, "old") }, to: place / "dir", maxEntries: 1)
    let lookup = try ListLookup([place / "dir"])
    let directory = try ShardFolder(place / "dir")
    #expect(try lookup.matches(of: 1).map(\.label) == ["old"])
    try emitShards((1...4).map { TestRecord($0, "new") }, to: place / "dir", maxEntries: 4)
    #expect(try lookup.matches(of: 3).map(\.label) == ["new"])
    #expect(try lookup.matches(of: 1).map(\.label) == ["new"])
    try emitShards([TestRecord(1, "newest")], to: place / "dir")
    #expect(try lookup.matches(of: 1).map(\.label) == ["new"])
    lookup.refresh()
    #expect(try lookup.matches(of: 1).map(\.label) == ["newest"])
    #expect(directory.isReplaced)
    let failure = stageError { () throws(Failure) in try directory.checkHeaders() }
    #expect(failure?.code == "replaced")
  }

  @Test("a lookup waits for a directory that is missing while it is replaced, but not forever")
  func missingForAMoment() throws {
    let place = try TemporaryDirectory()
    try emitShards((1...4).map { TestRecord($0, "old") }, to: place / "dir", maxEntries: 1)
    try emitShards((1...4).map { TestRecord($0, "new") }, to: place / "next", maxEntries: 1)
    let lookup = try ListLookup([place / "dir"])
    let (name, next, old) = (FilePath(place / "dir"), FilePath(place / "next"), FilePath(place / "old"))
    try KernelCalls().rename(name, to: old)
    var pauses = 0
    lookup.pause = { pauses += 1 }
    #expect(stageError { () throws(Failure) in _ = try lookup.matches(of: 1) } != nil)
    #expect(pauses == 99)
    lookup.pause = {
      pauses += 1
      if pauses == 150 { try? KernelCalls().rename(next, to: name) }
    }
    #expect(try lookup.matches(of: 3).map(\.label) == ["new"])
    #expect(pauses == 150)
  }

  @Test("a list that is not a store is an error before the first lookup")
  func noStore() throws {
    let place = try TemporaryDirectory()
    try place.write("list.tsv", Array("1\n".utf8))
    for name in ["list.tsv", "missing"] {
      #expect(stageError { () throws(Failure) in _ = try ListLookup([place / name]) } != nil)
    }
  }
}
