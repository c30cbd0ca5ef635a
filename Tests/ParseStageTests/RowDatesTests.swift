// The dates of rows: how a column decides how they are written, which rows are left out, and that no cut of the input and no
// number of threads changes it.

import Records
import SystemIO
import TestSupport
import Testing

@testable import InputStages

@Suite("Dates of rows")
struct RowDatesTests {
  private static func options(_ field: String = "d", _ change: (inout ParseOptions) -> Void = { _ in })
    -> ParseOptions
  {
    var options = ParseOptions()
    options.numberField = .name("n")
    options.dateField = .name(field)
    change(&options)
    return options
  }

  private static func table(_ dates: [String]) -> String {
    "n,d\n" + dates.enumerated().map { "86\($0),\"\($1)\"\n" }.joined()
  }

  private static func objects(_ dates: [String]) -> String {
    dates.enumerated().map { "{\"n\": \"86\($0)\", \"d\": \"\($1)\"}\n" }.joined()
  }

  /// The days of the rows, and the reasons of the rejects.
  private static func read(_ text: String, _ options: ParseOptions) throws -> String {
    let outcome = try parse(text, options)
    if let failure = outcome.failure { return failure.code }
    return (outcome.rows.map { RecordFields.day($0.recordFields.span)?.text ?? "-" } + outcome.codes)
      .joined(separator: " ")
  }

  @Test(
    "one date decides those of the whole input",
    arguments: [
      (["03/04/2026", "13/04/2026"], "2026-04-03 2026-04-13"),
      (["03/04/2026", "04/13/2026"], "2026-03-04 2026-04-13"),
      (["03/04/2026", "05/06/26", "13/04/2026"], "2026-04-03 2026-06-05 2026-04-13"),
      (["03/04/2026", "2026-01-02"], "ambiguous-dates"), (["13/04/2026", "04/13/2026"], "ambiguous-dates"),
      (["03/03/2026"], "2026-03-03"), (["46355", "46356"], "ambiguous-dates"),
      (["46355", "2026-11-29", "2026-11-30"], "2026-11-29 2026-11-30 ambiguous-date"),
      (["2026-11-29", "", "x"], "2026-11-29 missing-date bad-date"),
      (["01/13/2026", "03.04.2026", "20261129"], "2026-01-13 2026-04-03 2026-11-29"),
      (["05/12/26", "06/12/26"], "ambiguous-dates"), (["05.12.26"], "2026-12-05"),
    ] as [([String], String)])
  func decisions(dates: [String], days: String) throws {
    #expect(try Self.read(Self.table(dates), Self.options()) == days)
    #expect(try Self.read(Self.objects(dates), Self.options()) == days)
  }

  @Test("each input decides for itself, and a date that contradicts it later is a reject")
  func inputs() throws {
    let texts = [["03/04/2026", "13/04/2026"], ["03/04/2026", "04/13/2026"]].map {
      Array(Self.table($0).utf8)
    }
    let outcome = try parse(texts, Self.options())
    let days = outcome.rows.map { RecordFields.day($0.recordFields.span)?.text }
    #expect(days == ["2026-04-03", "2026-04-13", "2026-03-04", "2026-04-13"])
    let late = Self.table(Array(repeating: "13/04/2026", count: 9000) + ["04/13/2026", "03/04/2026"])
    let rest = try parse(late, Self.options())
    #expect(rest.codes == ["bad-date"])
    #expect(rest.rows.last.flatMap { RecordFields.day($0.recordFields.span)?.text } == "2026-04-03")
  }

  @Test("rows are left out by their age, the first and the last day included")
  func ages() throws {
    let dates = ["2026-08-30", "2026-08-31", "2026-11-29", "2026-11-30", "2024-02-29"]
    func kept(_ change: (inout DateOptions) -> Void) throws -> String {
      try Self.read(Self.table(dates), Self.options { change(&$0.dates) })
    }
    let now = CalendarDay(year: 2026, month: 11, day: 29)
    #expect(
      try kept {
        $0.maxAge = 90
        $0.now = now
      } == "2026-08-31 2026-11-29")
    #expect(
      try kept {
        $0.maxAge = 90
        $0.now = now
        $0.until = now
      } == "2026-08-31 2026-11-29")
    #expect(
      try kept {
        $0.maxAge = 1004
        $0.now = now
        $0.since = CalendarDay(year: 2026, month: 11, day: 1)
      } == "2026-11-29")
    #expect(
      try kept {
        $0.maxAge = 1004
        $0.now = now
      }.hasSuffix("2024-02-29"))
  }

  @Test("an input whose start is not examined is refused at its end if only its dates would decide")
  func unexamined() throws {
    func end(_ dates: [String]) throws -> [String] {
      var rows = RowDates(Self.options { $0.dates.keepsUndated = true })
      rows.begin(nil, isExamined: false)
      let days = dates.map { date in
        let bytes = Array(date.utf8)
        guard case .kept(let day)? = try? rows.verdict(on: bytes.span) else { return "reject" }
        return day?.text ?? "-"
      }
      do throws(Failure) { try rows.checkEnd(field: "d", input: "x") } catch { return days + [error.code] }
      return days
    }
    #expect(try end(["2026-11-29", "13/04/2026", "x"]) == ["2026-11-29", "2026-04-13", "-"])
    #expect(try end(["13/04/2026", "03/04/2026"]) == ["2026-04-13", "reject", "ambiguous-dates"])
    #expect(try end(["46355"]) == ["reject", "ambiguous-dates"])
  }

  @Test("the cuts of an input change nothing", .seeded)
  func cuts() throws {
    var generator = SplitMix64(test: "dates, cuts")
    for _ in 0..<40 {
      let (month, isPlain) = (Int.random(in: 1...9, using: &generator), Bool.random(using: &generator))
      let plain = ["2026-0\(month)-11", "2026-0\(month)-11 10:33:05", "2025-12-31"]
      let forms = plain + (isPlain ? [] : ["12/0\(month)/2026", "", "29 Nov 2026", "x"])
      let dates = (0..<20).map { _ in forms.randomElement(using: &generator) ?? "" } + ["31/01/2026"]
      let bytes = Array((Bool.random(using: &generator) ? Self.table(dates) : Self.objects(dates)).utf8)
      let options = Self.options {
        $0.dates.keepsUndated = Bool.random(using: &generator)
        $0.dates.since = CalendarDay(year: 2026, month: 4, day: 1)
        if Bool.random(using: &generator) { $0.labelField = .constant("a\tb") }
        if Bool.random(using: &generator) { $0.sourceField = .constant("s") }
        if bytes[0] == UInt8(ascii: "{"), Bool.random(using: &generator) { $0.format = .json }
      }
      let whole = try parse([bytes], options)
      #expect(whole.failure == nil)
      for cuts in staccato { #expect(try parse([bytes], options, cuts: cuts) == whole) }
    }
  }
}
