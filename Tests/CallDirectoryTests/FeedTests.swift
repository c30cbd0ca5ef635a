// An extension's files on a simulated phone: whole stores, changes, steps, and a bootstrap store.

import CallDirectory
import SimulatedPhone
import StoreSupport
import TestSupport
import Testing

private let monday = [
  TestRecord(10, "a"), TestRecord(20, to: 29, "b!"), TestRecord(40, "c"), TestRecord(50, to: 60, "a"),
]
private let tuesday = [
  TestRecord(5, "n"), TestRecord(10, "a!"), TestRecord(20, to: 25, "b!"), TestRecord(26, to: 45, "c"),
  TestRecord(50, to: 60, "z"), TestRecord(70, "a"),
]

@Suite("Load requests")
struct FeedTests {
  @Test("the first request loads the store, the next one has nothing to do")
  func whole() throws {
    let phone = try LoadingPhone()
    try phone.write(monday)
    #expect(try phone.files.progress() == LoadProgress(next: .store(after: nil), entriesToCome: 23))
    #expect(phone.load().failure == nil)
    let fed = try #require(phone.log.last)
    #expect(fed.step == .store(after: nil) && fed.isComplete)
    #expect((fed.blockingAdded, fed.identificationAdded, fed.removed, fed.dropped) == (10, 13, 0, 0))
    try phone.expect(monday)
    #expect(try phone.files.progress().isComplete)
    let again = phone.load()
    #expect(again.failure == nil && again.report.isIncremental && again.report.batches == 0)
    #expect(phone.log.last?.step == .nothing)
    try phone.expect(monday)
  }

  @Test("an empty store loads, and leaves nothing")
  func empty() throws {
    let phone = try LoadingPhone()
    try phone.write(monday)
    #expect(try phone.loadAll() == 1)
    try phone.write([])
    #expect(try phone.loadAll() == 1)
    try phone.expect([])
    #expect(try phone.files.progress().isComplete)
  }

  @Test("changes are loaded from a delta, with the store from before or after it", arguments: [true, false])
  func delta(storeIsNew: Bool) throws {
    let phone = try LoadingPhone()
    try phone.write(monday)
    #expect(try phone.loadAll() == 1)
    try phone.write(tuesday, as: "new")
    _ = try StoreFiles.makeDeltas(
      in: phone.place, from: ExtensionFiles.storeName, to: "new", entriesMax: 1000)
    if storeIsNew { try phone.write(tuesday) }
    let progress = try phone.files.progress()
    #expect(progress.next == .delta(0, after: nil) && progress.entriesToCome == 40)
    #expect(try phone.loadAll() == 1)
    let fed = try #require(phone.log.last)
    #expect(fed.step == .delta(0, after: nil))
    #expect(fed.removed == 23 && fed.blockingAdded == 7 && fed.identificationAdded == 33)
    try phone.expect(tuesday)
    #expect(phone.load().report.batches == 0)
    // Without the deltas, the same state is reached only if the store is the new one.
    phone.remove("1.cddelta")
    #expect(try phone.loadAll() == 1)
    try phone.expect(storeIsNew ? tuesday : monday)
  }

  @Test("a delta for another store is ignored; the store is loaded whole")
  func strangeDelta() throws {
    let phone = try LoadingPhone()
    try phone.write(monday, as: "old")
    try phone.write(tuesday, as: "new")
    _ = try StoreFiles.makeDeltas(in: phone.place, from: "old", to: "new", entriesMax: 1000)
    try phone.write([TestRecord(7, "else")])
    #expect(try phone.loadAll() == 1)
    try phone.expect([TestRecord(7, "else")])
    #expect(phone.log.last?.step == .store(after: nil))
  }

  @Test("from scratch, a store and the deltas after it are loaded one after another")
  func chain() throws {
    let phone = try LoadingPhone()
    try phone.write(monday)
    try phone.write(tuesday, as: "new")
    let steps = try StoreFiles.makeDeltas(
      in: phone.place, from: ExtensionFiles.storeName, to: "new", entriesMax: 9
    ).count
    #expect(steps > 2)
    #expect(try phone.files.progress().entriesToCome == 23 + 40)
    #expect(try phone.loadAll() == 1 + steps)
    try phone.expect(tuesday)
  }

  @Test("what exceeds one request continues in the next", arguments: [1, 2, 7, 10, 22, 23])
  func steps(limit: Int) throws {
    let phone = try LoadingPhone()
    phone.additionsMax = limit
    try phone.write(monday)
    var left: UInt64 = 23
    while true {
      #expect(try phone.files.progress().entriesToCome == left)
      let outcome = phone.load()
      #expect(outcome.failure == nil)
      let added = outcome.report.blockingAdded + outcome.report.identificationAdded
      #expect(added <= limit && added > 0)
      left -= UInt64(added)
      if phone.log.last?.isComplete == true { break }
    }
    #expect(left == 0)
    #expect(phone.log.all.count == (23 + limit - 1) / limit)
    try phone.expect(monday)
  }

  @Test("a delta with several requests removes only in the first one", arguments: [1, 4, 19])
  func deltaSteps(limit: Int) throws {
    let phone = try LoadingPhone()
    try phone.write(monday)
    #expect(try phone.loadAll() == 1)
    try phone.write(tuesday, as: "new")
    _ = try StoreFiles.makeDeltas(
      in: phone.place, from: ExtensionFiles.storeName, to: "new", entriesMax: 1000)
    phone.additionsMax = limit
    let count = try phone.loadAll()
    #expect(count == (40 + limit - 1) / limit)
    let removed = phone.log.all.compactMap { try? $0.get().removed }
    #expect(removed.filter { $0 > 0 } == [23])
    try phone.expect(tuesday)
  }

  @Test("a new store in the middle of steps starts from scratch")
  func otherStoreBetween() throws {
    let phone = try LoadingPhone()
    phone.additionsMax = 5
    try phone.write(monday)
    phone.load()
    phone.load()
    try phone.write(tuesday)
    #expect(phone.load().report.didInitialRemoval)
    _ = try phone.loadAll()
    try phone.expect(tuesday)
  }

  @Test("a bootstrap store is loaded first only if nothing is loaded")
  func bootstrap() throws {
    let phone = try LoadingPhone()
    try phone.write(monday)
    let few = [TestRecord(40, "c")]
    try phone.write(few, as: ExtensionFiles.bootstrapName)
    #expect(try phone.files.progress() == LoadProgress(next: .bootstrap, entriesToCome: 24))
    phone.load()
    #expect(phone.log.last?.step == .bootstrap)
    #expect(phone.log.last?.isComplete == false)
    try phone.expect(few)
    phone.load()
    #expect(phone.log.last?.step == .store(after: nil) && phone.log.last?.isComplete == true)
    try phone.expect(monday)
    try phone.write(tuesday)
    phone.load()
    #expect(phone.log.last?.step == .store(after: nil))
    try phone.expect(tuesday)
    // Disabled and enabled: the next load is a full one, whatever was loaded.
    try phone.phone.switchOff(LoadingPhone.name)
    phone.load()
    #expect(phone.log.last?.step == .bootstrap)
    try phone.expect(few)
  }

  @Test("labels that iOS drops are left out and counted")
  func labels() throws {
    // A store's label has at most 32 KiB; each byte that is not UTF-8 becomes three bytes.
    let long = [UInt8](repeating: 0xFF, count: 32_768)
    let phone = try LoadingPhone()
    try phone.write([TestRecord(1, 9, long), TestRecord(10, "a")])
    let outcome = phone.load()
    #expect(outcome.failure == nil && outcome.report.entriesDropped == 0)
    #expect(phone.log.last?.dropped == 9)
    try phone.expect([TestRecord(10, "a")])
    #expect(try phone.files.progress().isComplete)
  }
}
