// Deltas with valid checksums and wrong contents, as a faulty writer would make them: none is applied.

import CallDeltaReader
import CallStoreReader
import Hashing
import Records
import StoreSupport
import StoreWriting
import TestSupport
import Testing

@Suite("Forged deltas")
struct ForgedDeltaTests {
  private static let old = [TestRecord(10, "a"), TestRecord(20, to: 29, "b!"), TestRecord(40, "c")]
  private static let new = [TestRecord(10, "a"), TestRecord(20, to: 29, "b!"), TestRecord(50, "d")]

  /// Makes the delta `1.cddelta` from one list to another, with a header that `change` has changed. Its checksum is valid.
  private static func forge(
    in place: TemporaryDirectory, from: [TestRecord], to: [TestRecord],
    _ change: (inout DeltaHeader) throws -> Void
  ) throws {
    try StoreFiles.write(from, to: place / "from")
    try StoreFiles.write(to, to: place / "to")
    _ = try StoreFiles.makeDeltas(in: place, from: "from", to: "to", entriesMax: 1000)
    var bytes = try #require(place.read("1.cddelta"))
    var header = try CallDelta(path: place / "1.cddelta").header
    try change(&header)
    bytes.replaceSubrange(0..<DeltaLayout.bytes, with: header.bytes)
    try place.write("1.cddelta", bytes)
  }

  /// Why the delta can't be applied to a store.
  private static func refusal(in place: TemporaryDirectory, of base: String) -> Failure? {
    stageError { () throws(Failure) in
      try CallDeltaTests.apply(place / "1.cddelta", to: place / base, as: place / "full")
    }
  }

  @Test("the result must have the content hash that the header states")
  func wrongResult() throws {
    let place = try TemporaryDirectory()
    try Self.forge(in: place, from: Self.old, to: Self.new) { _ in }
    #expect(Self.refusal(in: place, of: "from") == nil)
    var wanted: [UInt8] = []
    try Self.forge(in: place, from: Self.old, to: Self.new) { header in
      header.resultHash[31] ^= 1
      wanted = header.resultHash
    }
    let computed = try CallStore(path: place / "to").contentHash
    // The delta alone is valid: only applying it shows the fault.
    #expect(try DeltaFile.verify(place / "1.cddelta").resultHash == wanted)
    let failure = try #require(Self.refusal(in: place, of: "from"))
    #expect(failure.code == "wrong-result")
    #expect(failure.message.message.contains(Hexadecimal.text(wanted)))
    #expect(failure.message.message.contains(Hexadecimal.text(computed)))
  }

  /// The writer's list differs from the store in one record, which the delta removes. Without that record both would lead
  /// to the same result, whose hash the header states.
  @Test(
    "a removal must be a record of the store in all its fields",
    arguments: [
      (TestRecord(40, "x"), 40), (TestRecord(40, "cc"), 40), (TestRecord(40, ""), 40),
      (TestRecord(40, "c!"), 40), (TestRecord(40, to: 41, "c"), 40), (TestRecord(39, "c"), 39),
      (TestRecord(41, "c"), 41),
    ] as [(TestRecord, UInt64)])
  func otherRemoval(record: TestRecord, number: UInt64) throws {
    let place = try TemporaryDirectory()
    try StoreFiles.write(Self.old, to: place / "store")
    let baselineHash = try CallStore(path: place / "store").contentHash
    try Self.forge(in: place, from: Array(Self.old.dropLast()) + [record], to: Self.new) {
      $0.baselineHash = baselineHash
    }
    let failure = try #require(Self.refusal(in: place, of: "store"))
    #expect(failure.code == "does-not-fit" && failure.message.message.hasSuffix(" at \(number)"))
  }

  @Test("an addition must not overlap a record of the store")
  func overlappingAddition() throws {
    let place = try TemporaryDirectory()
    try StoreFiles.write(Self.old, to: place / "store")
    let baselineHash = try CallStore(path: place / "store").contentHash
    // The writer's list has no number 40, so it may add a range that contains it.
    try Self.forge(
      in: place, from: Array(Self.old.dropLast()),
      to: Array(Self.old.dropLast()) + [TestRecord(35, to: 45, "d")]
    ) { $0.baselineHash = baselineHash }
    let failure = try #require(Self.refusal(in: place, of: "store"))
    #expect(failure.code == "does-not-fit" && failure.message.message.hasSuffix(" at 40"))
  }
}
