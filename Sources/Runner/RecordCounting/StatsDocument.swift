// The counts of `cdpipe stats` as a JSON object. Its schema is docs/formats/stats.schema.json.

import RecordStages
import FoundationEssentials
import NumberPlan

extension StatsMessages {
  /// Formats the counts as a JSON object.
  ///
  /// - Parameters:
  ///   - inputs: the inputs as the user named them.
  ///   - rejects: the rows that were rejected.
  ///   - top: the maximum number of items in each list; nil for no limit.
  package static func json(_ counts: RecordCounts, inputs: [String], rejects: UInt64, top: Int?) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and text only: encoding can't fail.
    let document = StatsDocument(counts, inputs: inputs, rejects: rejects, top: top)
    return String(decoding: (try? encoder.encode(document)) ?? Data(), as: UTF8.self)
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

  /// A percentage with three decimal places.
  private static func percent(_ part: UInt64, of all: UInt64) -> Double {
    all == 0 ? 0 : (100_000 * Double(part) / Double(all)).rounded() / 1000
  }
}
