// Failures: failed loads, damaged files, records that can't be written, and processes that end too early.

import CallDeltaReader
import CallDirectory
import CallStoreReader
import DirectorySimulation
import SimulatedPhone
import StoreSupport
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

private let few = [TestRecord(10, "a"), TestRecord(20, to: 29, "b!")]
private let many = [TestRecord(10, "a"), TestRecord(20, to: 99, "b!")]

@Suite("Failures of loads")
struct FailureTests {
  /// A phone that refuses fifty additions.
  private static func smallPhone() throws -> LoadingPhone {
    var assumptions = PhoneAssumptions()
    assumptions.additionsRefusedAt = 50
    return try LoadingPhone(assumptions: assumptions)
  }

  @Test("after a failed load, which removed all entries, the next one starts from scratch")
  func refused() throws {
    let phone = try Self.smallPhone()
    try phone.write(few)
    #expect(try phone.loadAll() == 1)
    try phone.write(many)
    #expect(phone.load().failure == .directory(.maximumEntriesExceeded))
    try phone.expect([])
    // The phone would accept changes, but changes to an empty directory would be wrong.
    #expect(try phone.files.progress().next == .store(after: nil))
    phone.additionsMax = 49
    #expect(try phone.loadAll() == 2)
    try phone.expect(many)
  }

  @Test("a refused delta is not applied to an empty directory")
  func refusedDelta() throws {
    let phone = try Self.smallPhone()
    try phone.write(few)
    #expect(try phone.loadAll() == 1)
    try phone.write(many, as: "new")
    _ = try StoreFiles.makeDeltas(
      in: phone.place, from: ExtensionFiles.storeName, to: "new", entriesMax: 1000)
    #expect(phone.load().failure == .directory(.maximumEntriesExceeded))
    try phone.expect([])
    phone.additionsMax = 49
    _ = try phone.loadAll()
    try phone.expect(many)
    let steps = phone.log.all.compactMap { try? $0.get().step }
    #expect(steps.suffix(3) == [.store(after: nil), .delta(0, after: nil), .delta(0, after: 68)])
  }

  @Test("an extension that ends in the middle leaves a record of that")
  func killed() throws {
    let phone = try LoadingPhone()
    try phone.write(few)
    #expect(try phone.loadAll() == 1)
    let files = phone.files
    // It adds entries, and ends before it completes the request.
    try phone.write(many)
    try phone.phone.update(LoadingPhone.name, .inProcess { request in _ = try? files.feed(request) })
    #expect(phone.load(withAccount: false).failure == .directory(.loadingInterrupted))
    try phone.expect([])
    #expect(try files.progress().next == .store(after: nil))
    phone.additionsMax = 1000
    #expect(try phone.loadAll() == 1)
    try phone.expect(many)
  }

  @Test(
    "the app's report counts if the extension did not learn the result of its request",
    arguments: [true, false])
  func reportOfApp(isSuccess: Bool) throws {
    let phone = try LoadingPhone()
    try phone.write(few)
    let files = phone.files
    try phone.phone.update(
      LoadingPhone.name,
      .inProcess { request in
        _ = try? files.feed(request)
        _ = request.complete()
      })
    let reload = files.beginReload()
    #expect(phone.load(withAccount: false).failure == nil)
    #expect(try !files.progress().isComplete)
    reload.ended(failed: !isSuccess)
    #expect(try files.progress().isComplete == isSuccess)
  }

  @Test("an extension that is ended before it records anything has lost all entries, and the app reports it")
  func endedAtOnce() throws {
    let phone = try LoadingPhone()
    try phone.write(few)
    #expect(try phone.loadAll() == 1)
    let files = phone.files
    #expect(try files.progress().isComplete)
    try phone.phone.update(LoadingPhone.name, .inProcess { _ in })
    let reload = files.beginReload()
    #expect(phone.load(withAccount: false).failure == .directory(.loadingInterrupted))
    try phone.expect([])
    reload.ended(failed: true)
    #expect(try files.progress().next == .store(after: nil))
    phone.additionsMax = 1000
    #expect(try phone.loadAll() == 1)
    try phone.expect(few)
  }

  @Test("a damaged file changes nothing, and the loaded entries stay")
  func damaged() throws {
    let phone = try LoadingPhone()
    try phone.write(few)
    #expect(try phone.loadAll() == 1)
    try phone.write(many, as: "new")
    var bytes = try #require(phone.place.read("new"))
    bytes[20] ^= 1
    try phone.place.write(ExtensionFiles.storeName, bytes)
    let outcome = phone.load()
    #expect(outcome.failure == nil && outcome.report.batches == 0)
    #expect(phone.log.lastError?.hasChanged == false)
    try phone.expect(few)
    // If nothing is loaded, there is nothing to keep: the app gets the error.
    try phone.phone.switchOff(LoadingPhone.name)
    let off = phone.load()
    #expect(off.failure?.domain == LoadingExtension.errorDomain && off.failure?.code == 0)
    try phone.write(many)
    #expect(try phone.loadAll() == 1)
    try phone.expect(many)
  }

  @Test("a missing file is an error, a missing bootstrap store is not")
  func missing() throws {
    let phone = try LoadingPhone()
    #expect(throws: CallDirectoryError.store(.cannotOpen(2), path: phone.files.store)) {
      try phone.files.progress()
    }
    try phone.write(few)
    var files = phone.files
    files.bootstrap = phone.place / "none"
    #expect(try files.progress().next == .store(after: nil))
    files.deltas = [String](repeating: phone.files.store, count: ExtensionFiles.deltasMax + 1)
    #expect(throws: CallDirectoryError.tooManyDeltas(limit: 100)) { try files.progress() }
    files.deltas = [phone.files.store]
    #expect(throws: CallDirectoryError.delta(.notADelta, path: phone.files.store)) { try files.progress() }
  }

  @Test("if the record can't be written, every load is a full one")
  func noRecord() throws {
    let phone = try LoadingPhone()
    try phone.write(few)
    var files = phone.files
    files.record = phone.place / "no/such/folder/record"
    try phone.phone.update(
      LoadingPhone.name, LoadingExtension.inProcess(files) { [log = phone.log] in log.note($0) })
    for _ in 0..<2 {
      #expect(phone.load().failure == nil)
      #expect(phone.log.last?.step == .store(after: nil))
      try phone.expect(few)
    }
  }

  @Test("a record that can't be changed stops the load before the record would become wrong")
  func stuckRecord() throws {
    let phone = try LoadingPhone()
    try phone.write(few)
    var files = phone.files
    files.record = phone.place.path
    try phone.phone.update(
      LoadingPhone.name, LoadingExtension.inProcess(files) { [log = phone.log] in log.note($0) })
    #expect(phone.load().failure?.domain == LoadingExtension.errorDomain)
    guard case .record(_, phone.place.path)? = phone.log.lastError?.cause else {
      Issue.record("\(String(describing: phone.log.lastError))")
      return
    }
  }

  /// What may not be read.
  enum Denied: CaseIterable { case record, appReport, everything }

  @Test("a record that may not be read is not a missing one: the entries stay", arguments: Denied.allCases)
  func deniedRecord(_ denied: Denied) throws {
    let phone = try LoadingPhone()
    try phone.write(few)
    #expect(try phone.loadAll() == 1)
    let files = phone.files
    let report = files.record + ".app"
    files.beginReload().ended(failed: true)
    #expect(try phone.loadAll() == 1)
    // The next list is there, too.
    try phone.write(many)
    DeniedFiles.allow(phone.place.path, others: denied != .everything)
    for path in [files.store, files.record, report] { DeniedFiles.allow(path, others: true) }
    let path = denied == .appReport ? report : denied == .record ? files.record : files.store
    if denied == .everything { DeniedFiles.deny(files.record) }
    DeniedFiles.deny(path)
    try phone.phone.update(
      LoadingPhone.name,
      .inProcess { [log = phone.log] request in
        request.onFailure { _ in files.requestFailed() }
        log.note(DeniedFiles.run { request.load(files) })
      })
    let outcome = phone.load()
    #expect(outcome.failure == nil && outcome.report.isIncremental && outcome.report.batches == 0)
    let error = try #require(phone.log.lastError)
    #expect(!error.hasChanged && error.cause.deniedFile?.path == path)
    try phone.expect(few)
    #expect(throws: CallDirectoryError.self) { try DeniedFiles.run { try files.progress() } }
    // After the first unlock.
    for path in [phone.place.path, files.store, files.record, report] { DeniedFiles.allow(path) }
    phone.additionsMax = 1000
    #expect(try phone.loadAll() == 1)
    try phone.expect(many)
  }

  @Test("a file that may not be read has another code than a missing one")
  func codes() {
    for code in [EPERM, EACCES] {
      #expect(CallDirectoryError.store(.cannotOpen(code), path: "a").deniedFile?.path == "a")
      #expect(CallDirectoryError.delta(.cannotOpen(code), path: "a").deniedFile?.code == code)
    }
    for code in [ENOENT, EIO] {
      #expect(CallDirectoryError.store(.cannotOpen(code), path: "a").deniedFile == nil)
    }
    #expect(CallDirectoryError.store(.truncated, path: "a").deniedFile == nil)
  }

  @Test("any other file at the record's path counts as no record")
  func brokenRecord() throws {
    let phone = try LoadingPhone()
    try phone.write(few)
    #expect(try phone.loadAll() == 1)
    let valid = try #require(phone.place.read(ExtensionFiles.recordName))
    #expect(try phone.files.progress().isComplete)
    for place in valid.indices {
      var broken = valid
      broken[place] ^= 0x10
      try phone.place.write(ExtensionFiles.recordName, broken)
      #expect(try phone.files.progress().next == .store(after: nil))
    }
    for count in [0, 1, 127, 129, 5_000] {
      let other = (0..<count).map { $0 < valid.count ? valid[$0] : 0 }
      try phone.place.write(ExtensionFiles.recordName, other)
      #expect(try phone.files.progress().next == .store(after: nil))
    }
    try phone.place.write(ExtensionFiles.recordName, valid)
    #expect(try phone.files.progress().isComplete)
  }

  @Test("an empty request keeps the record, or records that nothing is loaded")
  func leftEmpty() throws {
    let phone = try LoadingPhone()
    try phone.write(few)
    #expect(try phone.loadAll() == 1)
    let files = phone.files
    try phone.phone.update(
      LoadingPhone.name,
      .inProcess { request in
        files.leaveEmpty(request)
        _ = request.complete()
      })
    #expect(phone.load(withAccount: false).failure == nil)
    try phone.expect(few)
    #expect(try files.progress().isComplete)
    try phone.phone.switchOff(LoadingPhone.name)
    #expect(phone.load(withAccount: false).failure == nil)
    try phone.expect([])
    #expect(try files.progress().next == .store(after: nil))
  }
}
