// Dates in sixty forms: each is read right, or refused where only an option can decide.

import InputStages
import Records
import Testing

@Suite("Dates of a field")
struct DayReaderTests {
  private static func read(_ text: String, _ format: DateFormat? = nil) -> String {
    let bytes = Array(text.utf8)
    switch DayReader.read(bytes.span, format) {
    case .day(let day): return day.text
    case .unclear(let dayFirst, let monthFirst):
      return "\(dayFirst?.text ?? "-") or \(monthFirst?.text ?? "-")"
    case .unclearNumber: return "number?"
    case .invalid: return "invalid"
    }
  }

  @Test(
    "the day is that of the text, in UTC",
    arguments: [
      "2026-11-29", "20261129", "2026-11-29T10:33:05Z", "2026-11-29t10:33:05z", "2026-11-29 10:33:05",
      "2026-11-29T10:33", "2026-11-29T10", "2026-11-29T10:33:05.123456Z", "2026-11-29T10:33:05,5+01:00",
      "2026-11-29 10:33:05+0100", "2026-11-29T10:33:05-08", "20261129T103305Z", "20261129T1033", "2026-333",
      "2026-W48-7", "2026W487", "2026/11/29", "2026/11/29 10:33", "2026.11.29", "2026年11月29日",
      "2026年11月29日 10:33",
      "2026년 11월 29일", "29.11.2026", "29.11.2026 10:33", "29.11.2026, 10:33:05", "29.11.26", "29/11/2026",
      "11/29/2026 10:33 PM",
      "29 Nov 2026", "29-Nov-2026", "29-NOV-2026", "29 November 2026", "Nov 29, 2026",
      "November 29, 2026, 10:33 a.m.",
      "Nov 29 2026 10:33:05", "Sun, 29 Nov 2026 10:33:05 +0100", "Sun, 29 Nov 2026 10:33:05 GMT",
      "Sun Nov 29 10:33:05 2026", "Sunday, 29 November 2026", "29th November 2026", "29. November 2026",
      "Sun Nov 29 2026",
      "1795948385", "1795948385.25", "1795948385000", "  2026-11-29  ", "2026-11-29  10:33",
      "2026-11-28T24:00",
      "2026-11-29T23:59:60Z", "2026-11-30T00:30+01:00", "2026-11-28T23:30:00-02:00",
      "Sat, 28 Nov 2026 20:00:00 EST",
      "2026-11-29 10:33:05 UTC",
    ])
  func forms(text: String) {
    // What only the column decides has one reading here.
    let reading = Self.read(text)
    #expect(["2026-11-29", "2026-11-29 or -", "- or 2026-11-29"].contains(reading), "\(text): \(reading)")
  }

  @Test(
    "what the text does not show is left to an option",
    arguments: [
      ("03/04/2026", nil, "2026-04-03 or 2026-03-04"), ("03/04/2026", .dayFirst, "2026-04-03"),
      ("03/04/2026", .monthFirst, "2026-03-04"), ("04/04/2026", nil, "2026-04-04"),
      ("3-4-2026", nil, "2026-04-03 or 2026-03-04"),
      ("11/29/26", nil, "- or -"), ("11/29/26", .monthFirst, "2026-11-29"),
      ("26/11/29", .yearFirst, "2026-11-29"),
      ("29/11/70", .dayFirst, "1970-11-29"), ("29/11/2026", .monthFirst, "invalid"),
      ("46355", nil, "number?"),
      ("46355", .serial, "2026-11-29"), ("46355.75", .serial, "2026-11-29"), ("1", .serial, "1900-01-01"),
      ("59", .serial, "1900-02-28"), ("60", .serial, "invalid"), ("61", .serial, "1900-03-01"),
      ("46355", .seconds, "1970-01-01"),
      ("-1", .seconds, "1969-12-31"), ("-86400", .seconds, "1969-12-31"), ("-0.5", .seconds, "1969-12-31"),
      ("2147483648", .seconds, "2038-01-19"), ("4102444800", nil, "2100-01-01"),
      ("1795948385", .milliseconds, "1970-01-21"),
      ("951782400", nil, "number?"), ("951782400", .seconds, "2000-02-29"),
      ("9999999999999999", .seconds, "invalid"),
      ("29.11.2026", .monthFirst, "invalid"), ("2026-11-29", .dayFirst, "2026-11-29"),
    ] as [(String, DateFormat?, String)])
  func formats(text: String, format: DateFormat?, reading: String) {
    #expect(Self.read(text, format) == reading, "\(text)")
  }

  @Test(
    "other texts are not read",
    arguments: [
      "", " ", "x", "2026-02-29", "2026-11-31", "2026-13-01", "2026-11", "2026", "2025-366", "2026-000",
      "2026-W54-1",
      "2025-W53-1", "2026-W48-8", "2026-11-29T25:00", "2026-11-29T24:01", "2026-11-29T10:60",
      "2026-11-29T10:33+24:00",
      "2026-11-29T10:33 XYZ", "2026-11-29x", "2026-11-29 or later", "32.01.2026", "29.11.", "29.11.2026.",
      "13/13/2026",
      "29 Foo 2026", "Nov 31, 2026", "20261329", "29/11-2026", "+86 138 0013 8000", "00000000", "0000-00-00",
      "0000-00-00 00:00:00", "1e9", "2026-11-29T13:00 PM", "NULL", "\u{660}",
    ])
  func invalid(text: String) {
    let reading = Self.read(text)
    #expect(reading == "invalid" || text == "2026" && reading == "number?", "\(text): \(reading)")
  }

  @Test("no text makes it trap")
  func hostile() {
    let parts = [
      "2026", "-", "11", "/", "29", ".", " ", "T", ":", "Nov", "9999999999999999", "+", "Z", "W", "年",
      "\u{0}", "PM", ",",
    ]
    var state: UInt64 = 1
    for _ in 0..<50_000 {
      var text = ""
      for _ in 0..<8 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        text += parts[Int(state >> 33) % parts.count]
      }
      for format in [nil, DateFormat.dayFirst, .seconds, .serial] { _ = Self.read(text, format) }
    }
  }
}
