// The select stage: against an oracle that expands every number, the rules' syntax, counts and notices.

import NumberPlan
import Records
import Synchronization
import SystemIO
import TestSupport
import Testing

@testable import RecordStages

/// The result of a selection.
private struct Selection {
  var records: [TestRecord] = []
  var meter: StageMeter
  var lines: [String] = []
}

private func select(
  _ records: [TestRecord], _ rules: [SelectRule], cut: Cut = .whole, swaps: Bool = false
) throws -> Selection {
  let fixture = try StageFixture(.select)
  let sink = CollectingRecords(CollectorOptions(swaps: swaps))
  let notices = NoticeLines()
  var options = try SelectOptions(rules: rules)
  options.observe = { notice in notices.add(OptionText.typed(notice.line)) }
  let stage = try Selector(options: options, context: fixture.context, downstream: sink)
  try feed(records, cut: cut, to: stage)
  #expect(sink.rules.isFinished && fixture.meter.isFinished)
  return Selection(records: sink.records, meter: fixture.meter, lines: notices.lines)
}

private final class NoticeLines: Sendable {
  private let all = Mutex<[String]>([])
  var lines: [String] { all.withLock { $0 } }
  func add(_ line: String) { all.withLock { $0.append(line) } }
}

/// Rules as they are typed: `keep country=DE`.
private func rules(_ texts: String...) throws -> [SelectRule] {
  try texts.map { text in
    let action = try #require(SelectRule.Action(rawValue: String(text.prefix(4))))
    return try SelectRule(action, String(text.dropFirst(5)))
  }
}

@Suite("select", .seeded)
struct SelectTests {
  /// The first numbers of some blocks of the plan, and of lengths and calling codes.
  private static func borders(_ random: inout SplitMix64) -> [UInt64] {
    let starts: [UInt64] = [
      1, 9_999_990, 491_499_999_990, 4_930_123_450, 441_481_000_000, 447_700_000_000, 12_125_550_100,
      12_423_590_000, 390_000_000_000, 85_200_000_000, 99_999_999_999_970, 821_011_110_000,
    ]
    return starts
      + (0..<6).map { _ in
        let digits = Int.random(in: 7...13, using: &random)
        let low = (1..<digits).reduce(UInt64(1)) { power, _ in power * 10 }
        let block = NumberPlan.block(ofDigits: .random(in: low...low * 10 - 1, using: &random))
        return max(20, block.last) - 20
      }
  }

  private static func records(_ borders: [UInt64], _ count: Int, _ random: inout SplitMix64) -> [TestRecord] {
    let fields = ["", "a b", "Spam 1\tsun\t2", "Spämmer\tspam\t-1", "x\t\t7", "a\\tb\tother", "Spam\tother"]
    return (0..<count).map { _ in
      let first = borders.randomElement(using: &random)! + .random(in: 0...40, using: &random)
      let last = random.chance(oneIn: 2) ? first : first + .random(in: 0...60, using: &random)
      return TestRecord(first, to: last, fields.randomElement(using: &random)!)
    }
  }

  @Test("random rules against the selection of every number", arguments: 0..<60)
  func oracle(round: Int) throws {
    var random = SplitMix64(test: "select \(round)")
    let directory = try TemporaryDirectory()
    let borders = Self.borders(&random)
    var records = Self.records(borders, 3000, &random)
    if round % 2 == 0 { records.sort { $0.first < $1.first } }
    let listed = Self.records(borders, 40, &random)
    try directory.write("a list.tsv", lines(SortOracle.sorted(listed)))
    let prefixes = borders.prefix(5).map { $0 / 100 + 1 }
    let prefixLines = prefixes.map { "+\($0)\r\n" }.joined(separator: "# more\n\n")
    try directory.write("prefixes", Array(prefixLines.utf8))
    let files = OracleRule.Files(
      list: directory / "a list.tsv", numbers: Set(listed.flatMap { Array($0.first...$0.last) }),
      prefixFile: directory / "prefixes", prefixes: prefixes)
    let oracles = (0...Int.random(in: 0..<5, using: &random)).map { _ in
      OracleRule.random(near: borders, files, &random)
    }
    let typed = try oracles.map { try SelectRule($0.action, $0.text) }
    let selection = try select(
      records, typed, cut: .random(seed: random.next(), most: 3000), swaps: round % 3 == 0)
    let isSame = selection.records == SelectOracle.select(records, oracles)
    #expect(isSame, "\(oracles.map { "\($0.action) \($0.text)" })")
    let meter = selection.meter
    #expect(meter.rowsIn.value == UInt64(records.count))
    #expect(meter.rowsOut.value == UInt64(selection.records.count))
    #expect(meter.rowsIn.value + meter.splits.value == meter.rowsOut.value + meter.leftOut.value)
  }

  /// The selection of every number by country, which looks up all of the plan at once after many lookups.
  @Test("a range over all numbers is cut at the boundaries of a country, again and again")
  func allNumbers() throws {
    let whole = TestRecord(1, to: PhoneNumber.max)
    let selection = try select([whole, whole, whole], rules("keep country=FR"))
    let third = selection.records.count / 3
    let first = Array(selection.records.prefix(third))
    #expect(
      Array(selection.records[third..<2 * third]) == first && Array(selection.records.suffix(third)) == first)
    for (record, next) in zip(first, first.dropFirst()) {
      #expect(record.last + 1 < next.first)
      for end in [record.first, record.last] { #expect(NumberPlan.block(ofDigits: end).region?.code == "FR") }
      #expect(NumberPlan.block(ofDigits: record.last + 1).region?.code != "FR")
    }
    #expect(first.contains { $0.first <= 33_123_456_789 && $0.last >= 33_123_456_789 })
  }

  @Test("the last rule that applies decides; without one, the opposite of the first rule")
  func order() throws {
    let records = ["Spam\tftc\t5", "Spam\tftc\t1", "Test\tftc\t9", "\tbnetza"].enumerated().map {
      index, fields in
      TestRecord(4_930_000_001 + UInt64(index), fields)
    }
    func kept(_ texts: String...) throws -> [UInt64] {
      let all = try texts.map {
        try SelectRule(SelectRule.Action(rawValue: String($0.prefix(4)))!, String($0.dropFirst(5)))
      }
      return try select(records, all).records.map { $0.first - 4_930_000_000 }
    }
    #expect(try kept("keep label=Spam") == [1, 2])
    #expect(try kept("drop label=Spam") == [3, 4])
    #expect(try kept("keep label=Spam", "drop score<3") == [1])
    #expect(try kept("drop score<3", "keep label=Spam") == [1, 2, 3])
    #expect(try kept("drop source=ftc", "keep score>=5", "drop label=T?st") == [1, 4])
    #expect(try kept("keep label=") == [4])
    #expect(try kept("keep source!=ftc") == [4])
    #expect(try kept("drop prefix=49 score=1") == [1, 3, 4])
    #expect(try kept("drop is=number", "keep number=4930000002") == [2])
    #expect(try kept("keep country=at,DE type!=mobile") == [1, 2, 3, 4])
  }

  @Test("days: compared, missing, and not in the calendar")
  func days() throws {
    let fields = ["a\t\t\t2026-11-28", "a\t\t3\t2026-11-29", "\ts\t\t2028-02-29", "a\ts\t1"]
    let records = fields.enumerated().map { TestRecord(UInt64($0 + 1), $1) }
    func kept(_ condition: String) throws -> [UInt64] {
      try select(records, rules("keep \(condition)")).records.map(\.first)
    }
    #expect(try kept("date>=2026-11-29") == [2, 3])
    #expect(try kept("date<2026-11-29") == [1])
    #expect(try kept("date>2026-11-28 date<=2026-11-29") == [2])
    #expect(try kept("date=2028-02-29") == [3] && kept("date!=2028-02-29") == [1, 2, 4])
    #expect(try kept("date=") == [4] && kept("date!=") == [1, 2, 3])
    for text in ["2026-02-29", "29.11.2026", "90d", "2026-11-29,2026-11-30"] {
      #expect(
        stageError { () throws(Failure) in _ = try SelectRule(.keep, "date>=\(text)") }?.code == "bad-date")
    }
  }

  @Test("what is left out is reported, with rules that decide about no record")
  func notices() throws {
    let records = [TestRecord(1, to: 10, "a"), TestRecord(20, "a"), TestRecord(30, to: 39, "b")]
    let some = try select(records, rules("keep label=a", "drop number=3..4", "drop label=Spam*"))
    #expect(some.records == [TestRecord(1, to: 2, "a"), TestRecord(5, to: 10, "a"), TestRecord(20, "a")])
    #expect(some.meter.splits.value == 1 && some.meter.leftOutByReason == ["not-selected": 1])
    #expect(
      some.lines == [
        "left out 1 record and parts of 1 range (12 numbers) that the rules do not select",
        "'--drop label=Spam*' decides about no record",
      ])
    #expect(try select(records, rules("drop number=5,7")).lines.count == 1)
    #expect(try select([], rules("keep label=x")).lines.isEmpty)
  }

  @Test(
    "invalid rules",
    arguments: [
      ("", "no-condition"), ("  ", "no-condition"), ("land=DE", "unknown-condition"),
      ("DE", "unknown-condition"),
      ("country", "no-comparison"), ("country = DE", "no-comparison"), ("country==DE", "no-comparison"),
      ("country=Germany", "bad-country"), ("country=", "bad-country"), ("country=DE,", "bad-country"),
      ("type=mobil", "bad-type"), ("score>=many", "bad-score"), ("score>=1,2", "bad-score"),
      ("label>=a", "bad-comparison"), ("is=prefix", "bad-kind"), ("number=0301234", "bad-number"),
      ("number=49*", "bad-number"), ("number=9..1", "bad-number"), ("prefix=", "bad-number"),
      ("numbers=-", "bad-list"), ("numbers=", "bad-list"),
      ("prefixes=-", "bad-list"), ("label=\"a", "open-quote"),
      ("label=a\\", "open-escape"),
    ])
  func invalid(text: String, code: String) {
    let error = stageError { () throws(Failure) in _ = try SelectRule(.keep, text) }
    #expect(error?.code == code && error?.errorClass == .usage)
  }

  @Test("blanks, commas and wildcards in quotes and after backslashes")
  func quoting() throws {
    let labels = ["a b", "a,b", "a*", "ab", "it's"]
    let records = labels.enumerated().map { TestRecord(UInt64($0 + 1), $1) }
    func kept(_ condition: String) throws -> [String] {
      try select(records, rules("keep \(condition)")).records.map {
        RecordFields.fields($0.recordFields.span).label
      }
    }
    #expect(try kept("label=\"a b\"") == ["a b"])
    #expect(try kept("label=a\\ b,'a,b'") == ["a b", "a,b"])
    #expect(try kept("label=a\\*") == ["a*"])
    #expect(try kept("label=a*") == ["a b", "a,b", "a*", "ab"])
    #expect(try kept("label=\"it's\"") == ["it's"])
    #expect(
      SelectRule.replacingPaths(in: "score>=3  numbers=\"a b\",c label=\"x y\"") { "/d/" + $0 }
        == "score>=3 numbers=\"/d/a b\",/d/c label=\"x y\"")
    #expect(SelectRule.replacingPaths(in: "prefixes!=a") { "/" + $0 } == "prefixes!=/a")
    #expect(SelectRule.replacingPaths(in: "numbers=\"") { "/" + $0 } == "numbers=\"")
  }

  @Test("lists that are missing, not records, or too long")
  func lists() throws {
    let directory = try TemporaryDirectory()
    try directory.write("raw", Array("+49 30 1\n".utf8))
    var long: [UInt8] = []
    for number in 1...(1 << 18) + 1 { long.append(contentsOf: "\(2 * number)\n".utf8) }
    try directory.write("long", long)
    // Of 6 digits: 10 ranges each, of which none touch.
    let prefixes = (0...SelectedNumbers.rangesMax / 10).map { "\(100_000 + 2 * $0)\n" }.joined()
    try directory.write("prefixes", Array(prefixes.utf8))
    try directory.write("blanks", Array("# of 4930\n4930 4940\n".utf8))
    try directory.write("large", [UInt8](repeating: 0x0A, count: StageFile.lineFileBytesMax + 1))
    for (condition, name, code) in [
      ("numbers", "none", "system"), ("numbers", "raw", "not-a-record"),
      ("numbers", "long", "too-many-ranges"),
      ("prefixes", "none", "system"), ("prefixes", "blanks", "bad-prefix"),
      ("prefixes", "prefixes", "too-many-ranges"), ("prefixes", "large", "file-too-large"),
    ] {
      let rule = try SelectRule(.keep, "\(condition)=\(directory / name)")
      let options = try SelectOptions(rules: [rule])
      #expect(options.files.map(\.path) == [directory / name])
      let context = try StageFixture(.select).context
      let error = stageError { () throws(Failure) in
        _ = try Selector(options: options, context: context, downstream: CollectingRecords())
      }
      #expect(error?.code == code && error?.stage == .select)
    }
  }
}
