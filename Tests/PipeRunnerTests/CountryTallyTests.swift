// The countries of a run's numbers, compared with counting number by number, and the errors of country checks.

import NumberPlan
import RecordStages
import Records
import Synchronization
import SystemIO
import TestSupport
import Testing

@testable import Runner

@Suite("CountryTally")
struct CountryTallyTests {
  /// Around the limits of calling codes and lengths.
  private static let edges: [UInt64] = [
    21, 99, 209, 210, 211, 999, 2_099, 21_199, 86_755, 12_125_550_000, 8_613_799_999_990, 44_999_999,
    46_000_000_000, 99_999, 7_999_999_999, 210_999_999, 211_999_999, 80_000_000_000, 79_999_999_990,
  ]

  @Test("the tally equals one that is counted number by number, in any order", .seeded, arguments: 0..<20)
  func asCounted(round: Int) {
    var generator = SplitMix64(test: "countries \(round)")
    let isAscending = round % 2 == 0
    var records: [(first: UInt64, last: UInt64)] = []
    for _ in 0..<Int.random(in: 1...3000, using: &generator) {
      let edge = Self.edges.randomElement(using: &generator) ?? 21
      let first = max(1, edge &+ UInt64.random(in: 0...40, using: &generator) &- min(edge, 20))
      let width = generator.chance(oneIn: 4) ? UInt64.random(in: 0...60, using: &generator) : 0
      records.append((first, first + width))
    }
    if isAscending {
      records.sort { $0.first < $1.first }
      // Disjoint, as the last stage receives them.
      for index in records.indices.dropLast() {
        records[index].last = max(
          records[index].first, min(records[index].last, records[index + 1].first &- 1))
      }
    }
    var oracle: [UInt16: RecordCounts.Count] = [:]
    for record in records {
      for number in record.first...record.last {
        let code = NumberPlan.callingCode(ofDigits: number) ?? 0
        oracle[code, default: RecordCounts.Count()].entries += 1
        if number == record.first { oracle[code, default: RecordCounts.Count()].records += 1 }
      }
    }
    var tally = CountryTally()
    var batch = RecordBatch()
    for record in records {
      _ = batch.append(first: record.first, last: record.last, recordFields: Array("a".utf8).span)
      if generator.chance(oneIn: 100) {
        tally.count(batch)
        batch.removeAll()
      }
    }
    tally.count(batch)
    let countries = tally.take()
    let counted = Dictionary(
      uniqueKeysWithValues: countries.map {
        ($0.callingCode, RecordCounts.Count(records: $0.records, entries: $0.entries))
      })
    #expect(counted == oracle)
    #expect(countries.map(\.entries) == countries.map(\.entries).sorted(by: >))
  }

  @Test("a range over all numbers is counted completely")
  func wholeWorld() {
    var tally = CountryTally()
    var batch = RecordBatch()
    _ = batch.append(first: 1, last: 999_999_999_999_999, recordFields: Array("all".utf8).span)
    tally.count(batch)
    let countries = tally.take()
    #expect(countries.reduce(0) { $0 + $1.entries } == 999_999_999_999_999)
    // All numbers from 9 to 15 digits that begin with 86, and the shorter ones.
    let chinese = (2...15).reduce(0) { $0 + UInt64(pow10($1 - 2)) }
    #expect(countries.first { $0.callingCode == 86 }?.entries == chinese)
  }

  private func pow10(_ exponent: Int) -> UInt64 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

  @Test("a sample is spread evenly over a stream of any length")
  func sample() {
    for rows in [0, 1, 100, RecordSample.sizeMax - 1, RecordSample.sizeMax, 100_000] {
      var sample = RecordSample()
      var batch = RecordBatch()
      for row in 0..<rows {
        if batch.count == 1000 {
          sample.add(batch)
          batch.removeAll()
        }
        _ = batch.append(first: UInt64(row), last: UInt64(row), recordFields: Array("a".utf8).span)
      }
      sample.add(batch)
      let step = sample.ranges.count > 1 ? sample.ranges[1].first : 1
      #expect(sample.ranges.map(\.first) == (0..<UInt64(sample.ranges.count)).map { $0 * step })
      #expect(sample.ranges.count == (rows + Int(step) - 1) / Int(step))
      #expect(sample.ranges.count < RecordSample.sizeMax)
      #expect(rows < RecordSample.sizeMax || sample.ranges.count >= RecordSample.sizeMax / 2 - 1)
    }
  }

  // MARK: Runs

  /// Runs text through one stage; returns the countries.
  private func run(_ text: String, _ stage: any StagePlan, output: String = "-") throws -> CountryCounts? {
    let directory = try TemporaryDirectory()
    try directory.write("in.tsv", Array(text.utf8))
    let pipeline = Pipeline(
      sources: [Pipeline.Source(input: .files([directory / "in.tsv"]))], stages: [stage],
      output: directory / "out.tsv")
    let run = try PipelineRun(pipeline, rejects: try RejectLog())
    try run.execute()
    return run.countries
  }

  private func normalize(_ check: CountryCheck?) -> NormalizeOptions {
    var options = NormalizeOptions(region: Region("CN"))
    options.countryCheck = check
    return options
  }

  /// Nine valid Chinese numbers and one of Hong Kong.
  private static let rows = (0..<9).map { "1380013800\($0)\ta\n" }.joined() + "+85221234567\ta\n"

  @Test("normalize counts countries, and checks each number")
  func checks() throws {
    let counts = try #require(try run(Self.rows, normalize(nil)))
    #expect(counts.countries.map(\.callingCode) == [86, 852])
    #expect(counts.countries.map(\.region) == ["CN", "HK"])
    #expect(counts.countries.map(\.entries) == [9, 1])
    #expect(counts.checked == 10)
    #expect(counts.invalid == 0)
    _ = try run(Self.rows, normalize(CountryCheck(countries: ["CN"])))
    _ = try run(Self.rows, normalize(CountryCheck(countries: ["CN", "HK"], minValidPercent: 100)))
    _ = try run(Self.rows, normalize(CountryCheck(countries: [], minValidPercent: 100)))
    for (countries, percent, invalid) in [
      (["CN"], 91.0, UInt64(1)), (["US"], 90, 10), (["HK", "US"], 11, 9),
    ] {
      let error = #expect(throws: Failure.self) {
        try run(Self.rows, normalize(CountryCheck(countries: countries, minValidPercent: percent)))
      }
      #expect(error?.code == "country-check")
      #expect(error?.message.message.hasPrefix("\(10 - invalid) of 10 numbers are valid in ") ?? false)
      #expect(error?.stage == .normalize)
    }
  }

  @Test(
    "a range counts once, and is valid if the lowest and the highest number that the plan assigns are",
    arguments: [
      ([], "12010000000", "12019999999", true), (["US"], "18660000000", "18669999999", true),
      ([], "12120000000", "12121999999", false), (["US"], "12010000000", "12049999999", false),
      (["US", "CA"], "12010000000", "12049999999", true), (["CN"], "12010000000", "12019999999", false),
      ([], "8613800138000", "86138001389990", false), ([], "1", "999999999999999", false),
    ] as [([String], String, String, Bool)])
  func ranges(countries: [String], first: String, last: String, isValid: Bool) throws {
    var tally = ValidityTally(countries: countries)
    tally.check(try #require(UInt64(first)), try #require(UInt64(last)))
    #expect(tally.checked == 1 && tally.invalid == (isValid ? 0 : 1))
  }

  @Test("emit checks ranges by both ends, and publishes nothing if the check fails")
  func emit() throws {
    let directory = try TemporaryDirectory()
    var options = EmitOptions(output: directory / "out.csv")
    options.format = .csv
    options.countryCheck = CountryCheck(countries: ["CN"])
    _ = try run("8613800138000..8613800138999\ta\n", EmitPlan([options]))
    let before = directory.read("out.csv")
    #expect(before != nil)
    let error = #expect(throws: Failure.self) {
      // The last number is too long.
      try run("8613800138000\ta\n8613800139000..86138001390000\ta\n", EmitPlan([options]))
    }
    #expect(error?.code == "country-check")
    #expect(error?.message.message.hasPrefix("1 of 2 numbers are valid in CN, ") ?? false)
    #expect(directory.read("out.csv") == before)
  }

  @Test("a run warns about each stage whose numbers are not valid, and only about those", arguments: 85...95)
  func notices(valid: Int) throws {
    let directory = try TemporaryDirectory()
    let text =
      (valid..<100).map { "196852\($0 + 100)\ta\n" }.joined()
      + (0..<valid).map { "13800138\($0 + 100)\ta\n" }.joined()
    try directory.write("in.tsv", Array(text.utf8))
    let notices = Mutex<[CountryNotice]>([])
    var check = normalize(nil)
    check.require = .none
    let pipeline = Pipeline(
      sources: [Pipeline.Source(input: .files([directory / "in.tsv"]))],
      stages: [check, EmitPlan([EmitOptions(output: directory / "out.csv")])])
    let run = try PipelineRun(pipeline, rejects: try RejectLog()) { notice in
      if let notice = notice as? CountryNotice { notices.withLock { $0.append(notice) } }
    }
    try run.execute()
    #expect(run.countries?.checked == 100)
    #expect(run.countries?.invalid == UInt64(100 - valid))
    let seen = notices.withLock { $0 }
    #expect(seen.map(\.stage) == (valid < 90 ? [.normalize, .emit] : []))
    #expect(seen.first?.assumedCountry == (valid < 90 ? "CN" : nil))
    #expect(seen.allSatisfy { $0.source == nil })
  }

  /// With `--numbers international`, they would be mobile numbers of the same country.
  @Test(
    "numbers that have the calling code twice are pointed out",
    arguments: [("4917172252\n491717225249", true), ("0309018201\n0309018202", false)])
  func doubledCode(_ numbers: String, _ isNoted: Bool) throws {
    let directory = try TemporaryDirectory()
    try directory.write("in.tsv", Array((numbers + "\n").utf8))
    let notices = Mutex<[CountryNotice]>([])
    let pipeline = Pipeline(
      sources: [Pipeline.Source(input: .files([directory / "in.tsv"]))],
      stages: [
        NormalizeOptions(region: Region("DE"), numbers: .national),
        EmitPlan([EmitOptions(output: directory / "out.csv")]),
      ])
    let run = try PipelineRun(pipeline, rejects: try RejectLog()) { notice in
      if let notice = notice as? CountryNotice { notices.withLock { $0.append(notice) } }
    }
    try run.execute()
    #expect(notices.withLock { $0.contains { $0.isDoubled } } == isNoted)
  }
}
