// The user's own list: its text, loads without the numbers that it allows, its own extension, and lookups.

import CallDirectory
import DirectorySimulation
import SimulatedPhone
import StoreSupport
import TestSupport
import Testing

@Suite("Own lists", .seeded)
struct OwnListTests {
  private static func list(_ lines: String...) throws -> OwnList {
    try OwnList(text: lines.joined(separator: "\n"))
  }

  @Test("numbers and patterns as typed, in international form")
  func typed() throws {
    let pattern = try OwnList.Rule("+33 6.12-## (##) ##", .block, label: "a\tb\n")
    #expect(pattern.pattern == "+33612######" && pattern.numbers == 33_612_000_000...33_612_999_999)
    #expect(pattern.label == "a b ")
    #expect(try OwnList.Rule("8613800138000", .allow).numbers == 8_613_800_138_000...8_613_800_138_000)
    #expect(try OwnList.Rule("99999999999999#", .block).numbers.upperBound == 999_999_999_999_999)
    for text in [
      "", "+", "###", "0612345678", "+0", "33#1", "+33+", "1234567890123456", "33*", "call me", "３３",
    ] {
      #expect(throws: OwnListError.notANumber(text)) { try OwnList.Rule(text, .block) }
    }
  }

  @Test("a list as text: exported, imported, and lists of numbers alone")
  func text() throws {
    var list = OwnList()
    try list.add(OwnList.Rule("+33612######", .block, label: "survey"))
    try list.add(OwnList.Rule("+33612345678", .allow))
    #expect(list.text == "block\t+33612######\tsurvey\nallow\t+33612345678\n")
    #expect(try OwnList(text: list.text) == list)
    let other = try OwnList(text: "\u{FEFF}# mine\r\n+44 20 7946 0000\tbank\r\n\r\n44123\n442079460000\n")
    #expect(other.text == "block\t+442079460000\nblock\t+44123\n")
    #expect(throws: OwnListError.invalidLine(2, "block\tme")) { try Self.list("44123", "block\tme") }
    let many = (1...UInt64(OwnList.rulesMax + 1)).map { "\($0)" }.joined(separator: "\n")
    #expect(throws: OwnListError.tooManyRules(limit: OwnList.rulesMax)) { try OwnList(text: many) }
    list.remove("+33612######")
    try list.add(OwnList.Rule("+33612345678", .block))
    #expect(list.rules.map(\.action) == [.block])
  }

  @Test("a list is a file: a missing one is empty, a file of something else is an error")
  func file() throws {
    let place = try TemporaryDirectory()
    let path = place / OwnList.fileName
    #expect(try OwnList(path: path) == OwnList())
    let list = try Self.list("allow\t12", "block\t13#\tx")
    try list.write(to: path)
    #expect(try OwnList(path: path) == list)
    #expect(place.names == [OwnList.fileName])
    try place.write(OwnList.fileName, [0x31, 0xFF])
    #expect(throws: OwnListError.notAList) { try OwnList(path: path) }
    try place.write(OwnList.fileName, [UInt8](repeating: 0x31, count: OwnList.bytesMax + 1))
    #expect(throws: OwnListError.notAList) { try OwnList(path: path) }
  }

  // MARK: Loads

  /// Publishes records, as a store or as a delta since the former ones, and loads them with an own list. Expects the
  /// phone and a lookup to have the records without the allowed numbers.
  private static func load(
    _ records: [TestRecord], _ own: OwnList, _ phone: LoadingPhone, upTo last: UInt64
  ) throws {
    try own.write(to: phone.place / OwnList.fileName)
    _ = try phone.loadAll()
    let singles = records.flatMap { record in
      (record.first...record.last).map { TestRecord($0, $0, record.recordFields) }
    }
    let allowed = singles.filter { own.rule(for: $0.first)?.action == .allow }
    try phone.expect(singles.filter { !allowed.contains($0) }, upTo: last)
    let lookup = try CallerLookup([phone.files])
    for number in 1...last {
      let rule = own.rule(for: number)
      let record = singles.first { $0.first == number }
      let expected =
        rule?.action == .block
        ? Caller(isBlocked: true, label: rule?.label ?? "")
        : rule == nil
          ? record.map {
            Caller(
              isBlocked: StoreFiles.isBlocking($0), label: String(decoding: $0.recordFields, as: UTF8.self))
          } : nil
      #expect(try lookup.caller(number) == expected, "\(number)")
    }
  }

  @Test("random lists and own lists, by stores and deltas, in requests of any size", arguments: 0..<12)
  func random(_ run: Int) throws {
    var random = SplitMix64(test: "own list \(run)")
    let phone = try LoadingPhone()
    phone.hasOwnList = true
    func records() -> [TestRecord] {
      (0..<12).filter { _ in random.chance(oneIn: 2) }.map { at in
        TestRecord(
          at * 9 + 1, to: at * 9 + 1 + UInt64.random(in: 0...8, using: &random),
          random.chance(oneIn: 2) ? "a" : "b!")
      }
    }
    func own() throws -> OwnList {
      var list = OwnList()
      for _ in 0..<random.below(6) {
        let number = random.chance(oneIn: 3) ? "\(1 + random.below(9))#" : "\(1 + random.below(110))"
        try list.add(OwnList.Rule(number, random.chance(oneIn: 3) ? .block : .allow, label: "own"))
      }
      return list
    }
    var present = records()
    try phone.write(present)
    for _ in 0..<10 {
      phone.additionsMax = 1 + random.below(60)
      let next = random.chance(oneIn: 2) ? records() : present
      try phone.write(next, as: "new")
      phone.remove("1.cddelta")
      // By a delta, or by a new store.
      if random.chance(oneIn: 2) {
        _ = try StoreFiles.makeDeltas(
          in: phone.place, from: ExtensionFiles.storeName, to: "new", entriesMax: 1000)
      } else {
        try phone.write(next)
      }
      try Self.load(next, own(), phone, upTo: 120)
      try phone.write(next)
      present = next
    }
  }

  @Test("a rule loads an extension again only if it concerns its numbers")
  func concerned() throws {
    let phone = try LoadingPhone()
    phone.hasOwnList = true
    let records = [TestRecord(10, "a"), TestRecord(20, to: 29, "b!")]
    try phone.write(records)
    try Self.load(records, OwnList(), phone, upTo: 40)
    try Self.list("allow\t700", "block\t25").write(to: phone.place / OwnList.fileName)
    #expect(try phone.files.progress().isComplete)
    try Self.list("allow\t25").write(to: phone.place / OwnList.fileName)
    #expect(try phone.files.progress() == LoadProgress(next: .store(after: nil), entriesToCome: 11))
    _ = try phone.loadAll()
    #expect(phone.log.last?.allowed == 1 && phone.log.last?.blockingAdded == 9)
    #expect(try phone.files.progress().isComplete)
    // A list that can't be read changes nothing.
    try phone.place.write(OwnList.fileName, Array("allow\tme".utf8))
    #expect(phone.load().failure == nil)
    #expect(phone.log.lastError?.cause == .store(.notAStore, path: phone.place / OwnList.fileName))
    #expect(try phone.phone.answer(IncomingCall(from: "+25")) == .unknown)
    #expect(try phone.phone.answer(IncomingCall(from: "+24")) == .blocked(by: .extension(LoadingPhone.name)))
  }

  @Test(
    "the extension of the own list blocks its numbers, and loads again when it changes",
    arguments: [3, 50, 2000])
  func ownExtension(limit: Int) throws {
    let phone = try LoadingPhone()
    phone.additionsMax = limit
    phone.blocksOwnList = true
    let path = phone.place / OwnList.fileName
    func expect(_ numbers: ClosedRange<UInt64>...) throws {
      try phone.expect(numbers.map { TestRecord($0.lowerBound, to: $0.upperBound, "own!") })
      #expect(try phone.files.progress().isComplete)
      #expect(try phone.files.entryCount() == numbers.reduce(0) { $0 + UInt64($1.count) })
    }
    _ = try phone.loadAll()
    try expect()
    try Self.list("1#", "allow\t13", "allow\t9", "block\t30\tx", "21").write(to: path)
    #expect(try phone.files.progress().entriesToCome == 11)
    #expect(try phone.loadAll() == (11 + limit - 1) / limit)
    try expect(10...12, 14...19, 21...21, 30...30)
    #expect(phone.load().report.batches == 0)
    try Self.list("allow\t13").write(to: path)
    _ = try phone.loadAll()
    try expect()
  }
}
