// The counts of `cdpipe stats` as tables and as a JSON object.

import NumberPlan
import RecordStages
import Records

package enum StatsText {
  /// The maximum width of a name in columns; longer ones are shortened.
  static let nameWidthMax = 48
  /// The width of the bar of all numbers in columns, and the width below which bars say too little to be shown.
  static let barWidth = 20
  private static let barWidthMin = 4

  /// Formats the counts as one line per total and one table per distribution. A distribution without values, such as
  /// sources in a list without sources, is left out.
  package static func lines(
    _ counts: RecordCounts, rejects: UInt64, top: Int?, showsBars: Bool, width: Int? = nil
  ) -> [String] {
    var lines: [String] = []
    func total(_ name: String, _ value: UInt64) {
      lines.append(name.padding(to: 10) + Figures.grouped(value))
    }
    total("records", counts.all.records)
    total("ranges", counts.ranges)
    total("numbers", counts.all.entries)
    if rejects > 0 { total("rejected", rejects) }
    lines += Self.values(counts)
    let tables = StatsTables(counts, top: top)
    for table in [
      tables.countries, tables.types, tables.labels, tables.sources, tables.months, tables.prefixes,
    ]
    where !table.isBlank {
      lines.append("")
      lines += Self.lines(table, of: counts, showsBars ? width ?? .max : 0)
    }
    return lines
  }

  /// The scores and the days, as far as there are any: `scores    12 records, median 2, largest 40, sum 61`.
  private static func values(_ counts: RecordCounts) -> [String] {
    func line(_ name: String, _ records: UInt64, _ values: [(name: String, value: String?)]) -> String {
      name.padding(to: 10)
        + ([Figures.counted(records, "record")] + values.map { "\($0.name) \($0.value ?? "unknown")" })
        .joined(separator: ", ")
    }
    func grouped(_ value: Int64) -> String { (value < 0 ? "-" : "") + Figures.grouped(value.magnitude) }
    let scores = counts.scores.map { scores in
      line(
        "scores", scores.records,
        [
          ("median", scores.median.map(grouped)), ("largest", grouped(scores.largest)),
          ("sum", grouped(scores.sum)),
        ])
    }
    let days = counts.days.map { days in
      line("days", days.records, [("median", days.median?.text), ("newest", days.newest.text)])
    }
    return [scores, days].compactMap { $0 }
  }

  /// Formats one table: name, records if they differ from numbers, numbers, share, and a bar if it fits into a width.
  private static func lines(_ table: StatsTable, of counts: RecordCounts, _ width: Int) -> [String] {
    var cells = [[table.title, "records", "numbers", "share"]]
    let others = table.others.map { others in
      // Without the number of names, some of the others were not counted by name.
      (others.names.map { "\(Figures.grouped(UInt64($0))) more" } ?? table.otherText, others.count)
    }
    let rows = table.items.map { ($0.shown, $0.count) } + (others.map { [$0] } ?? [])
    for (name, count) in rows {
      cells.append([
        PrintableText.line(name).cut(toWidth: nameWidthMax), Figures.grouped(count.records),
        Figures.grouped(count.entries), Figures.share(count.entries, of: counts.all.entries),
      ])
    }
    if counts.ranges == 0 { for index in cells.indices { cells[index].remove(at: 1) } }
    let widths = cells[0].indices.map { column in cells.map { $0[column].displayWidth }.max() ?? 0 }
    let gap = 2
    let barWidth = min(Self.barWidth, width - widths.reduce(0) { $0 + $1 + gap })
    let shares = [0] + rows.map { $0.1.entries }
    return zip(cells, shares).map { row, share in
      var line = row[0].padding(to: widths[0] + 1)
      for column in row.indices.dropFirst() { line += row[column].paddingStart(to: widths[column] + 1) + " " }
      line.removeLast()
      let bar = bar(share, of: counts.all.entries, width: barWidth)
      return bar.isEmpty ? line : line + String(repeating: " ", count: gap) + bar
    }
  }

  /// A bar of eighths of a column; empty for less than half an eighth, and if the width is too small.
  static func bar(_ part: UInt64, of total: UInt64, width: Int = StatsText.barWidth) -> String {
    guard total > 0, width >= barWidthMin else { return "" }
    let eighths = Int((Double(part) / Double(total) * Double(width * 8)).rounded())
    let ends = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + ends[eighths % 8]
  }
}

/// One distribution of the numbers: names with their counts.
private struct StatsTable {
  struct Item {
    let name: String
    /// The name as the table shows it.
    let shown: String
    /// The country, if the names are countries.
    let country: RecordCounts.Country?
    let count: RecordCounts.Count
  }

  let title: String
  let items: [Item]
  /// What is not listed: how many names, if that is known, and their count.
  let others: (names: Int?, count: RecordCounts.Count)?
  /// What the others are if their number is not known.
  let otherText: String
  /// Whether there is nothing to show, for example because no record has a label.
  let isBlank: Bool

  /// Ranks counts. `rest` is the count of what has no name; `none` is shown for an empty name, and a table of nothing else
  /// is blank.
  init<Name>(
    _ title: String, _ counts: [Name: RecordCounts.Count], rest: RecordCounts.Count, top: Int?,
    lastFirst: Bool = false, others: String,
    none: String? = nil, order: ((Name) -> String)? = nil, name: (Name) -> String,
    shown: ((Name) -> String)? = nil
  ) {
    self.title = title
    otherText = others
    let ranked = RankedCounts(
      counts, rest: rest, listedMax: top, lastFirst: lastFirst, text: { order?($0) ?? name($0) })
    items = ranked.listed.map { item in
      let text = name(item.name)
      return Item(
        name: text, shown: text.isEmpty ? none ?? shown?(item.name) ?? "" : shown?(item.name) ?? text,
        country: item.name as? RecordCounts.Country, count: item.count)
    }
    self.others = ranked.others.map { ($0.names, $0.count) }
    isBlank =
      items.isEmpty && self.others == nil
      || none != nil && rest.isZero && counts.keys.allSatisfy { name($0).isEmpty }
  }
}

private struct StatsTables {
  let countries: StatsTable
  let types: StatsTable
  let labels: StatsTable
  let sources: StatsTable
  let months: StatsTable
  let prefixes: StatsTable

  init(_ counts: RecordCounts, top: Int?) {
    let unsplit = RecordCounts.Count(entries: counts.unsplit)
    countries = StatsTable(
      "country", counts.countries, rest: unsplit, top: top,
      others: "others, and ranges across too many countries",
      order: { "\($0.callingCode) \($0.region?.code ?? "")" }, name: { Self.name($0) ?? "" },
      shown: Self.country)
    types = StatsTable(
      "type", counts.types, rest: unsplit, top: top, others: "others, and ranges across too many types",
      name: \.code,
      shown: { $0 == .unknown ? "not valid" : ExplanationText.words($0) })
    labels = StatsTable(
      "label", counts.labels, rest: counts.otherLabels, top: top,
      others: "all other labels, not counted one by one", none: "(no label)",
      name: { String(decoding: $0, as: UTF8.self) })
    sources = StatsTable(
      "source", counts.sources, rest: counts.otherSources, top: top,
      others: "all other sources, not counted one by one", none: "(no source)",
      name: { String(decoding: $0, as: UTF8.self) })
    months = StatsTable(
      "month", counts.days?.months ?? [:], rest: counts.days?.others ?? .init(), top: top, lastFirst: true,
      others: "all other days, not counted one by one", none: "(no day)", name: { $0 })
    prefixes = StatsTable(
      "leading digits", counts.prefixes, rest: counts.otherPrefixes, top: top,
      others: "all other digits, not counted one by one", name: { String($0) })
  }

  private static func name(_ country: RecordCounts.Country) -> String? {
    country.region.map { CountryNames.name($0, callingCode: country.callingCode) }
  }

  /// `CN +86  China`, aligned for calling codes of up to three digits.
  private static func country(_ country: RecordCounts.Country) -> String {
    guard country.callingCode > 0 else { return "no calling code" }
    let code = country.region.map { $0.isGeographic ? $0.code : "" } ?? ""
    return code.padding(to: 3) + "+\(country.callingCode)".padding(to: 5) + (name(country) ?? "not valid")
  }
}

// MARK: - The counts of `cdpipe stats` as a JSON object
//
// Its schema is docs/formats/stats.schema.json.

extension StatsText {
  package static func json(_ counts: RecordCounts, inputs: [String], rejects: UInt64, top: Int?) -> String {
    JSONDocument.text(StatsDocument(counts, inputs: inputs, rejects: rejects, top: top))
  }
}

/// The JSON form of a list's counts; keys without a value are left out.
private struct StatsDocument: Encodable {
  struct Item: Encodable {
    var name: String
    var callingCode: UInt16?
    var region: String?
    var records: UInt64
    var numbers: UInt64
    var percent: Double
  }
  struct Others: Encodable {
    var count: Int?
    var records: UInt64
    var numbers: UInt64
    var percent: Double
  }
  struct List: Encodable {
    var items: [Item]
    var others: Others?
  }
  struct Scores: Encodable {
    var records: UInt64
    var median: Int64?
    var largest: Int64
    var sum: Int64
  }
  struct Days: Encodable {
    var records: UInt64
    var median: String?
    var newest: String
    var months: List
  }

  var inputs: [String]
  var records: UInt64
  var ranges: UInt64
  var numbers: UInt64
  var rejects: UInt64
  var scores: Scores?
  var days: Days?
  var countries: List
  var types: List
  var labels: List
  var sources: List
  var prefixes: List

  init(_ counts: RecordCounts, inputs: [String], rejects: UInt64, top: Int?) {
    let tables = StatsTables(counts, top: top)
    let all = counts.all.entries
    self.inputs = inputs
    records = counts.all.records
    ranges = counts.ranges
    numbers = all
    self.rejects = rejects
    scores = counts.scores.map {
      Scores(records: $0.records, median: $0.median, largest: $0.largest, sum: $0.sum)
    }
    days = counts.days.map {
      Days(
        records: $0.records, median: $0.median?.text, newest: $0.newest.text,
        months: Self.list(tables.months, of: all))
    }
    countries = Self.list(tables.countries, of: all)
    types = Self.list(tables.types, of: all)
    labels = Self.list(tables.labels, of: all)
    sources = Self.list(tables.sources, of: all)
    prefixes = Self.list(tables.prefixes, of: all)
  }

  private static func list(_ table: StatsTable, of all: UInt64) -> List {
    List(
      items: table.items.map {
        let country = $0.country?.callingCode ?? 0 > 0 ? $0.country : nil
        return Item(
          name: $0.name, callingCode: country?.callingCode, region: country?.region?.code,
          records: $0.count.records, numbers: $0.count.entries, percent: percent($0.count.entries, of: all))
      },
      others: table.others.map {
        Others(
          count: $0.names, records: $0.count.records, numbers: $0.count.entries,
          percent: percent($0.count.entries, of: all))
      })
  }

  private static func percent(_ part: UInt64, of all: UInt64) -> Double {
    all == 0 ? 0 : (100_000 * Double(part) / Double(all)).rounded() / 1000
  }
}
