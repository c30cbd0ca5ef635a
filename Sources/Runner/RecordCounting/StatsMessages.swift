// The counts of `cdpipe stats` as tables. StatsDocument is their JSON form.

import NumberPlan
import RecordStages
import Records

package enum StatsMessages {
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
    let tables = Distributions(counts, top: top)
    func add(_ title: String, _ table: Distribution) {
      if table.isEmpty { return }
      lines.append("")
      lines += rows(title, table, of: counts, showsBars ? width ?? .max : 0)
    }
    add("country", tables.countries)
    add("type", tables.types)
    add("label", tables.labels)
    add("source", tables.sources)
    add("leading digits", tables.prefixes)
    return lines
  }

  /// Formats one table: name, records if they differ from numbers, numbers, share, and a bar if it fits into a width.
  private static func rows(
    _ title: String, _ table: Distribution, of counts: RecordCounts, _ width: Int
  ) -> [String] {
    var cells = [[title, "records", "numbers", "share"]]
    for (name, count) in table.rows {
      cells.append([
        PrintableText.line(name).cut(toWidth: nameWidthMax), Figures.grouped(count.records),
        Figures.grouped(count.entries), Figures.share(count.entries, of: counts.all.entries),
      ])
    }
    if counts.ranges == 0 { for index in cells.indices { cells[index].remove(at: 1) } }
    let widths = cells[0].indices.map { column in cells.map { $0[column].displayWidth }.max() ?? 0 }
    let gap = 2
    let barWidth = min(Self.barWidth, width - widths.reduce(0) { $0 + $1 + gap })
    let shares = [0] + table.rows.map { $0.count.entries }
    return zip(cells, shares).map { row, share in
      var line = row[0].padding(to: widths[0] + 1)
      for column in row.indices.dropFirst() { line += row[column].paddingStart(to: widths[column] + 1) + " " }
      line.removeLast()
      let bar = bar(share, of: counts.all.entries, width: barWidth)
      return bar.isEmpty ? line : line + String(repeating: " ", count: gap) + bar
    }
  }

  /// A bar of eighths of a column; empty for less than half an eighth, and if the width is too small.
  static func bar(_ part: UInt64, of total: UInt64, width: Int = StatsMessages.barWidth) -> String {
    guard total > 0, width >= barWidthMin else { return "" }
    let eighths = Int((Double(part) / Double(total) * Double(width * 8)).rounded())
    let ends = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: eighths / 8) + ends[eighths % 8]
  }
}

/// One table: names with their counts.
struct Distribution {
  private(set) var rows: [(name: String, count: RecordCounts.Count)]
  /// Whether there is nothing to show, for example because no record has a label.
  let isEmpty: Bool

  init<Name>(_ ranked: RankedCounts<Name>, isEmpty: Bool = false, other: String, text: (Name) -> String) {
    rows = ranked.listed.map { (text($0.name), $0.count) }
    if let others = ranked.others {
      // Without the number of names, some of the others were not counted by name.
      rows.append((others.names.map { "\(Figures.grouped(UInt64($0))) more" } ?? other, others.count))
    }
    self.isEmpty = isEmpty || rows.isEmpty
  }
}

struct Distributions {
  let countries: Distribution
  let types: Distribution
  let labels: Distribution
  let sources: Distribution
  let prefixes: Distribution

  init(_ counts: RecordCounts, top: Int?) {
    let ranking = StatsRanking(counts, top: top)
    countries = Distribution(
      ranking.countries, other: "others, and ranges across too many countries", text: Self.country)
    types = Distribution(
      ranking.types, other: "others, and ranges across too many types",
      text: { $0 == .unknown ? "not valid" : NumberMessages.words($0) })
    labels = Distribution(
      ranking.labels, isEmpty: Self.isBlank(counts.labels, counts.otherLabels),
      other: "all other labels, not counted one by one", text: { Self.text($0, "(no label)") })
    sources = Distribution(
      ranking.sources, isEmpty: Self.isBlank(counts.sources, counts.otherSources),
      other: "all other sources, not counted one by one", text: { Self.text($0, "(no source)") })
    prefixes = Distribution(
      ranking.prefixes, other: "all other digits, not counted one by one", text: { String($0) })
  }

  private static func isBlank(
    _ counts: [[UInt8]: RecordCounts.Count], _ others: RecordCounts.Count
  ) -> Bool {
    others.isZero && counts.keys.allSatisfy(\.isEmpty)
  }

  private static func text(_ bytes: [UInt8], _ none: String) -> String {
    bytes.isEmpty ? none : String(decoding: bytes, as: UTF8.self)
  }

  /// `CN +86  China`, aligned for calling codes of up to three digits.
  private static func country(_ country: RecordCounts.Country) -> String {
    guard country.callingCode > 0 else { return "no calling code" }
    let code = country.region.map { $0.isGeographic ? $0.code : "" } ?? ""
    let name = country.region.map { CountryNames.name($0, callingCode: country.callingCode) }
    return code.padding(to: 3) + "+\(country.callingCode)".padding(to: 5) + (name ?? "not valid")
  }
}

struct StatsRanking {
  let countries: RankedCounts<RecordCounts.Country>
  let types: RankedCounts<NumberType>
  let labels: RankedCounts<[UInt8]>
  let sources: RankedCounts<[UInt8]>
  let prefixes: RankedCounts<UInt64>

  init(_ counts: RecordCounts, top: Int?) {
    let unsplit = RecordCounts.Count(entries: counts.unsplit)
    countries = RankedCounts(
      counts.countries, rest: unsplit, listedMax: top,
      text: { "\($0.callingCode) \($0.region?.code ?? "")" })
    types = RankedCounts(
      counts.types, rest: unsplit, listedMax: top, text: { NumberMessages.code("\($0)") })
    labels = RankedCounts(
      counts.labels, rest: counts.otherLabels, listedMax: top, text: { String(decoding: $0, as: UTF8.self) })
    sources = RankedCounts(
      counts.sources, rest: counts.otherSources, listedMax: top, text: { String(decoding: $0, as: UTF8.self) }
    )
    prefixes = RankedCounts(
      counts.prefixes, rest: counts.otherPrefixes, listedMax: top, text: { String($0) })
  }
}

// MARK: - The counts of `cdpipe stats` as a JSON object
//
// Its schema is docs/formats/stats.schema.json.

extension StatsMessages {
  package static func json(_ counts: RecordCounts, inputs: [String], rejects: UInt64, top: Int?) -> String {
    JSONLine.pretty(StatsDocument(counts, inputs: inputs, rejects: rejects, top: top))
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

  var inputs: [String]
  var records: UInt64
  var ranges: UInt64
  var numbers: UInt64
  var rejects: UInt64
  var countries: List
  var types: List
  var labels: List
  var sources: List
  var prefixes: List

  init(_ counts: RecordCounts, inputs: [String], rejects: UInt64, top: Int?) {
    let ranking = StatsRanking(counts, top: top)
    let all = counts.all.entries
    self.inputs = inputs
    records = counts.all.records
    ranges = counts.ranges
    numbers = all
    self.rejects = rejects
    countries = Self.list(ranking.countries, of: all) { country in
      country.region.map { CountryNames.name($0, callingCode: country.callingCode) } ?? ""
    }
    for (index, item) in ranking.countries.listed.enumerated() where item.name.callingCode > 0 {
      countries.items[index].callingCode = item.name.callingCode
      countries.items[index].region = item.name.region?.code
    }
    types = Self.list(ranking.types, of: all) { NumberMessages.code("\($0)") }
    labels = Self.list(ranking.labels, of: all) { String(decoding: $0, as: UTF8.self) }
    sources = Self.list(ranking.sources, of: all) { String(decoding: $0, as: UTF8.self) }
    prefixes = Self.list(ranking.prefixes, of: all) { String($0) }
  }

  private static func list<Name>(
    _ ranked: RankedCounts<Name>, of all: UInt64, name: (Name) -> String
  ) -> List {
    List(
      items: ranked.listed.map {
        Item(
          name: name($0.name), records: $0.count.records, numbers: $0.count.entries,
          percent: percent($0.count.entries, of: all))
      },
      others: ranked.others.map {
        Others(
          count: $0.names, records: $0.count.records, numbers: $0.count.entries,
          percent: percent($0.count.entries, of: all))
      })
  }

  private static func percent(_ part: UInt64, of all: UInt64) -> Double {
    all == 0 ? 0 : (100_000 * Double(part) / Double(all)).rounded() / 1000
  }
}
