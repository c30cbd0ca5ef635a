// Delta files: their contents, that each applies to one store only, and that a damaged one is never trusted.

import CallDeltaReader
import CallStoreFormat
import CallStoreReader
import Records
import StoreSupport
import StoreWriting
import SystemIO
import SystemPackage
import TestSupport
import Testing

@Suite("Deltas")
struct CallDeltaTests {
  static func apply(_ delta: String, to base: String, as output: String) throws(Failure) {
    let opened = try opening { try CallDelta(path: delta) }
    let store = try opening { try CallStore(path: base) }
    var file = try asFailure(nil) { () throws(SystemError) in try OutputFile(output) }
    _ = try DeltaApplication.apply(opened, at: delta, to: store, at: base, into: &file)
    do throws(SystemError) {
      try file.publish(durably: false)
    } catch {
      throw Failure(nil, error)
    }
  }

  /// A damaged file is an error like any other here.
  private static func opening<Value: ~Copyable>(_ body: () throws -> Value) throws(Failure) -> Value {
    do {
      return try body()
    } catch {
      throw Failure(nil, SystemError(.openInput, "\(error)", .badFileDescriptor))
    }
  }

  static let old = [
    TestRecord(10, "a"), TestRecord(20, to: 29, "b!"), TestRecord(40, "c"), TestRecord(50, to: 60, "a"),
  ]
  static let new = [
    TestRecord(5, "n"), TestRecord(10, "a"), TestRecord(20, to: 25, "b!"), TestRecord(26, to: 45, "c"),
    TestRecord(50, to: 60, "z"),
  ]

  @Test("a changed record is one removal and one addition; equal records are in neither")
  func differences() throws {
    let place = try TemporaryDirectory()
    try StoreFiles.write(Self.old, to: place / "old")
    try StoreFiles.write(Self.new, to: place / "new")
    let summaries = try StoreFiles.makeDeltas(in: place, from: "old", to: "new", entriesMax: 1000)
    #expect(summaries.count == 1)
    #expect(summaries[0].removals.records == 3)
    #expect(summaries[0].removals.entries == 22)
    #expect(summaries[0].additions.records == 4)
    #expect(summaries[0].additions.entries == 38)
    #expect(summaries[0].byteCount == UInt64(place.read("1.cddelta")?.count ?? 0))
    try Self.apply(place / "1.cddelta", to: place / "old", as: place / "full")
    #expect(place.read("full") == place.read("new"))
  }

  @Test("a changed label or kind alone is a difference; equal stores have none")
  func smallest() throws {
    let place = try TemporaryDirectory()
    try StoreFiles.write([TestRecord(1, "ab")], to: place / "old")
    for (label, count) in [("ac", 1), ("a", 1), ("", 1), ("ab", 0)] as [(String, UInt64)] {
      try StoreFiles.write([TestRecord(1, label)], to: place / "new")
      let summary = try StoreFiles.makeDeltas(in: place, from: "old", to: "new", entriesMax: 1)[0]
      #expect(summary.removals.records == count)
      #expect(summary.additions.records == count)
    }
    try StoreFiles.write([], to: place / "new")
    #expect(
      try StoreFiles.makeDeltas(in: place, from: "old", to: "new", entriesMax: 1)[0].additions.records == 0)
    try Self.apply(place / "1.cddelta", to: place / "old", as: place / "full")
    #expect(place.read("full") == place.read("new"))
  }

  @Test(
    "each step leads to the next state, and applies only to its own",
    arguments: [1, 2, 6, 7, 20, 37] as [UInt64])
  func steps(entriesMax: UInt64) throws {
    let place = try TemporaryDirectory()
    try StoreFiles.write(Self.old, to: place / "old")
    try StoreFiles.write(Self.new, to: place / "new")
    let summaries = try StoreFiles.makeDeltas(in: place, from: "old", to: "new", entriesMax: entriesMax)
    #expect(summaries.count > 1)
    for summary in summaries { #expect(summary.additions.entries <= max(entriesMax, 20)) }
    var base = "old"
    for step in 1...summaries.count {
      let header = try CallDelta(path: place / "\(step).cddelta").header
      #expect(header.step == step && header.steps == summaries.count)
      for other in 1...summaries.count where other != step {
        let failure = stageError { () throws(Failure) in
          try Self.apply(place / "\(other).cddelta", to: place / base, as: place / "wrong")
        }
        #expect(failure?.code == "other-baseline", "step \(other) instead of \(step)")
      }
      try Self.apply(place / "\(step).cddelta", to: place / base, as: place / "\(step).cdstore")
      base = "\(step).cdstore"
    }
    #expect(place.read(base) == place.read("new"))
    #expect(!place.names.contains("wrong"))
  }

  @Test("too many steps are an error")
  func tooManySteps() throws {
    let place = try TemporaryDirectory()
    try StoreFiles.write([], to: place / "old")
    try StoreFiles.write((1...150).map { TestRecord($0, "a") }, to: place / "new")
    let error = #expect(throws: Failure.self) {
      _ = try StoreFiles.makeDeltas(in: place, from: "old", to: "new", entriesMax: 1)
    }
    #expect(error?.code == "too-many-steps")
    #expect(error?.message.message.contains("more than \(DeltaLimits.stepsMax) steps of 1 numbers") == true)
    #expect(try StoreFiles.makeDeltas(in: place, from: "old", to: "new", entriesMax: 2).count == 75)
  }

  @Test("every flipped bit and every truncation is detected, and a damaged delta produces no store")
  func damage() throws {
    let place = try TemporaryDirectory()
    try StoreFiles.write(Self.old, to: place / "old")
    try StoreFiles.write(Self.new, to: place / "new")
    _ = try StoreFiles.makeDeltas(in: place, from: "old", to: "new", entriesMax: 1000)
    let bytes = try #require(place.read("1.cddelta"))
    var unseen: [String] = []
    func look(_ damaged: [UInt8], _ name: @autoclosure () -> String) throws {
      try place.write("damaged", damaged)
      let file = try FileDescriptor.open(FilePath(place / "damaged"), .readOnly)
      defer { try? file.close() }
      if (try? DeltaVerification.verify(descriptor: file.rawValue)) != nil { unseen.append(name()) }
    }
    for at in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[at] ^= 1 << UInt8(bit)
        try look(damaged, "bit \(bit) of byte \(at)")
        if bit == at % 8, at % 5 == 0 {
          let made = stageError { () throws(Failure) in
            try Self.apply(place / "damaged", to: place / "old", as: place / "full")
          }
          // Bytes that are not checked may be damaged: the stores' own content hashes.
          if made == nil, place.read("full") != place.read("new") { unseen.append("byte \(at) made a store") }
        }
      }
    }
    for count in bytes.indices { try look(Array(bytes[..<count]), "truncated to \(count)") }
    try look(bytes + [0], "one byte more")
    #expect(unseen.isEmpty, "\(unseen)")
  }
}
