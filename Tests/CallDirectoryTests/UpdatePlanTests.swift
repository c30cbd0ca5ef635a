// What an update downloads for an extension, at its limits.

import CallDirectory
import StoreSupport
import TestSupport
import Testing

@Suite("Plans of updates")
struct UpdatePlanTests {
  /// The plan for a store of 400 bytes, of an extension with deltas of the given count and size.
  private static func plan(
    _ count: Int, _ bytes: UInt64, chain: [UInt64], target: UInt8 = 1
  ) -> UpdatePlan {
    var state = ExtensionFilesState(target: [target])
    (state.deltaCount, state.deltaBytes) = (count, bytes)
    return UpdatePlan(to: [2], storeBytes: 400, from: state, chain: chain)
  }

  @Test("deltas continue the files up to thirty, and up to a quarter of the store")
  func limits() {
    #expect(Self.plan(0, 0, chain: [], target: 2) == .nothing)
    #expect(Self.plan(0, 0, chain: []) == .store(withDeltas: false))
    #expect(UpdatePlan(to: [2], storeBytes: 400, from: nil, chain: [1]) == .store(withDeltas: false))
    #expect(Self.plan(0, 0, chain: [60, 40]) == .deltas)
    #expect(Self.plan(0, 0, chain: [60, 41]) == .store(withDeltas: false))
    #expect(Self.plan(1, 40, chain: [60]) == .deltas)
    #expect(Self.plan(1, 41, chain: [60]) == .store(withDeltas: true))
    #expect(Self.plan(29, 1, chain: [1]) == .deltas)
    #expect(Self.plan(30, 1, chain: [1]) == .store(withDeltas: true))
    #expect(Self.plan(0, 0, chain: Array(repeating: 1, count: 100)) == .store(withDeltas: true))
    #expect(
      UpdatePlan(
        to: [2], storeBytes: 4000, from: ExtensionFilesState(target: [1]),
        chain: Array(repeating: 1, count: 101)) == .store(withDeltas: false))
  }

  @Test("the bytes of a plan, and the bootstrap store with a new store")
  func bytes() {
    #expect(UpdatePlan.nothing.bytes(ofStore: 400, chain: [1, 2]) == 0)
    #expect(UpdatePlan.deltas.bytes(ofStore: 400, chain: [1, 2]) == 3)
    #expect(UpdatePlan.store(withDeltas: true).bytes(ofStore: 400, chain: [1, 2]) == 403)
    #expect(UpdatePlan.store(withDeltas: false).bytes(ofStore: 400, chain: [1, 2]) == 400)
    #expect(
      UpdatePlan.deltas.replacesBootstrap(nil, with: "a")
        && !UpdatePlan.deltas.replacesBootstrap("b", with: "a"))
    let store = UpdatePlan.store(withDeltas: true)
    #expect(store.replacesBootstrap("b", with: "a") && !store.replacesBootstrap("a", with: "a"))
  }

  @Test("the state of files: what they lead to, and the deltas from the store to there")
  func state() throws {
    let place = try TemporaryDirectory()
    try StoreFiles.write([TestRecord(10, "a"), TestRecord(20, to: 29, "b")], to: place / "old")
    try StoreFiles.write([TestRecord(10, "a"), TestRecord(30, "c")], to: place / "new")
    _ = try StoreFiles.makeDeltas(in: place, from: "old", to: "new", entriesMax: 100)
    let delta = place / "1.cddelta"
    let plain = try ExtensionFiles(store: place / "new", record: "").state()
    #expect(plain.deltaCount == 0 && plain.deltaBytes == 0)
    let bytes = UInt64(try #require(place.read("1.cddelta")).count)
    var files = ExtensionFiles(store: place / "old", deltas: [delta], record: "")
    var state = try files.state()
    #expect(state.target == plain.target && state.deltaCount == 1 && state.deltaBytes == bytes)
    #expect(try files.entryCount() == 2)
    files.store = place / "new"
    state = try files.state()
    #expect(state == plain)
    #expect(try files.entryCount() == 2)
    files.deltas = []
    files.store = place / "old"
    #expect(try files.entryCount() == 11)
  }
}
