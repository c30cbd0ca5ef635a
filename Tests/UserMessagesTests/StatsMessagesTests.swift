// The tables of `cdpipe stats`: alignment, bars, shares, and what is not listed.

import NumberPlan
import Testing

@testable import RecordStages
@testable import Records
@testable import Runner

@Suite("StatsText")
struct StatsMessagesTests {
  private typealias Count = RecordCounts.Count

  private static var counts: RecordCounts {
    var counts = RecordCounts()
    counts.all = Count(records: 1000, entries: 1000)
    counts.labels = [
      Array("骚扰电话".utf8): Count(records: 500, entries: 500),
      Array("spam".utf8): Count(records: 300, entries: 300),
      Array("e\u{301}te\u{301}".utf8): Count(records: 199, entries: 199), []: Count(records: 1, entries: 1),
    ]
    counts.countries = [
      RecordCounts.Country(callingCode: 86, region: Region("CN")): Count(records: 990, entries: 990),
      RecordCounts.Country(callingCode: 1, region: nil): Count(records: 9, entries: 9),
      RecordCounts.Country(callingCode: 0, region: nil): Count(records: 1, entries: 1),
    ]
    counts.types = [.mobile: Count(records: 1000, entries: 1000)]
    counts.prefixes = [86138: Count(records: 1000, entries: 1000)]
    counts.sources = [[]: Count(records: 1000, entries: 1000)]
    return counts
  }

  @Test("columns are aligned by display width, and bars show shares")
  func table() {
    let lines = StatsText.lines(Self.counts, rejects: 2, top: nil, showsBars: true)
    #expect(
      lines == [
        "records   1,000", "ranges    0", "numbers   1,000", "rejected  2", "",
        "country            numbers   share",
        "CN +86  China          990  99.0 %  ███████████████████▊",
        "   +1   not valid        9   0.9 %  ▏",
        "no calling code          1   0.1 %", "",
        "type    numbers    share",
        "mobile    1,000  100.0 %  ████████████████████", "",
        "label       numbers   share",
        "骚扰电话        500  50.0 %  ██████████",
        "spam            300  30.0 %  ██████",
        "e\u{301}te\u{301}             199  19.9 %  ████",
        "(no label)        1   0.1 %", "",
        "leading digits  numbers    share",
        "86138             1,000  100.0 %  ████████████████████",
      ])
    let narrow = StatsText.lines(Self.counts, rejects: 0, top: nil, showsBars: true, width: 46)
    #expect(narrow.allSatisfy { $0.displayWidth <= 46 })
    #expect(narrow.contains("mobile    1,000  100.0 %  ████████████████████"))
    #expect(narrow.contains("CN +86  China          990  99.0 %  █████████▉"))
    // A bar of three columns would say nothing.
    let narrower = StatsText.lines(Self.counts, rejects: 0, top: nil, showsBars: true, width: 39)
    #expect(narrower.contains("CN +86  China          990  99.0 %"))
    let plain = StatsText.lines(Self.counts, rejects: 0, top: nil, showsBars: false)
    #expect(!plain.contains { $0.contains("█") || $0.hasSuffix(" ") })
  }

  @Test("records have a column of their own if there are ranges")
  func ranges() {
    var counts = Self.counts
    counts.ranges = 1
    let lines = StatsText.lines(counts, rejects: 0, top: nil, showsBars: false)
    #expect(lines.contains("mobile    1,000    1,000  100.0 %"))
  }

  @Test("what is not listed is summed up, and what was not counted by name is named")
  func others() {
    var counts = Self.counts
    var lines = StatsText.lines(counts, rejects: 0, top: 1, showsBars: false)
    #expect(lines.contains("3 more        500  50.0 %"))
    #expect(!lines.contains { $0.hasPrefix("spam") })
    counts.otherLabels = Count(records: 7, entries: 7)
    counts.all = Count(records: 1007, entries: 1007)
    lines = StatsText.lines(counts, rejects: 0, top: 1, showsBars: false)
    #expect(lines.contains("all other labels, not counted one by one      507  50.3 %"))
    // Even if all known labels are listed.
    lines = StatsText.lines(counts, rejects: 0, top: nil, showsBars: false)
    #expect(lines.contains("all other labels, not counted one by one        7   0.7 %"))
  }

  @Test("long names are shortened, and control characters are replaced")
  func names() {
    var counts = Self.counts
    counts.labels = [
      Array("\u{1B}[31m".utf8): Count(records: 1, entries: 1),
      Array(String(repeating: "骚", count: 30).utf8): Count(records: 999, entries: 999),
    ]
    let lines = StatsText.lines(counts, rejects: 0, top: nil, showsBars: false)
    #expect(lines.contains { $0.hasPrefix(String(repeating: "骚", count: 23) + "…") })
    #expect(!lines.contains { $0.contains("\u{1B}") })
  }

  @Test(
    "only nothing is 0.0 %, and only everything is 100.0 %",
    arguments: [
      (0, 10, "0.0 %"), (1, 10_000, "<0.1 %"), (1, 1000, "0.1 %"), (1, 3, "33.3 %"), (9999, 10_000, "99.9 %"),
      (9, 9, "100.0 %"), (0, 0, "-"),
    ] as [(UInt64, UInt64, String)])
  func shares(part: UInt64, total: UInt64, text: String) {
    #expect(Figures.share(part, of: total) == text)
  }

  @Test(
    "settings are printed as they were written",
    arguments: [(20, "20"), (2.25, "2.25"), (0.01, "0.01"), (0, "0")] as [(Double, String)])
  func settings(value: Double, text: String) {
    #expect(Figures.plain(value) == text)
  }

  @Test("no records are three zeros")
  func empty() {
    let lines = StatsText.lines(RecordCounts(), rejects: 0, top: 10, showsBars: true)
    #expect(lines == ["records   0", "ranges    0", "numbers   0"])
  }

  @Test("every region has a name, and every name belongs to a region")
  func countryNames() {
    for region in Region.all { #expect(CountryNames.byCode[region.code] != nil, "\(region.code)") }
    #expect(CountryNames.byCode.count == Region.all.count)
    for code in UInt16(1)...999 {
      for region in NumberPlan.regions(callingCode: code) where !region.isGeographic {
        #expect(CountryNames.name(region, callingCode: code) != "International network", "+\(code)")
      }
    }
  }
}
