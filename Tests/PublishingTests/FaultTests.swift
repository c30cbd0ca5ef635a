// Every disk call fails once: `current` is a complete version, old or new, and the next run repairs everything.

import CallManifest
import RecordStages
import Records
import StoreWriting
import SystemIO
import SystemPackage
import TestSupport
import Testing

@testable import Runner

@Suite("Publishing with faults")
struct FaultTests {
  /// The calls whose failure ends a run.
  private static let reported: Set<FailingCalls.Call> = [
    .open, .read, .write, .sync, .truncate, .lock, .status, .rename, .makeSymbolicLink, .destination,
    .makeDirectory, .names,
  ]

  /// The calls to fail, by number: in the long form every one, else a few that differ with the seed. The campaign of
  /// fault_campaign.py makes every call of the program fail.
  private static func callNumbers(
    _ test: String, _ call: FailingCalls.Call, _ run: (FailingCalls) throws -> Void
  ) rethrows -> [Int] {
    let calls = FailingCalls(call, at: .max, .fails(.ioError))
    try run(calls)
    let count = calls.count(of: call)
    if TestEffort.isLong { return Array(1..<count + 1) }
    var generator = SplitMix64(test: "\(test) \(call)")
    return Array((1..<count + 1).shuffled(using: &generator).prefix(4))
  }

  @Test(
    "a call that fails leaves the complete old version or the complete new one, and its signature", .seeded,
    .timeLimit(.minutes(10)),
    arguments: FailingCalls.Call.allCases, [true, false])
  func faults(call: FailingCalls.Call, once: Bool) throws {
    let all = try Self.callNumbers("faults", call) { calls in
      let place = try PublishFixture()
      let options = try place.signedOptions().options
      _ = try publish(numbers(10), options)
      _ = try publish(numbers(20), options, calls: calls)
      withExtendedLifetime(place) {}
    }
    var failures = 0
    for number in all {
      let place = try PublishFixture()
      let (options, key) = try place.signedOptions()
      let old = try publish(numbers(10), options).version
      let calls = FailingCalls(call, at: number, .fails(number % 2 == 0 ? .noSpace : .ioError), once: once)
      var new: String?
      let failure = stageError { () throws(Failure) in
        new = try publish(numbers(20), options, calls: calls).version
      }
      #expect(calls.count(of: call) >= number, "\(call) \(number)")
      let current = try #require(place.folder.currentVersion, "\(call) \(number): nothing is current")
      _ = try place.content(current)
      let directory = try ShardFolder(place.folder.directory)
      #expect(directory.entries == (current == old ? 10 : 20))
      _ = try directory.signature(by: [key], now: 0)
      if let failure {
        failures += 1
        #expect(failure.errorClass == .inputOutput, "\(call) \(number): \(failure)")
      } else {
        #expect(current == new)
      }
      #expect(calls.openFiles == 0, "\(call) \(number)")
      // The next run.
      let next = try publish(numbers(20), options)
      #expect(place.folder.currentVersion == next.version)
      _ = try ShardFolder(place.folder.directory).signature(by: [key], now: 0)
      #expect(try place.content(next.version) == place.content(place.folder.currentVersion ?? ""))
      #expect(try place.leftovers().isEmpty, "\(call) \(number)")
      #expect(try place.versions() == [old, next.version], "\(call) \(number)")
    }
    // If a file can't be closed or removed, that is harmless; other failures must be reported.
    if TestEffort.isLong, Self.reported.contains(call) { #expect(failures > 0, "\(call)") }
  }

  @Test(
    "a call that fails while a damaged version is rebuilt leaves it in place", .seeded,
    .timeLimit(.minutes(10)),
    arguments: FailingCalls.Call.allCases, [true, false])
  func repairs(call: FailingCalls.Call, once: Bool) throws {
    let all = try Self.callNumbers("repairs", call) { _ = try DamagedPlace().mend(calls: $0) }
    var failures = 0
    for number in all {
      let damaged = try DamagedPlace()
      let place = damaged.place
      let calls = FailingCalls(call, at: number, .fails(number % 2 == 0 ? .noSpace : .ioError), once: once)
      let failure = stageError { () throws(Failure) in _ = try damaged.mend(calls: calls) }
      #expect(calls.count(of: call) >= number, "\(call) \(number)")
      try damaged.check("\(call) \(number)")
      if let failure {
        failures += 1
        #expect(failure.errorClass == .inputOutput, "\(call) \(number): \(failure)")
      }
      #expect(calls.openFiles == 0, "\(call) \(number)")
      // The next run.
      #expect(try damaged.mend().version == damaged.version)
      #expect(try place.current() == damaged.content, "\(call) \(number)")
      #expect(try place.leftovers().isEmpty, "\(call) \(number)")
      #expect(try place.versions().count == 1)
    }
    if TestEffort.isLong, Self.reported.contains(call) { #expect(failures > 0, "\(call)") }
  }

  @Test("a history that the machine can't read ends the run, so that a withdrawn version stays withdrawn")
  func unreadableHistory() throws {
    let place = try PublishFixture()
    let old = try publish(numbers(10), place.options).version
    let new = try publish(numbers(20), place.options).version
    #expect(try Publisher(place.options).rollBack(to: nil).to == old)
    var number = 0
    var failures = 0
    while true {
      number += 1
      let calls = FailingCalls(.open, at: number, .fails(.tooManyOpenFiles), once: true)
      var outcome: PublishOutcome?
      let failure = stageError { () throws(Failure) in
        outcome = try publish(numbers(20), place.options, calls: calls)
      }
      if calls.count(of: .open) < number { break }
      if let failure { #expect(failure.errorClass == .inputOutput, "\(number): \(failure)") }
      if let outcome { #expect(outcome == .withdrawn(version: new, current: old), "\(number)") }
      #expect(place.folder.currentVersion == old, "\(number)")
      failures += failure == nil ? 0 : 1
      #expect(number < 1000)
      if number >= 1000 { break }
    }
    #expect(failures > 3)
  }

  @Test("a version that is no longer a folder is rebuilt")
  func noFolder() throws {
    let place = try PublishFixture()
    let version = try publish(numbers(150), place.options).version
    let content = try place.current()
    DirectoryTree.remove(place.folder.version(version))
    try PlainFile.write(place.folder.version(version), [1])
    #expect(try DamagedPlace.mend(place) == .repaired(version: version, entries: 150))
    #expect(try content != nil && place.current() == content)
  }

  @Test("a damaged version that is rebuilt exists at every step")
  func repairSteps() throws {
    let damaged = try DamagedPlace()
    let place = damaged.place
    var steps: [PublishStep] = []
    let outcome = try damaged.mend { reached in
      steps.append(reached)
      do {
        try damaged.check("\(reached)")
        // The folder of a run that was killed, and the next run in it.
        let copy = try PublishFixture()
        if let copyError = Copy.tree(place.folder.directory, copy.folder.directory) {
          Issue.record("\(reached): \(copyError)")
        }
        _ = try DamagedPlace.mend(copy)
        #expect(try copy.current() == damaged.content, "\(reached)")
        #expect(try copy.leftovers().isEmpty, "\(reached)")
      } catch {
        Issue.record("\(reached): \(error)")
      }
    }
    #expect(outcome == .repaired(version: damaged.version, entries: 150))
    // Two shards, the manifest.
    #expect(steps.count { $0 == .mending } == 3)
    #expect(steps.last == .pruned)
  }

  @Test("after a run that ends at any step, the next run continues", arguments: PublishStep.allCases)
  func steps(step: PublishStep) throws {
    // The folder of a killed run at this step: a copy, so the run need not be killed.
    let place = try PublishFixture()
    let old = try publish(numbers(10), place.options).version
    let copy = try PublishFixture()
    var copied: String?
    let new = try publish(numbers(20), place.options) { reached in
      guard reached == step else { return }
      copied = Copy.tree(place.folder.directory, copy.folder.directory)
    }
    // Nothing is fetched or rebuilt here.
    if step == .fetched || step == .mending { return }
    try #require(copied == nil, "\(copied ?? "")")
    let current = try #require(copy.folder.currentVersion)
    _ = try copy.content(current)
    let isNew = [PublishStep.current, .durable, .noted, .pruned].contains(step)
    #expect(current == (isNew ? new.version : old))
    #expect(try publish(numbers(30), copy.options).isPublished)
    #expect(try copy.leftovers().isEmpty)
    #expect(try copy.versions().count == (isNew ? 3 : 2))
  }
}

/// A folder whose current version is damaged in every way: a truncated file, a folder instead of a file, an extra file.
private struct DamagedPlace {
  let place: PublishFixture
  let version: String
  /// The files before the damage.
  let content: String
  /// The names of the files, which must be kept.
  private let names: [String]

  init() throws {
    place = try PublishFixture()
    version = try publish(numbers(150), place.options).version
    content = try #require(try place.current())
    let (shards, folder) = (
      try ShardFolder(place.folder.current).shardNames, place.folder.version(version)
    )
    try #require(shards.count == 2)
    let first = try #require(PlainFile.read(folder + "/" + shards[0]))
    try PlainFile.write(folder + "/" + shards[0], Array(first.dropLast()))
    DirectoryTree.remove(folder + "/" + shards[1])
    try Directory.make(folder + "/" + shards[1] + "/inside")
    names = try Directory.names(folder).filter { Directory.holdsFile(folder + "/" + $0) }
    try #require(names == [shards[0], Manifest.fileName])
    try PlainFile.write(folder + "/stray", [1, 2, 3])
  }

  /// Publishes the same contents again, like a run that checks the current version first.
  func mend(
    calls: any SystemCalls = KernelCalls(), reached: @escaping (PublishStep) -> Void = { _ in }
  ) throws(Failure) -> PublishOutcome {
    try Self.mend(place, calls: calls, reached: reached)
  }

  static func mend(
    _ place: PublishFixture, calls: any SystemCalls = KernelCalls(),
    reached: @escaping (PublishStep) -> Void = { _ in }
  ) throws(Failure) -> PublishOutcome {
    let publisher = try Publisher(place.options, calls: calls, reached: reached)
    _ = try publisher.problemOfCurrent()
    try emit(numbers(150), to: publisher.begin(), from: publisher.baselines, calls: calls)
    return try publisher.commit(PublishMemory(result: "", pipeline: "", inputs: nil, sources: []))
  }

  /// Expects that the version is current, in place, and has all of its files.
  func check(_ moment: String) throws {
    #expect(place.folder.currentVersion == version, "\(moment)")
    let found = try Directory.names(place.folder.version(version))
    #expect(Set(found).isSuperset(of: names), "\(moment): \(found)")
  }
}

/// A copy of a folder, as a crash would leave it.
enum Copy {
  /// Copies a folder with its links. Returns the error, or nil.
  static func tree(_ from: String, _ to: String) -> String? {
    do {
      try Directory.make(to)
      for name in try Directory.names(from) {
        let (source, target) = (from + "/" + name, to + "/" + name)
        if let link = SymbolicLink.destination(of: source) {
          try SymbolicLink.replace(target, by: link, calls: KernelCalls())
        } else if Directory.holdsFile(source) {
          try FileDuplicate.copy(source, to: target, calls: KernelCalls())
        } else if let copyError = tree(source, target) {
          return copyError
        }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }
}
