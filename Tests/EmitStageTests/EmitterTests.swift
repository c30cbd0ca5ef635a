// Outputs: their contents, the ends of shards, and that a failure leaves the previous files.

import CallStoreFormat
import CallStoreReader
import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Emit")
struct EmitterTests {
  static func emit(
    _ records: [TestRecord], _ options: [EmitOptions], calls: any SystemCalls = KernelCalls(),
    cut: Cut = .whole
  ) throws {
    let stage = try StageFixture(.emit, calls: calls)
    try feed(records, cut: cut, to: try Emitter(options: options, context: stage.context))
  }

  /// A store's records as `first..last label kind`.
  static func records(_ path: String) throws -> [String] {
    let store = try CallStore(path: path)
    var cursor = StoreCursor(store)
    var batch = StoreBatch()
    var lines: [String] = []
    while try cursor.nextRecords(of: store, into: &batch) {
      for index in 0..<batch.count {
        let label = store.text(of: batch.labels[index])
        lines.append("\(batch.firsts[index])..\(batch.lasts[index]) \(label) \(batch.kinds[index])")
      }
    }
    return lines
  }

  static let three = [
    TestRecord(10, "plain"), TestRecord(20, to: 29, "say \\\"hi\\\", \\\\ and \\t"),
    TestRecord(30, "\tlist\t-4"),
  ]

  @Test("CSV has a header, and quotes fields that need it")
  func csv() throws {
    let directory = try TemporaryDirectory()
    let records = [TestRecord(10, "a,b \"c\""), TestRecord(20, to: 29, "d\\ne\tlist\t7")]
    try Self.emit(records, [EmitOptions(format: .csv, output: directory / "o.csv")])
    #expect(
      directory.text("o.csv")
        == "number,label,source,score\r\n10,\"a,b \"\"c\"\"\",,\r\n20..29,\"d\ne\",list,7\r\n")
  }

  @Test("JSON lines escape texts, and omit empty fields")
  func jsonl() throws {
    let directory = try TemporaryDirectory()
    let records = [TestRecord(10, "a\"b\\\\\u{01}"), TestRecord(20, to: 29, "\tlist\t-4"), TestRecord(30)]
    try Self.emit(records, [EmitOptions(format: .jsonl, output: directory / "o.jsonl")])
    #expect(
      directory.text("o.jsonl") == """
        {"number":10,"label":"a\\"b\\\\\\u0001"}
        {"number":20,"last":29,"source":"list","score":-4}
        {"number":30}

        """)
  }

  @Test("an empty label and a matching label are blocked; labels are unescaped")
  func kinds() throws {
    let directory = try TemporaryDirectory()
    let records = [
      TestRecord(1, "诈骗电话"), TestRecord(2, ""), TestRecord(3, "骚扰"), TestRecord(4, "a\\tb"),
      TestRecord(5, "xyz"),
    ]
    let options = EmitOptions(
      format: .store, blockGlobs: ["诈骗*", "x?z"], output: directory / "o.cdstore")
    for cut in [Cut.whole, .every(1)] {
      try Self.emit(records, [options], cut: cut)
      #expect(
        try Self.records(directory / "o.cdstore") == [
          "1..1 诈骗电话 blocking", "2..2  blocking", "3..3 骚扰 identification", "4..4 a\tb identification",
          "5..5 xyz blocking",
        ])
    }
  }

  @Test("a store holds exactly its limit; beyond it, the count is reported and the old store stays")
  func limit() throws {
    let directory = try TemporaryDirectory()
    let path = directory / "o.cdstore"
    try Self.emit([TestRecord(1, to: 10, "a")], [EmitOptions(format: .store, maxEntries: 10, output: path)])
    let old = directory.read("o.cdstore")
    let failure = stageError { () throws(Failure) in
      let context = StageContext(meter: StageMeter(.emit), rejects: try RejectLog())
      let emitter = try Emitter(
        options: [EmitOptions(format: .store, maxEntries: 10, output: path)], context: context)
      try feed([TestRecord(1, to: 10, "a"), TestRecord(12, "a"), TestRecord(13, to: 25, "b")], to: emitter)
    }
    #expect(failure?.code == "too-many-entries")
    #expect(failure?.message.message == "24 numbers exceed the capacity of one store (10)")
    #expect(failure?.message.hint?.contains("write 3 shards") == true)
    #expect(directory.read("o.cdstore") == old)
    #expect(directory.names == ["o.cdstore"])
  }

  @Test("shards cut ranges at the limit, and no number is lost", arguments: [1, 2, 3, 7, 10, 33] as [UInt64])
  func shards(maxEntries: UInt64) throws {
    let directory = try TemporaryDirectory()
    let records = [
      TestRecord(5, "a"), TestRecord(10, to: 30, "b"), TestRecord(31, "c"), TestRecord(40, to: 49, "a"),
    ]
    try Self.emit(
      records, [EmitOptions(format: .store, maxEntries: maxEntries, output: directory / "shards")])
    let names = try Directory.names(directory / "shards").filter { $0 != "manifest.json" }
    #expect(names.count == Int((33 + maxEntries - 1) / maxEntries))
    var numbers: [UInt64] = []
    for (index, name) in names.enumerated() {
      let store = try CallStore(path: directory / "shards/\(name)")
      let entries = StoreKind.allCases.reduce(0) { $0 + store.entryCount(of: $1) }
      #expect(index == names.count - 1 ? entries <= maxEntries : entries == maxEntries)
      var cursor = StoreCursor(store)
      var batch = StoreBatch()
      while try cursor.nextEntries(of: store, into: &batch) {
        for at in 0..<batch.count { numbers.append(batch.firsts[at]) }
      }
    }
    #expect(numbers == [5] + (10...31) + (40...49))
    let manifest = try #require(directory.text("shards/manifest.json"))
    for name in names { #expect(manifest.contains("\"name\" : \"\(name)\"")) }
  }

  @Test("new shards replace the old ones; the same records produce the same bytes")
  func replacing() throws {
    let directory = try TemporaryDirectory()
    let options = EmitOptions(format: .store, maxEntries: 2, output: directory / "s")
    try Self.emit([TestRecord(1, to: 5, "a")], [options])
    let names = try Directory.names(directory / "s")
    let manifest = directory.read("s/manifest.json")
    try Self.emit([TestRecord(1, to: 5, "a")], [options])
    #expect(try Directory.names(directory / "s") == names)
    #expect(directory.read("s/manifest.json") == manifest)
    try Self.emit([TestRecord(1, "b")], [options])
    #expect(try Directory.names(directory / "s").count == 2)
  }

  @Test(
    "a failing disk leaves the old state and nothing else",
    arguments: [FailingCalls.Call.open, .write, .sync, .rename], 1...6)
  func failingDisk(call: FailingCalls.Call, number: Int) throws {
    let directory = try TemporaryDirectory()
    let options = [
      EmitOptions(format: .store, maxEntries: 2, output: directory / "s"),
      EmitOptions(format: .store, output: directory / "one.cdstore"),
      EmitOptions(format: .tsv, output: directory / "one.tsv"),
    ]
    try Self.emit([TestRecord(1, to: 5, "a")], options)
    let before = try Directory.names(directory / "s") + directory.names
    let manifest = directory.read("s/manifest.json")
    let calls = FailingCalls(call, at: number, .fails(.noSpace))
    let failure = stageError { () throws(Failure) in
      let context = StageContext(meter: StageMeter(.emit), rejects: try RejectLog(), calls: calls)
      let emitter = try Emitter(options: options, context: context)
      try feed([TestRecord(7, to: 12, "b")], to: emitter)
    }
    if calls.count(of: call) < number { return }
    #expect(failure != nil)
    #expect(calls.openFiles == 0)
    // A failure between the renames of several outputs may leave the first ones new, but never an incomplete one.
    if call != .rename, call != .sync {
      // The lock file stays when not even a note can be written to it.
      let names = try Directory.names(directory / "s").filter { $0 != ".lock" }
      #expect(names + directory.names == before)
      #expect(directory.read("s/manifest.json") == manifest)
    }
    for name in directory.names + (try Directory.names(directory / "s")) { #expect(!name.hasSuffix(".tmp")) }
    for name in try Directory.names(directory / "s") where name.hasSuffix(".cdstore") {
      let text = try #require(directory.text("s/manifest.json"))
      #expect(text.contains(name))
    }
  }
}
