// Directories read back: their records in any number of shards, lookups, and the full check.

import BasicContainers
import RecordStages
import Records
import StoreWriting
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Records of a Live Caller ID Lookup directory")
struct LookupRecordsTests {
  /// Records of all kinds: only a name, only blocked, both, ranges; labels with control characters.
  private static func input(_ count: Int) -> (records: [TestRecord], expected: [ReadRecord]) {
    var random = SplitMix64(test: "lookup")
    var records: [TestRecord] = []
    var expected: [ReadRecord] = []
    var number: UInt64 = 1
    for _ in 0..<count {
      number += random.chance(oneIn: 4) ? 1 : UInt64.random(in: 1...9_999_999_999, using: &random)
      let label = ["", "spam 1", "spam\\t2", "sales", "房产中介", "x\\\\y"][random.below(6)]
      let last = random.chance(oneIn: 10) ? number + UInt64(random.below(5)) : number
      records.append(TestRecord(number, to: last, label))
      let plain = RecordFields.fields(Array(label.utf8).span).label
      for one in number...last {
        expected.append(
          ReadRecord(number: one, isBlocked: plain.isEmpty || plain.hasPrefix("spam"), label: plain))
      }
      number = last
    }
    return (records, expected)
  }

  @Test(
    "the records are those that were emitted, with any number of shards", arguments: [1, 2, 256, 512, 4096])
  func shards(count: Int) throws {
    let place = try TemporaryDirectory()
    let (input, expected) = Self.input(2000)
    try emitLookup(input, to: place / "pir", shards: count) {
      $0.blockGlobs = ["spam*"]
      $0.threads = 2
      $0.lookup.entriesPerShard = 1
    }
    let directory = try CallerIDFolder(place / "pir")
    #expect(directory.manifest.identity.shards == count)
    // Both databases have more shards than are merged at a time.
    #expect(count < 4096 || directory.manifest.block.shards > CallerIDRecords.shardsPerRun)
    #expect(try records(of: directory) == expected)
    var batch = RecordBatch()
    var batches = CallerIDRecords(directory)
    var numbers: [UInt64] = []
    while try batches.next(&batch) {
      for index in 0..<batch.count { numbers.append(batch.firsts[index]) }
      batch.removeAll()
    }
    #expect(numbers == expected.map(\.number))
    for record in expected.prefix(100) {
      let found = try directory.record(of: record.number)
      #expect(found?.isBlocked == record.isBlocked && found?.label == record.label, "\(record)")
    }
    #expect(try directory.record(of: 999_999_999_999_998) == nil)
    if count <= 512 { #expect(try findings(in: place / "pir").isEmpty) }
  }

  @Test("a list without records is a directory without records")
  func empty() throws {
    let place = try TemporaryDirectory()
    try emitLookup([], to: place / "pir", shards: 4)
    #expect(try records(of: CallerIDFolder(place / "pir")).isEmpty)
    #expect(try findings(in: place / "pir").isEmpty)
  }

  @Test("a number in two shards is an error, whether or not they are merged first", arguments: [2, 512])
  func duplicates(count: Int) throws {
    let place = try TemporaryDirectory()
    try emitLookup([TestRecord(4_930_555_000_001, "a")], to: place / "pir", shards: count)
    let directory = try CallerIDFolder(place / "pir")
    let own = directory.manifest.function(.identity).index(Keyword(4_930_555_000_001).hash)
    let bytes = try #require(place.read("pir/identity-\(own).binpb"))
    try place.write("pir/identity-\(own ^ 1).binpb", bytes)
    #expect(
      recordsFinding(directory)
        == "duplicate-number: 4930555000001 occurs twice in the identity shards of '\(place / "pir/manifest.json")'"
    )
    try reseal(place, "pir")
    #expect(
      try findings(in: place / "pir") == [
        "row: '\(place / "pir/identity-\(own ^ 1).binpb")', byte 0: 4930555000001 belongs in shard \(own)"
      ])
  }

  @Test("a directory that is replaced while it is read is an error")
  func replaced() throws {
    let place = try TemporaryDirectory()
    try emitLookup([TestRecord(1, "a")], to: place / "pir", shards: 1)
    let directory = try CallerIDFolder(place / "pir")
    try emitLookup([TestRecord(1, "b")], to: place / "pir", shards: 1)
    #expect(
      recordsFinding(directory)
        == "replaced: '\(place / "pir/manifest.json")' was replaced while the directory was read")
  }

  @Test("lookups while a directory is replaced by others with more or fewer shards find every number")
  func replacedLookups() throws {
    let place = try TemporaryDirectory()
    let records = (1...64).map { TestRecord(UInt64($0), "name \($0)") }
    try emitLookup(records, to: place / "pir", shards: 4)
    let lookup = try ListLookup([place / "pir"])
    let old = try CallerIDFolder(place / "pir")
    for shards in [64, 1, 16] {
      try emitLookup(records, to: place / "pir", shards: shards)
      for record in records {
        #expect(try lookup.matches(of: record.first).map(\.label) == ["name \(record.first)"])
      }
    }
    let failure = stageError { () throws(Failure) in _ = try old.record(of: 1) }
    #expect(failure?.code == "replaced")
  }

  @Test("a shard that was cut between two rows is an error", arguments: CallerIDUse.allCases)
  func cut(use: CallerIDUse) throws {
    let place = try TemporaryDirectory()
    try emitLookup([TestRecord(1, "a"), TestRecord(2)], to: place / "pir", shards: 1)
    try place.write("pir/\(use.database(0))", [])
    let found = try recordsFinding(CallerIDFolder(place / "pir"))
    #expect(
      found
        == "contradiction: \(place / "pir/manifest.json"): '\(use.rawValue).rows' is not the value of the shards"
    )
  }

  @Test("every file that is damaged is found")
  func damage() throws {
    let place = try TemporaryDirectory()
    try emitLookup([TestRecord(1, "a"), TestRecord(2)], to: place / "pir", shards: 2)
    let names = try CallerIDFolder(place / "pir").names
    for name in names.dropFirst(2) {
      let path = place / "pir/\(name)"
      let bytes = try #require(place.read("pir/\(name)"))
      try place.write("pir/\(name)", bytes + [0])
      #expect(
        try findings(in: place / "pir") == [
          "other-file: '\(path)' is damaged: its SHA-256 is not the one in SHA256SUMS"
        ])
      place.remove("pir/\(name)")
      #expect(
        try findings(in: place / "pir") == [
          finding(Failure(nil, SystemError(.openInput, path, .noSuchFileOrDirectory)))
        ])
      try place.write("pir/\(name)", bytes)
    }
    let sums = try #require(place.read("pir/SHA256SUMS"))
    for damaged in [sums + [0x0A], Array(sums.dropLast()), Array(sums.dropFirst(100)), []] {
      try place.write("pir/SHA256SUMS", damaged)
      #expect(
        try findings(in: place / "pir") == [
          "invalid-sums: '\(place / "pir/SHA256SUMS")' does not belong to the manifest beside it"
        ])
    }
    try place.write("pir/SHA256SUMS", sums)
    try place.write("pir/identity-2.binpb", [])
    #expect(
      try findings(in: place / "pir") == [
        "unlisted-shard: '\(place / "pir/identity-2.binpb")' is not a shard of the directory"
      ])
    place.remove("pir/identity-2.binpb")
    #expect(try findings(in: place / "pir").isEmpty)
  }

  @Test("counts and configurations must be those of the rows")
  func contradictions() throws {
    let place = try TemporaryDirectory()
    try emitLookup([TestRecord(1, "a"), TestRecord(2)], to: place / "pir", shards: 1)
    let manifest = try CallerIDFolder(place / "pir").manifest
    func check(_ key: String, _ change: (inout CallerIDManifest) -> Void) throws {
      var changed = manifest
      change(&changed)
      try place.write("pir/manifest.json", changed.json)
      #expect(
        try findings(in: place / "pir") == [
          "contradiction: \(place / "pir/manifest.json"): '\(key)' is not the value of the shards"
        ])
    }
    try check("identity.rows") { $0.identity.rows += 1 }
    try check("block.bytes") { $0.block.bytes = 0 }
    try check("identity.fullestShardRows") { $0.identity.fullestShardRows = 9 }
    try check("block.emptiestShardRows") { $0.block.emptiestShardRows = 0 }
    try check("identity.longestValue") { $0.identity.longestValue = 0 }
    try place.write("pir/manifest.json", manifest.json)
    for (name, old, new) in [
      ("identity-0.json", "\"bucketCount\": ", "\"bucketCount\": 1"), ("block-0.json", "keyword", "index"),
      ("block-0.json", "block-0.binpb", "block-1.binpb"), ("identity-0.json", "{", "["),
      ("service-config.json", "com.example", "com.other"),
    ] {
      let text = try #require(place.text("pir/\(name)"))
      let start = try #require(text.firstRange(of: old))
      try place.write("pir/\(name)", Array(text.replacing(old, with: new, maxReplacements: 1).utf8))
      #expect(!start.isEmpty)
      try reseal(place, "pir")
      #expect(
        try findings(in: place / "pir") == [
          "other-configuration: '\(place / "pir/\(name)")' is not the configuration that the manifest requires"
        ], "\(name)")
      try place.write("pir/\(name)", Array(text.utf8))
    }
    try reseal(place, "pir")
    #expect(try findings(in: place / "pir").isEmpty)
  }

  @Test("a manifest of another form is an error, and never ends the program")
  func manifests() throws {
    let place = try TemporaryDirectory()
    try emitLookup([TestRecord(1, "a")], to: place / "pir", shards: 1)
    let text = try #require(place.text("pir/manifest.json"))
    for (old, new) in [
      ("\"version\" : 1", "\"version\" : 2"), ("\"shards\" : 1", "\"shards\" : 3"),
      ("\"shards\" : 1", "\"shards\" : 131072"),
      ("\"bucketBytes\" : 2048", "\"bucketBytes\" : 9223372036854775807"),
      ("\"buckets\" : ", "\"buckets\" : -"), ("cdpipe-lookup", "cdpipe-manifest"),
    ] {
      #expect(text.contains(old))
      try place.write("pir/manifest.json", Array(text.replacing(old, with: new).utf8))
      let error = #expect(throws: Failure.self) { try CallerIDFolder(place / "pir") }
      #expect(error?.code == "invalid-manifest")
      #expect(error?.message.message.hasPrefix("'\(place / "pir/manifest.json")' is not") == true)
    }
    for end in 0..<text.utf8.count {
      try place.write("pir/manifest.json", Array(text.utf8.prefix(end)))
      if end < text.utf8.count - 1 { #expect(!CallerIDFolder.isOne(place / "pir")) }
    }
  }
}

/// What is wrong with the records of a directory; nil if nothing is.
private func recordsFinding(_ directory: CallerIDFolder) -> String? {
  stageError { () throws(Failure) in _ = try records(of: directory) }.map(finding)
}
