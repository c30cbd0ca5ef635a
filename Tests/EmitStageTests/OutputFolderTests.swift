// The directory of shards: one emit at a time, the leftovers of killed ones, and files that must not be removed.

import RecordStages
import Records
import SystemIO
import SystemPackage
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("The directory of shards")
struct OutputFolderTests {
  private static func emitter(_ directory: String) throws(Failure) -> Emitter {
    let context = StageContext(
      meter: StageMeter(.emit), rejects: try RejectLog(), calls: FailingCalls.unsynced())
    return try Emitter(
      options: [EmitOptions(format: .store, maxEntries: 5, output: directory)], context: context)
  }

  @Test("a second emit is refused with the first one's process, and runs when that has ended")
  func oneAtATime() throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s") }
    do {
      let first = try Self.emitter(place / "s")
      for _ in 0..<2 {
        let failure = stageError { () throws(Failure) in _ = try Self.emitter(place / "s") }
        let text = "'\(place / "s")' is locked by process \(getpid()), since "
        #expect(failure?.code == "locked" && failure?.errorClass == .tryLater)
        #expect(failure?.message.message.hasPrefix(text) == true)
        #expect(failure?.message.message.hasSuffix("Z") == true)
      }
      try feed([TestRecord(1, to: 8, "a")], to: first)
    }
    #expect(try !Directory.names(place / "s").contains(".lock"))
    try feed([TestRecord(1, to: 9, "a")], to: try Self.emitter(place / "s"))
    #expect(try Directory.names(place / "s").count == 3)
  }

  @Test("a lock file left by a dead process does not lock")
  func deadLock() throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s") }
    try Directory.make(place / "s")
    try place.write("s/.lock", Array("1 2026-03-31T04:30:00Z tag\n".utf8))
    try feed([TestRecord(1, "a")], to: try Self.emitter(place / "s"))
    #expect(try !Directory.names(place / "s").contains(".lock"))
  }

  @Test(
    "threads that emit into one directory: each is refused or complete, and every named file exists",
    .timeLimit(.minutes(10)))
  func crowd() async throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s") }
    let directory = place / "s"
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<20 {
            let last = UInt64(10 + task * 20 + round)
            let failure = stageError { () throws(Failure) in
              try feed([TestRecord(1, to: last, "a")], to: try Self.emitter(directory))
            }
            if failure?.code == "locked" { continue }
            #expect(failure == nil)
          }
        }
      }
    }
    let manifest = try ReadManifest(directory)
    #expect(try Directory.names(directory) == (manifest.shards.map(\.name) + ["manifest.json"]).sorted())
  }

  @Test("unfinished files of dead runs are removed; those of running processes and with other names stay")
  func leftovers() throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s") }
    try Directory.make(place / "s")
    // A number higher than that of any process.
    let gone = [
      ".shard.999999999-1k.tmp", ".bootstrap.999999999-1k.tmp", ".manifest.json.999999999-zz.tmp",
      ".0001-0123456789ab-0123456789cd.1.cddelta.999999999-zz.tmp",
    ]
    let kept = [
      ".shard.\(getpid())-1k.tmp", ".notes.txt.999999999-1k.tmp", "shard.999999999-1k.tmp", ".shard.tmp",
      ".shard.x-1k.tmp", ".shard.-5-1k.tmp",
    ]
    for name in gone + kept { try place.write("s/\(name)", [1]) }
    try feed([TestRecord(1, "a")], to: try Self.emitter(place / "s"))
    let names = Set(try Directory.names(place / "s"))
    for name in gone { #expect(!names.contains(name), "\(name)") }
    for name in kept { #expect(names.contains(name), "\(name)") }
  }

  @Test("only files that the previous manifest named are removed")
  func othersFiles() throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "s") }
    try Directory.make(place / "s")
    let others = [
      "0009-0123456789ab.cdstore", "bootstrap-0123456789ab.cdstore",
      "0009-0123456789ab-0123456789cd.1.cddelta",
    ]
    for name in others { try place.write("s/\(name)", [1]) }
    try feed([TestRecord(1, to: 8, "a")], to: try Self.emitter(place / "s"))
    let first = try ReadManifest(place / "s").shards.map(\.name)
    try feed([TestRecord(1, to: 8, "b")], to: try Self.emitter(place / "s"))
    let second = try ReadManifest(place / "s").shards.map(\.name)
    #expect(Set(first).isDisjoint(with: second))
    #expect(try Directory.names(place / "s") == (others + second + ["manifest.json"]).sorted())
    // A manifest that can't be read names no files.
    try place.write("s/manifest.json", Array("{".utf8))
    try feed([TestRecord(1, to: 8, "c")], to: try Self.emitter(place / "s"))
    #expect(try Set(second).isSubset(of: Directory.names(place / "s")))
  }

  @Test("a failed emit removes only the directories that it created")
  func madeDirectories() throws {
    let place = try TemporaryDirectory()
    defer { removeDirectory(place / "there") }
    try Directory.make(place / "there")
    for output in ["there/a/b", "there/x/one.cdstore", "there/x/y/one.csv", "there"] {
      let context = StageContext(
        meter: StageMeter(.emit), rejects: try RejectLog(), calls: FailingCalls.unsynced())
      let format = EmitFormat.named(output) == .csv ? EmitFormat.csv : .store
      let failure = stageError { () throws(Failure) in
        let options = EmitOptions(format: format, output: place / output)
        let late = EmitOptions(format: .store, maxEntries: 1, output: place / "late.cdstore")
        try feed([TestRecord(1, to: 8, "a")], to: try Emitter(options: [options, late], context: context))
      }
      #expect(failure != nil)
      #expect(try Directory.names(place / "there").isEmpty, "\(output)")
    }
  }
}
