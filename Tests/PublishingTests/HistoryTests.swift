// The history of a published folder: what is recorded, what a kill or a lost state leaves of it, and its limits.

import CallManifest
import RecordStages
import Records
import StoreWriting
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import Runner

@Suite("The history of a published folder")
struct HistoryTests {
  private static let memory = PublishMemory(result: "", pipeline: "", inputs: nil, sources: [])

  /// An event in words, without its time.
  private static func words(_ event: PublishEvent) -> String {
    let names = [event.version, event.replaced].compactMap { $0?.prefix(4) }.joined(separator: " ")
    let changes = event.changes.map { " +\($0.added) -\($0.removed) ~\($0.relabelled)" } ?? ""
    return "\(event.kind) \(names)\(changes)\(event.runs.map { " x\($0)" } ?? "")"
  }

  private static func words(_ place: PublishFixture) throws -> [String] {
    try VersionHistory(of: place.folder).events.map(words)
  }

  @Test(
    "versions have numbers, sizes, changes and what they replaced; runs without a new version are counted")
  func events() throws {
    let place = try PublishFixture()
    var options = place.options
    options.keep = 2
    let start: Int64 = 1_774_931_400
    let first = try publish(numbers(10), options, now: start).version
    let second = try publish(numbers(20, from: 8_613_800_130_005), options, now: start + 1).version
    for night in 2..<6 as Range<Int64> {
      try publish(numbers(20, from: 8_613_800_130_005), options, now: start + night)
    }
    // The clock was set back.
    #expect(try Publisher(options, now: start - 100).rollBack(to: nil).to == first)
    for night in 6..<8 as Range<Int64> {
      try publish(numbers(20, from: 8_613_800_130_005), options, now: start + night)
    }
    let third = try publish(numbers(1), options, now: start + 8).version
    let history = try VersionHistory(of: place.folder)
    let (a, b, c) = (first.prefix(4), second.prefix(4), third.prefix(4))
    #expect(
      history.events.map(Self.words) == [
        "published \(a)", "published \(b) \(a) +15 -5 ~0", "unchanged \(b) x4", "rolledBack \(a) \(b)",
        "withdrawn \(b) x2", "published \(c) \(a) +0 -9 ~0",
      ])
    #expect(history.events.map(\.time) == [0, 1, 2, -100, 6, 8].map { start + $0 })
    #expect(history.events[2].lastTime == start + 5)
    #expect(history.events.map(\.numbers) == [10, 20, nil, 10, nil, 1])
    // The first version has expired, and its events are still there.
    #expect(history.versions.map(\.id) == [second, third])
    #expect(history.versions.map(\.isCurrent) == [false, true])
    #expect(history.versions.map(\.isWithdrawn) == [true, false])
    #expect(history.versions.map(\.replaced) == [first, first])
    #expect(
      history.versions.map(\.changes) == [
        NumberChanges(added: 15, removed: 5), NumberChanges(added: 0, removed: 9),
      ])
    #expect(history.versions.allSatisfy { $0.kinds == KindCounts(identification: $0.numbers) })
    #expect(history.versions.allSatisfy { $0.signedUntil == nil && !$0.isDamaged })
    for version in history.versions {
      let folder = place.folder.version(version.id)
      let sizes = try DirectoryTree.files(folder).map { PlainFile.read("\(folder)/\($0)")?.count ?? 0 }
      #expect(version.bytes == UInt64(sizes.reduce(0, +)))
      #expect(history.events.first { $0.version == version.id }?.bytes == version.bytes)
    }
  }

  @Test("a change of labels, a repair and a signature are events; versions know until when they are signed")
  func otherEvents() throws {
    let place = try PublishFixture()
    let first = try publish(numbers(4), place.options).version
    let publisher = try Publisher(place.options)
    try emit(numbers(4), label: "other", to: publisher.begin(), from: publisher.baselines)
    let second = try publisher.commit(Self.memory).version
    _ = consume publisher
    let manifest = place.folder.version(second) + "/" + Manifest.fileName
    try PlainFile.write(manifest, [])
    #expect(try VersionHistory(of: place.folder).versions.map(\.isDamaged) == [false, false])
    func mend(_ options: PublishOptions) throws -> PublishOutcome {
      let publisher = try Publisher(options, now: 1_774_931_400)
      _ = try publisher.problemOfCurrent()
      try emit(numbers(4), label: "other", to: publisher.begin(), from: publisher.baselines)
      return try publisher.commit(Self.memory)
    }
    #expect(try mend(place.options) == .repaired(version: second, entries: 4))
    let options = try place.signedOptions().options
    #expect(try mend(options) == .signed(version: second))
    let history = try VersionHistory(of: place.folder)
    let (a, b) = (first.prefix(4), second.prefix(4))
    #expect(
      history.events.map(Self.words) == [
        "published \(a)", "published \(b) \(a) +0 -0 ~4", "repaired \(b)", "signed \(b)",
      ])
    #expect(history.versions.map(\.signedUntil) == [nil, 1_774_931_400 + 14 * 86_400])
    // A repair is not what a version changed.
    #expect(history.versions.last?.changes == NumberChanges(relabelled: 4))
    DirectoryTree.remove(manifest)
    let damaged = try VersionHistory(of: place.folder)
    #expect(damaged.versions.map(\.isDamaged) == [false, true])
    #expect(damaged.versions.map(\.signedUntil) == [nil, nil])
  }

  @Test(
    "a run that ends at any step leaves a history that agrees with the folder",
    arguments: PublishStep.allCases)
  func steps(step: PublishStep) throws {
    let place = try PublishFixture()
    let first = try publish(numbers(10), place.options).version
    var atStep: VersionHistory?
    let copy = try PublishFixture()
    let second = try publish(numbers(20), place.options) { reached in
      guard reached == step, atStep == nil else { return }
      atStep = try? VersionHistory(of: place.folder)
      if let copyError = Copy.tree(place.folder.directory, copy.folder.directory) {
        Issue.record("\(copyError)")
      }
    }.version
    if step == .fetched || step == .mending { return }
    let (a, b) = (first.prefix(4), second.prefix(4))
    let isNew = [PublishStep.current, .durable, .noted, .pruned].contains(step)
    let expected = ["published \(a)"] + (isNew ? ["published \(b) \(a) +10 -0 ~0"] : [])
    let history = try #require(atStep)
    #expect(history.events.map(Self.words) == expected)
    #expect(history.versions.map(\.id) == [first] + (isNew ? [second] : []))
    #expect(history.current == (isNew ? second : first))
    // The next run finds the same.
    _ = try Publisher(copy.options)
    #expect(try Self.words(copy) == expected)
  }

  @Test("a rollback that was interrupted before the switch did not happen")
  func interruptedRollback() throws {
    let place = try PublishFixture()
    try publish(numbers(10), place.options)
    let second = try publish(numbers(20), place.options).version
    let before = try Self.words(place)
    let calls = FailingCalls(.makeSymbolicLink, at: 1, .fails(.ioError), once: true)
    #expect(
      stageError { () throws(Failure) in
        _ = try Publisher(place.options, calls: calls).rollBack(to: nil)
      } != nil)
    #expect(place.folder.currentVersion == second)
    #expect(try Self.words(place) == before)
    #expect(try Publisher(place.options).rollBack(to: nil).from == second)
    #expect(try Self.words(place).count == 3)
  }

  @Test(
    "versions of a folder without recorded events are listed: those of 0.1.0, and after the state was lost")
  func withoutEvents() throws {
    let place = try PublishFixture()
    let first = try publish(numbers(10), place.options, now: 1000).version
    let second = try publish(numbers(20), place.options, now: 2000).version
    let state = place.folder.directory + "/.publish.json"
    let text = String(decoding: try #require(PlainFile.read(state)), as: UTF8.self)
    let start = try #require(text.firstRange(of: "\"events\" : ["))
    let end = try #require(text[start.upperBound...].firstRange(of: "\n  ],\n"))
    // As 0.1.0 writes it.
    try PlainFile.write(state, Array((text[..<start.lowerBound] + text[end.upperBound...]).utf8))
    let (a, b) = (first.prefix(4), second.prefix(4))
    var history = try VersionHistory(of: place.folder)
    #expect(history.events.map(Self.words) == ["published \(a)", "published \(b)"])
    #expect(history.events.map(\.time) == [1000, 2000])
    #expect(history.versions.map(\.numbers) == [10, 20])
    #expect(history.versions.map(\.changes) == [nil, nil])
    #expect(history.versions.allSatisfy { $0.kinds == KindCounts(identification: $0.numbers) })
    #expect(!history.hasDamagedState)
    // A later version of the program may know more kinds of events.
    try PlainFile.write(
      state,
      Array(text.replacing("\"kind\" : \"published\"", with: "\"kind\" : \"moved\"", maxReplacements: 1).utf8)
    )
    history = try VersionHistory(of: place.folder)
    #expect(history.events.map(Self.words) == ["published \(b) \(a) +10 -0 ~0"])
    #expect(history.versions.map(\.id) == [first, second])
    for damaged in ["", "{", String(text.dropLast(20))] {
      try PlainFile.write(state, Array(damaged.utf8))
      history = try VersionHistory(of: place.folder)
      #expect(history.hasDamagedState)
      #expect(Set(history.versions.map(\.id)) == [first, second])
      #expect(history.versions.last?.isCurrent == true)
    }
    DirectoryTree.remove(state)
    history = try VersionHistory(of: place.folder)
    #expect(!history.hasDamagedState)
    #expect(history.events.map(Self.words) == ["published \(a)", "published \(b) \(a) +10 -0 ~0"])
  }

  @Test("a folder without versions, junk beside versions, and a link to a version that is gone")
  func damagedFolders() throws {
    let place = try PublishFixture()
    #expect(throws: SystemError.self) { try VersionHistory(of: place.folder) }
    try Directory.make(place.folder.directory)
    let empty = try VersionHistory(of: place.folder)
    #expect(
      empty.versions.isEmpty && empty.events.isEmpty && empty.current == nil && empty.danglingLink == nil)
    let first = try publish(numbers(10), place.options).version
    let second = try publish(numbers(20), place.options).version
    try PlainFile.write(place.folder.versions + "/notes.txt", [1])
    try Directory.make(place.folder.versions + "/" + String(repeating: "a", count: 64))
    try Directory.make(place.folder.versions + "/\u{1B}[2J")
    #expect(try VersionHistory(of: place.folder).versions.map(\.id) == [first, second])
    DirectoryTree.remove(place.folder.version(second))
    let history = try VersionHistory(of: place.folder)
    #expect(history.versions.map(\.id) == [first])
    #expect(history.current == nil)
    #expect(history.danglingLink == "versions/\(second)")
  }

  @Test("at most 1,000 events are kept")
  func limit() throws {
    let place = try PublishFixture()
    let first = try publish(numbers(1), place.options).version
    let second = try publish(numbers(2), place.options).version
    let state = place.folder.directory + "/.publish.json"
    let text = String(decoding: try #require(PlainFile.read(state)), as: UTF8.self)
    let start = try #require(text.firstRange(of: "\"events\" : [")).upperBound
    let end = try #require(text[start...].firstRange(of: "\n  ],\n")).lowerBound
    let events = (1...1500).map { "{\"kind\":\"rolledBack\",\"version\":\"\(first)\",\"time\":\($0)}" }
    try PlainFile.write(
      state, Array((text[..<start] + events.joined(separator: ",") + text[end...]).utf8))
    #expect(try VersionHistory(of: place.folder).events.map(\.time) == (501...1500).map { Int64($0) })
    #expect(try Publisher(place.options, now: 1501).rollBack(to: nil).to == first)
    let history = try VersionHistory(of: place.folder)
    #expect(history.events.map(\.time) == (502...1501).map { Int64($0) })
    #expect(history.versions.map(\.id) == [first, second])
    #expect(history.versions.map(\.numbers) == [1, 2])
  }
}
