// Versions one after another: which is current, which are kept, which are refused.

import CallManifest
import RecordStages
import Records
import StoreWriting
import SystemIO
import TestSupport
import Testing

@testable import Runner

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Publishing")
struct PublisherTests {
  @Test("the first version and the next, and links that lead to them")
  func versions() throws {
    let place = try PublishFixture()
    let first = try publish(numbers(10), place.options)
    #expect(first == .published(version: first.version, entries: 10, before: nil))
    #expect(place.folder.currentVersion == first.version)
    #expect(first.version == (try ShardFolder(place.folder.version(first.version)).contentID))
    #expect(SymbolicLink.destination(of: place.folder.current) == "versions/\(first.version)")
    #expect(SymbolicLink.destination(of: place.folder.manifest) == "current/manifest.json")
    #expect(try ShardFolder(place.folder.directory).entries == 10)
    let second = try publish(numbers(20), place.options)
    let added = NumberChanges(added: 10)
    #expect(
      second == .published(version: second.version, entries: 20, before: first.version, changes: added))
    #expect(try ShardFolder(place.folder.directory).entries == 20)
    #expect(try place.versions() == [first.version, second.version])
  }

  @Test("the same content publishes nothing")
  func unchanged() throws {
    let place = try PublishFixture()
    let first = try publish(numbers(10), place.options)
    #expect(try publish(numbers(10), place.options) == .unchanged(version: first.version))
    #expect(try place.versions() == [first.version])
    #expect(try place.leftovers().isEmpty)
  }

  @Test("content of an older version becomes current again")
  func again() throws {
    let place = try PublishFixture()
    let first = try publish(numbers(10), place.options)
    try publish(numbers(20), place.options)
    let third = try publish(numbers(10), place.options)
    #expect(third.version == first.version)
    #expect(third.isPublished)
    #expect(place.folder.currentVersion == first.version)
    #expect(try place.versions().count == 2)
    #expect(try place.current() != nil)
  }

  @Test("the same inputs and the same pipeline need no run, others do")
  func memory() throws {
    let place = try PublishFixture()
    let inputs = [PublishMemory.Input(name: "a", sha256: "1", stamp: nil)]
    let first = try publish(numbers(10), place.options, inputs: inputs)
    let publisher = try Publisher(place.options)
    #expect(publisher.unchanged(pipeline: "test", inputs: inputs) == .unchanged(version: first.version))
    #expect(publisher.unchanged(pipeline: "other", inputs: inputs) == nil)
    #expect(publisher.unchanged(pipeline: "test", inputs: nil) == nil)
    let other = [PublishMemory.Input(name: "a", sha256: "2", stamp: nil)]
    #expect(publisher.unchanged(pipeline: "test", inputs: other) == nil)
  }

  @Test("deltas lead from the last N versions")
  func deltas() throws {
    let place = try PublishFixture()
    var options = place.options
    options.deltas = 3
    for count in [10, 20, 30, 40] { try publish(numbers(count), options) }
    let current = try ShardFolder(place.folder.current)
    #expect(current.deltaNames.count == 3)
    try current.verify()
    options.deltas = 1
    try publish(numbers(50), options)
    #expect(try ShardFolder(place.folder.directory).deltaNames.count == 1)
  }

  @Test("old versions are removed, except the current one and those that deltas start from")
  func retention() throws {
    let place = try PublishFixture()
    var options = place.options
    options.keep = 2
    for count in 1...5 { try publish(numbers(count), options) }
    #expect(try place.versions().count == 2)
    options.deltas = 3
    for count in 6...10 { try publish(numbers(count), options) }
    #expect(try place.versions().count == 3)
    options.deltas = 1
    options.keep = 10
    options.keepDays = 2
    let now = WallClock.wholeSeconds()
    try publish(numbers(11), options, now: now + 3 * 86_400)
    #expect(try place.versions().count == 1)
    #expect(try place.current() != nil)
  }

  @Test("roll back to the previous version, which the next run does not undo, and forward again")
  func rollback() throws {
    let place = try PublishFixture()
    let first = try publish(numbers(10), place.options)
    let second = try publish(numbers(20), place.options)
    let turn = try Publisher(place.options).rollBack(to: nil)
    #expect(turn.from == second.version && turn.to == first.version)
    #expect(place.folder.currentVersion == first.version)
    #expect(
      try publish(numbers(20), place.options)
        == .withdrawn(version: second.version, current: first.version))
    let failure = stageError { () throws(Failure) in
      _ = try Publisher(place.options).rollBack(to: nil)
    }
    #expect(failure?.code == "publish-nothing-before")
    let third = try publish(numbers(30), place.options)
    let added = NumberChanges(added: 20)
    #expect(third == .published(version: third.version, entries: 30, before: first.version, changes: added))
    _ = try Publisher(place.options).rollBack(to: String(second.version.prefix(8)))
    #expect(place.folder.currentVersion == second.version)
    #expect(try publish(numbers(20), place.options) == .unchanged(version: second.version))
  }

  @Test("a withdrawn version outlives keep and keep-days, and is not published again", arguments: [1, 2])
  func keptWithdrawal(keep: Int) throws {
    let place = try PublishFixture()
    var options = place.options
    let first = try publish(numbers(10), options)
    let second = try publish(numbers(20), options)
    _ = try Publisher(options).rollBack(to: nil)
    options.keep = keep
    options.keepDays = 1
    let now = WallClock.wholeSeconds() + 3 * 86_400
    for day in 0..<3 as Range<Int64> {
      #expect(
        try publish(numbers(20), options, now: now + day * 86_400)
          == .withdrawn(version: second.version, current: first.version))
    }
    #expect(try place.versions() == [first.version, second.version])
    // With another result it is a version like any other, and is removed.
    let third = try publish(numbers(30), options, now: now + 4 * 86_400)
    #expect(third.isPublished)
    #expect(try place.versions() == [third.version])
  }

  @Test("a damaged version can't be rolled back to")
  func damagedRollback() throws {
    let place = try PublishFixture()
    let first = try publish(numbers(10), place.options)
    let second = try publish(numbers(20), place.options)
    let folder = place.folder.version(first.version)
    let name = try #require(try ShardFolder(folder).shardNames.first)
    var bytes = try #require(PlainFile.read(folder + "/" + name))
    bytes[bytes.count / 2] ^= 1
    try PlainFile.write(folder + "/" + name, bytes)
    let failure = stageError { () throws(Failure) in
      _ = try Publisher(place.options).rollBack(to: nil)
    }
    #expect(failure?.code == "publish-damaged-version")
    #expect(place.folder.currentVersion == second.version)
  }

  @Test("a changed file that is not a store is damage, too")
  func damagedOther() throws {
    let place = try PublishFixture()
    func version(_ count: Int) throws -> String {
      let publisher = try Publisher(place.options)
      let staging = try publisher.begin()
      try emit(numbers(count), to: staging)
      try PlainFile.write(staging + "/numbers.txt", Array("\(count)".utf8))
      return try publisher.commit(PublishMemory(result: "", pipeline: "", inputs: nil, sources: [])).version
    }
    let first = try version(1)
    let second = try version(2)
    try PlainFile.write(place.folder.version(first) + "/numbers.txt", Array("3".utf8))
    let failure = stageError { () throws(Failure) in
      _ = try Publisher(place.options).rollBack(to: nil)
    }
    #expect(
      failure?.message.message
        == "version \(first.prefix(12)) is damaged: its files are not those that were published")
    #expect(place.folder.currentVersion == second)
    try PlainFile.write(place.folder.version(first) + "/numbers.txt", Array("1".utf8))
    #expect(try Publisher(place.options).rollBack(to: nil).to == first)
    let listed = try VersionHistory(of: place.folder).versions
    #expect(listed.map(\.id) == [first, second])
    #expect(listed.map(\.isCurrent) == [true, false])
    #expect(listed.map(\.isWithdrawn) == [false, true])
    #expect(listed.map(\.numbers) == [1, 2])
  }

  @Test("a damaged version is not a baseline, and does not prevent another from being published")
  func damagedBaseline() throws {
    let place = try PublishFixture()
    var options = place.options
    options.deltas = 2
    let first = try publish(numbers(10), options)
    let second = try publish(numbers(20), options)
    let publisher = try Publisher(options)
    let valid = publisher.baselines
    #expect(valid == [second, first].map { place.folder.version($0.version) })
    let name = try #require(try ShardFolder(valid[0]).shardNames.first)
    var bytes = try #require(PlainFile.read(valid[0] + "/" + name))
    bytes[bytes.count / 2] ^= 1
    try PlainFile.write(valid[0] + "/" + name, bytes)
    let failure = try #require(
      stageError { () throws(Failure) in
        try emit(numbers(30), to: publisher.begin(), from: publisher.baselines)
      })
    #expect(try publisher.excludeDamagedBaselines(after: failure).map(\.version) == [second.version])
    #expect(publisher.baselines == [valid[1]])
    #expect(try publisher.excludeDamagedBaselines(after: failure).isEmpty)
    try emit(numbers(30), to: publisher.begin(), from: publisher.baselines)
    let memory = PublishMemory(result: "", pipeline: "", inputs: nil, sources: [])
    #expect(try publisher.commit(memory).isPublished)
    #expect(try ShardFolder(place.folder.current).deltaNames.count == 1)
  }

  @Test("a damaged current version is found without reading unchanged files, and rebuilt")
  func damagedCurrent() throws {
    let place = try PublishFixture()
    var options = place.options
    options.maxChangePercent = 20
    let first = try publish(numbers(100), options).version
    let name = try #require(try ShardFolder(place.folder.current).shardNames.first)
    let path = place.folder.version(first) + "/" + name
    let valid = try #require(PlainFile.read(path))
    #expect(try Publisher(options).problemOfCurrent() == nil)
    // Rewritten with the same contents: it is read again, and found valid.
    try PlainFile.write(path, valid)
    #expect(try Publisher(options).problemOfCurrent() == nil)
    func mend() throws(Failure) -> PublishOutcome {
      let publisher = try Publisher(options)
      #expect(try publisher.problemOfCurrent() != nil)
      #expect(publisher.baselines.isEmpty)
      try emit(numbers(100), to: publisher.begin())
      return try publisher.commit(PublishMemory(result: "", pipeline: "", inputs: nil, sources: []))
    }
    for damaged in [Array(valid.dropLast()), valid.map { $0 ^ 1 }] {
      try PlainFile.write(path, damaged)
      #expect(try mend() == .repaired(version: first, entries: 100))
      #expect(try place.current() != nil)
      #expect(try Publisher(options).problemOfCurrent() == nil)
    }
    // A damaged version can be compared with other numbers only by count.
    let publisher = try Publisher(options)
    try PlainFile.write(path, [])
    func attempt(_ count: Int) throws(Failure) -> PublishOutcome {
      try emit(numbers(count), to: publisher.begin())
      return try publisher.commit(PublishMemory(result: "", pipeline: "", inputs: nil, sources: []))
    }
    let failure = stageError { () throws(Failure) in _ = try attempt(79) }
    #expect(failure?.code == "publish-changed-too-much")
    #expect(
      failure?.message.message.hasPrefix("of 100 numbers, 21 were removed and 0 added, more than") ?? false)
    #expect(try attempt(81).isPublished)
  }

  @Test("limits refuse a result, and the current version stays")
  func guards() throws {
    let place = try PublishFixture()
    var options = place.options
    options.minEntries = 10
    #expect(refusal(numbers(9), options) == "the result has 9 numbers, fewer than min-entries (10)")
    #expect(place.folder.currentVersion == nil)
    let first = try publish(numbers(100), options)
    options.maxChangePercent = 20
    #expect(refusal(numbers(79), options) == changed(21, 0))
    #expect(refusal(numbers(121), options) == changed(0, 21))
    // The same count as before, but other numbers.
    #expect(refusal(numbers(100, from: 8_613_800_130_050), options) == changed(50, 50))
    #expect(place.folder.currentVersion == first.version)
    #expect(try place.leftovers().isEmpty)
    #expect(try place.versions() == [first.version])
    #expect(try publish(numbers(80), options).isPublished)
  }

  private func changed(_ gone: Int, _ new: Int) -> String {
    "of 100 numbers, \(gone) were removed and \(new) added, more than max-change (20%)"
  }

  private func refusal(_ numbers: [UInt64], _ options: PublishOptions) -> String {
    let failure = stageError { () throws(Failure) in try publish(numbers, options) }
    guard let failure, failure.isOfPublishing else { return "\(String(describing: failure))" }
    return String(failure.message.message.prefix { $0 != ";" })
  }

  @Test("one run at a time; another one reports which process holds the lock")
  func locked() throws {
    let place = try PublishFixture()
    let publisher = try Publisher(place.options)
    let failure = stageError { () throws(Failure) in _ = try Publisher(place.options) }
    #expect(failure?.code == "publish-locked")
    #expect(failure?.message.message.contains(" is locked by process \(getpid()) on ") ?? false)
    #expect(failure?.errorClass == .tryLater)
    // Reading needs no lock.
    #expect(try VersionHistory(of: place.folder).versions.isEmpty)
    _ = publisher.current
  }

  @Test("a lock file of a dead process does not lock")
  func deadLock() throws {
    let place = try PublishFixture()
    try publish(numbers(1), place.options)
    try PlainFile.write(place.folder.directory + "/.lock", Array("1 somewhere 2026-01-01T00:00:00Z\n".utf8))
    #expect(try publish(numbers(2), place.options).isPublished)
  }

  @Test("a lost or damaged history does not affect published versions")
  func lostHistory() throws {
    let place = try PublishFixture()
    let first = try publish(numbers(10), place.options)
    let second = try publish(numbers(20), place.options)
    for text in ["", "{", "[]", "{\"format\":\"cdpipe-publish\"}"] {
      try PlainFile.write(place.folder.directory + "/.publish.json", Array(text.utf8))
      #expect(try publish(numbers(20), place.options) == .unchanged(version: second.version))
      #expect(try place.versions() == [first.version, second.version])
    }
    let third = try publish(numbers(30), place.options)
    let added = NumberChanges(added: 10)
    #expect(third == .published(version: third.version, entries: 30, before: second.version, changes: added))
  }

  @Test("files that publishing did not create are not replaced")
  func notOurs() throws {
    let place = try PublishFixture()
    try Directory.make(place.folder.directory + "/current")
    let failure = stageError { () throws(Failure) in try publish(numbers(1), place.options) }
    #expect(failure?.code == "publish-not-ours")
  }

  @Test("an output without a manifest is not a version")
  func noManifest() throws {
    let place = try PublishFixture()
    let failure = stageError { () throws(Failure) in
      let publisher = try Publisher(place.options)
      _ = try publisher.begin()
      _ = try publisher.commit(PublishMemory(result: "", pipeline: "", inputs: nil, sources: []))
    }
    #expect(failure?.code == "publish-no-manifest")
    #expect(try place.leftovers().isEmpty)
  }

  @Test("a version's ID depends on all of its files, and not on how it was made")
  func identity() throws {
    let place = try PublishFixture()
    let publisher = try Publisher(place.options)
    var ids: Set<String> = []
    for text in ["a", "b"] {
      let staging = try publisher.begin()
      try emit(numbers(5), to: staging)
      try PlainFile.write(staging + "/extra.txt", Array(text.utf8))
      ids.insert(
        try publisher.commit(PublishMemory(result: "", pipeline: "", inputs: nil, sources: [])).version)
    }
    #expect(ids.count == 2)
  }
}
