// The options of a directory of shards: bootstrap stores against a naive selection, unusable baselines, and complete
// states after disk failures.

import CallStoreReader
import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import StoreWriting

@Suite("Options of shards")
struct ShardOptionTests {
  static func emit(
    _ records: [TestRecord], _ options: EmitOptions, calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    let context = StageContext(meter: StageMeter(.emit), rejects: try RejectLog(), calls: calls)
    try feed(records, to: try Emitter(options: [options], context: context))
  }

  @Test(
    "a bootstrap store has the entries with the highest scores, and of equal ones the smaller numbers",
    .seeded)
  func bootstrap() throws {
    var random = SplitMix64(test: "bootstrap")
    let place = try TemporaryDirectory()
    for _ in 0..<200 {
      defer { removeDirectory(place / "s") }
      var records: [TestRecord] = []
      var next: UInt64 = 1
      let labels = random.chance(oneIn: 4) ? 1000 : 3
      for _ in 0..<RecordShape.randomCount(&random, most: 200) {
        next += UInt64.random(in: 1...9, using: &random)
        let last = next + (random.chance(oneIn: 4) ? UInt64.random(in: 0...20, using: &random) : 0)
        let label = "l\(Int.random(in: 0..<labels, using: &random))"
        let score = random.chance(oneIn: 5) ? "" : "\t\t\(Int.random(in: -3...3, using: &random))"
        records.append(TestRecord(next, to: last, label + score))
        next = last
      }
      let count = Int.random(in: 1...60, using: &random)
      var options = EmitOptions(format: .store, maxEntries: 50, output: place / "s")
      options.shards.bootstrap = count
      options.allowsEmpty = true
      try Self.emit(records, options, calls: FailingCalls.unsynced())

      var numbers: [(number: UInt64, label: String, score: Int)] = []
      for record in records {
        let fields = record.description.split(separator: "\t", omittingEmptySubsequences: false)
        for number in record.first...record.last {
          numbers.append((number, String(fields[1]), fields.count > 3 ? Int(fields[3]) ?? 0 : 0))
        }
      }
      let strongest = numbers.sorted { $0.score != $1.score ? $0.score > $1.score : $0.number < $1.number }
        .prefix(count).sorted { $0.number < $1.number }.map { "\($0.number) \($0.label)" }
      let manifest = try ReadManifest(place / "s")
      let name = try #require(manifest.bootstrap?.name)
      let found = try entries(of: place / "s/\(name)").flatMap { entry in
        (entry.first...entry.last).map { "\($0) \(entry.label)" }
      }
      #expect(found == strongest)
    }
  }

  @Test("the labels of a bootstrap store are bounded, and the memory of dropped ones is freed")
  func bootstrapLabels() throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s") }
    let long = String(repeating: "x", count: 32_000)
    var options = EmitOptions(format: .store, output: place / "s")
    options.shards.bootstrap = 10
    // With increasing scores, 600 labels of 32 KB, more than the limit, pass through ten slots.
    let rising = (1...600).map { TestRecord(UInt64($0), "\(long)\($0)\t\t\($0)") }
    try Self.emit(rising, options)
    options.shards.bootstrap = 600
    let failure = stageError { () throws(Failure) in try Self.emit(rising, options) }
    #expect(failure?.code == "bootstrap-labels-too-large")
  }

  @Test("missing, damaged and foreign shards of a baseline are named")
  func baselineStores() throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s"); removeDirectory(place / "t") }
    let old = EmitOptions(format: .store, maxEntries: 5, output: place / "s")
    try Self.emit([TestRecord(1, to: 8, "a")], old)
    let names = try Directory.names(place / "s").filter { $0.hasSuffix(".cdstore") }
    let first = place / "s/\(names[0])"
    let bytes = try fileBytes(first)
    var next = EmitOptions(format: .store, maxEntries: 5, output: place / "t")
    next.shards.baseline = place / "s"
    func failure() -> Failure? {
      stageError { () throws(Failure) in try Self.emit([TestRecord(2, to: 8, "a")], next) }
    }
    func invalid(_ error: StoreVerificationError) -> Failure {
      .invalidShard(error, path: first, .baseline).of(.emit)
    }
    // In the middle of a block: only the check before its use detects that.
    var damaged = bytes
    damaged[70] ^= 1
    try place.write("s/\(names[0])", damaged)
    #expect(failure() == invalid(.unreadable(.damaged(.block(0)))))
    try place.write("s/\(names[0])", Array(bytes.dropLast()))
    #expect(failure() == invalid(.unreadable(.truncated)))
    try place.write("s/\(names[0])", try fileBytes(place / "s/\(names[1])"))
    #expect(failure()?.code == "shards-other-store")
    try KernelCalls().unlink(FilePath(first))
    #expect(
      failure() == .missingShard(path: first, code: Errno.noSuchFileOrDirectory.rawValue, .baseline).of(.emit)
    )
    #expect(!Directory.holdsFile(place / "t/manifest.json"))
    try place.write("s/\(names[0])", bytes)
    #expect(failure() == nil)
    #expect(Directory.holdsFile(place / "t/manifest.json"))
  }

  @Test(
    "a disk that fails at any call leaves the complete old state or the complete new one",
    arguments: [FailingCalls.Call.open, .write, .sync, .rename, .read])
  func failingDisk(call: FailingCalls.Call) throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s") }
    var options = EmitOptions(format: .store, maxEntries: 4, output: place / "s")
    let old = [TestRecord(1, to: 11, "a\t\t1")]
    let new = [TestRecord(1, to: 3, "a\t\t1"), TestRecord(5, to: 17, "b\t\t2")]
    var number = 1
    var failures = 0
    while true {
      removeDirectory(place / "s")
      options.shards = ShardOptions()
      options.shards.bootstrap = 3
      try Self.emit(old, options)
      let before = try ReadManifest(place / "s").contentID
      let names = try Directory.names(place / "s")
      options.shards.baseline = place / "s"
      options.shards.deltaEntries = 2
      options.threads = number % 2 + 1
      let calls = FailingCalls(call, at: number, .fails(.noSpace))
      let failure = stageError { () throws(Failure) in try Self.emit(new, options, calls: calls) }
      if failure == nil { break }
      failures += 1
      #expect(calls.openFiles == 0)
      let manifest = try ReadManifest(place / "s")
      // After the rename of the manifest, only the sync of the directory follows.
      if call != .sync, call != .open { #expect(manifest.contentID == before) }
      let found = try Directory.names(place / "s")
      if manifest.contentID == before { #expect(found == names) }
      for shard in manifest.shards {
        let hash = try StoreVerification.verify(path: place / "s/\(shard.name)")
        #expect(hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == shard.contentHash)
        for delta in shard.deltas ?? [] { #expect(Directory.holdsFile(place / "s/\(delta.name)")) }
      }
      if let bootstrap = manifest.bootstrap { #expect(Directory.holdsFile(place / "s/\(bootstrap.name)")) }
      number += 1
    }
    // Shards, deltas, a bootstrap store and the manifest each failed once.
    #expect(failures >= (call == .read ? 1 : 5))
  }

  @Test("a disk that is full from the first write on is unchanged, without the directory")
  func fullFromTheStart() throws {
    let place = try TemporaryDirectory()
    let options = EmitOptions(format: .store, maxEntries: 4, output: place / "new/s")
    let failure = stageError { () throws(Failure) in
      try Self.emit([TestRecord(1, to: 3)], options, calls: FailingCalls(.write, .fails(.noSpace)))
    }
    #expect(failure?.systemError?.code == .noSpace)
    #expect(try Directory.names(place.path).isEmpty)
  }

  @Test("unsorted records are refused across shards, too")
  func disorder() throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s") }
    for baseline in [nil, place / "s"] {
      var options = EmitOptions(format: .store, maxEntries: 2, output: place / "s")
      options.shards.baseline = baseline
      for records in [[TestRecord(1, to: 4), TestRecord(2)], [TestRecord(1), TestRecord(9), TestRecord(9)]] {
        let failure = stageError { () throws(Failure) in try Self.emit(records, options) }
        #expect(failure?.code == "not-for-store")
        let text = failure?.message.message ?? ""
        #expect(text.contains(" comes after ") || text.contains(" occurs twice"), "\(text)")
      }
      if baseline == nil { try Self.emit([TestRecord(1, to: 8)], options) }
    }
  }
}
