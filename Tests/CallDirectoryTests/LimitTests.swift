// The real limit of a request, through the library.

import CallDirectory
import SimulatedPhone
import StoreSupport
import TestSupport
import Testing

@Suite("The limit of a request, through the library", .serialized)
struct LimitTests {
  private static let first: UInt64 = 8_613_800_000_000

  /// Exactly `count` entries: a million to block in one range, the others with labels, some of them in separate
  /// records.
  private static func records(_ count: UInt64) -> [TestRecord] {
    let (blocked, single): (UInt64, UInt64) = (1_000_000, 20_000)
    let next = first + blocked
    let range = count - blocked - single
    return [
      TestRecord(first, to: next - 1, "a range!"), TestRecord(next, to: next + range - 1, "many"),
    ]
      + (0..<single).map { TestRecord(next + range + $0 * 2, "label \($0 % 50)") }
  }

  private static let last = first + 1_979_999 + 19_999 * 2

  @Test("1,999,999 entries load in one request; one more needs a second request or fails with error 5")
  func limit() throws {
    let last = Int64(Self.last)
    let phone = try LoadingPhone(.counting(watching: [Int64(Self.first), last, last + 1]))
    try phone.write(Self.records(1_999_999))
    #expect(try phone.loadAll() == 1)
    #expect(
      try phone.phone.entryCounts(LoadingPhone.name)
        == EntryCounts(blocking: 1_000_000, identification: 999_999))
    #expect(
      try phone.phone.answer(IncomingCall(from: "+\(last)"))
        == .identified(label: "label 49", by: LoadingPhone.name))

    try phone.write(Self.records(2_000_000))
    #expect(try phone.loadAll() == 2)
    #expect(phone.log.last?.identificationAdded == 1)
    let whole = EntryCounts(blocking: 1_000_000, identification: 1_000_000)
    #expect(try phone.phone.entryCounts(LoadingPhone.name) == whole)

    // All in one request, like an extension that does not count.
    try phone.phone.switchOff(LoadingPhone.name)
    phone.additionsMax = .max
    let outcome = phone.load()
    #expect(outcome.failure == .directory(.maximumEntriesExceeded))
    #expect(try phone.phone.entryCounts(LoadingPhone.name) == EntryCounts())
    phone.additionsMax = ExtensionFiles.additionsMax
    #expect(try phone.loadAll() == 2)
    #expect(try phone.phone.entryCounts(LoadingPhone.name) == whole)
  }
}
