// The real limit of a request, stored and counted.

import SimulatedPhone
import Testing

private let name = "com.example.app.directory"

private func entries(_ count: Int64) -> ExtensionProgram {
  .inProcess { request in
    for number in Int64(1)...count { request.addBlocking(827_000_000_000 + number) }
    _ = request.complete()
  }
}

@Suite("The limit of 2,000,000", .serialized)
struct LimitTests {
  @Test("1,999,999 entries load, 2,000,000 fail with error 5 and leave no entries", arguments: [true, false])
  func limit(isStored: Bool) throws {
    let last: Int64 = 827_001_999_999
    let phone = try SimulatedPhone(isStored ? .database(path: nil) : .counting(watching: [last]))
    try phone.install(name, entries(1_999_999))
    let first = phone.switchOn(name)
    #expect(first.failure == nil)
    #expect(first.report.batches == 200)
    #expect(try phone.entryCounts(name) == EntryCounts(blocking: 1_999_999))
    #expect(try phone.answer(IncomingCall(from: "+\(last)")) == .blocked(by: .extension(name)))
    try phone.update(name, entries(2_000_000))
    let second = phone.load(name)
    #expect(second.failure == .directory(.maximumEntriesExceeded))
    // The last batch is the one that is refused.
    #expect(second.report.blockingAdded == 1_990_000)
    #expect(try phone.entryCounts(name) == EntryCounts())
    #expect(try phone.answer(IncomingCall(from: "+\(last)")) == .unknown)
  }
}
