// Counts the numbers in which two lists differ, by label and by country, in bounded memory and without expanding
// ranges.

import NumberPlan
package import RecordStages
package import Records

package struct ChangeCounts: Equatable, Sendable {
  package var added: UInt64 = 0
  /// Numbers of the old list alone.
  package var removed: UInt64 = 0
  /// Numbers with another label.
  package var relabelled: UInt64 = 0
  /// Numbers with the same label and another score.
  package var votes: UInt64 = 0
  /// Numbers with the same label and score, and another source or day.
  package var changed: UInt64 = 0

  package init() {}

  package var sum: UInt64 { added &+ removed &+ relabelled &+ votes &+ changed }

  package mutating func add(_ kind: ListChange.ChangeKind, _ count: UInt64) {
    switch kind {
    case .added: added &+= count
    case .removed: removed &+= count
    case .relabelled: relabelled &+= count
    case .votes: votes &+= count
    case .changed: changed &+= count
    }
  }

  package mutating func add(_ other: ChangeCounts) {
    added &+= other.added
    removed &+= other.removed
    relabelled &+= other.relabelled
    votes &+= other.votes
    changed &+= other.changed
  }
}

/// The differences between two lists by label and by country, those with the most changed numbers first.
package struct ChangeSummary: Equatable, Sendable {
  /// The changed numbers with a label: the new label of relabelled numbers.
  package struct Label: Equatable, Sendable {
    /// The label, without escapes; empty for numbers without one.
    package var label: String
    package var counts: ChangeCounts
  }

  package struct Country: Equatable, Sendable {
    /// The calling code; 0 for digits that do not begin with one.
    package var callingCode: UInt16
    /// The main country with the calling code; `001` for a network without a country, nil without a calling code.
    package var region: String?
    package var counts: ChangeCounts
  }

  package var labels: [Label] = []
  /// The labels beyond the maximum number, together.
  package var otherLabels = ChangeCounts()
  package var countries: [Country] = []
  package var total = ChangeCounts()
}

package struct ChangeTally {
  /// The maximum number of distinct labels that are counted separately, as for a run's report.
  package static let labelsMax = 4096
  /// The maximum size of a label that is counted separately, in bytes; longer ones are texts rather than labels.
  package static let labelBytesMax = 1024
  /// The maximum number of pieces that a range is split into; the rest counts as having no calling code. All numbers of
  /// up to 15 digits have fewer than 1,000 blocks per length.
  private static let piecesMax = 16_384

  /// The index in `counts` of each label, escaped as in the text form.
  private var indices: [[UInt8]: Int] = [:]
  private var counts: [ChangeCounts] = []
  private var otherLabels = ChangeCounts()
  /// The label that was counted last, and its index; nil for other labels. Most neighbours have the same label.
  private var last: (label: ArraySlice<UInt8>, index: Int?)?
  private var countries: [UInt16: ChangeCounts] = [:]
  private var block = PrefixBlock()
  private(set) package var total = ChangeCounts()

  package init() {}

  /// Counts a change: a removed number by its old label, any other by its new one.
  package mutating func add(_ change: ListChange) {
    let count = change.last &- change.first &+ 1
    total.add(change.kind, count)
    let fields = change.kind == .removed ? change.old : change.new
    if let index = index(ofLabel: fields[..<RecordFields.labelLength(fields.span)]) {
      counts[index].add(change.kind, count)
    } else {
      otherLabels.add(change.kind, count)
    }
    addCountries(change)
  }

  /// The index of a label; nil if it is not counted separately.
  private mutating func index(ofLabel label: ArraySlice<UInt8>) -> Int? {
    if let last, last.label == label { return last.index }
    let key = Array(label)
    var index = indices[key]
    if index == nil, label.count <= Self.labelBytesMax, counts.count < Self.labelsMax {
      index = counts.count
      indices[key] = counts.count
      counts.append(ChangeCounts())
    }
    last = (label, index)
    return index
  }

  private mutating func addCountries(_ change: ListChange) {
    var start = change.first
    for _ in 0..<Self.piecesMax {
      if start < block.first || start > block.last { block = PrefixBlock(of: start, digits: 0) }
      let end = min(change.last, block.last)
      countries[block.callingCode, default: ChangeCounts()].add(change.kind, end &- start &+ 1)
      if end == change.last { return }
      start = end + 1
    }
    countries[0, default: ChangeCounts()].add(change.kind, change.last &- start &+ 1)
  }

  /// The counts, those of the most changed numbers first.
  package var summary: ChangeSummary {
    var summary = ChangeSummary()
    // A label counts as the same with and without escapes.
    var labels: [String: ChangeCounts] = [:]
    for (key, index) in indices {
      labels[RecordFields.fields(key.span).label, default: ChangeCounts()].add(counts[index])
    }
    summary.labels = labels.map { ChangeSummary.Label(label: $0, counts: $1) }.sorted { one, other in
      one.counts.sum != other.counts.sum ? one.counts.sum > other.counts.sum : one.label < other.label
    }
    summary.otherLabels = otherLabels
    summary.countries = countries.map { code, counts in
      ChangeSummary.Country(
        callingCode: code, region: NumberPlan.regions(callingCode: code).first?.code, counts: counts)
    }.sorted { one, other in
      one.counts.sum != other.counts.sum
        ? one.counts.sum > other.counts.sum : one.callingCode < other.callingCode
    }
    summary.total = total
    return summary
  }
}

// MARK: - The differences between two lists

package enum DiffText {
  package static let defaultTop = 20
  /// The maximum width of a label in a table.
  private static let labelWidthMax = 40

  /// `12 numbers added, 3 removed, 0 relabelled`, then the others if there are any.
  package static func line(_ counts: ChangeCounts) -> String {
    "\(Figures.counted(counts.added, "number")) added, \(Figures.grouped(counts.removed)) removed, "
      + "\(Figures.grouped(counts.relabelled)) relabelled"
      + (counts.votes == 0 ? "" : ", \(Figures.grouped(counts.votes)) with other votes")
      + (counts.changed == 0 ? "" : ", \(Figures.grouped(counts.changed)) with other fields")
  }

  // MARK: Tables

  private struct TableRow {
    var name: String
    var counts: ChangeCounts
  }

  private struct Column {
    var title: String
    var style: TextStyle
    var count: (ChangeCounts) -> UInt64
    var width = 0
  }

  /// A table of the counts by label and one by country, each with a total. Empty if nothing differs.
  package static func tables(_ summary: ChangeSummary, top: Int, allFields: Bool) -> [StyledText] {
    if summary.total.sum == 0 { return [] }
    var labels = rows(
      summary.labels.map { TableRow(name: name($0.label), counts: $0.counts) }, top, "label", "labels")
    if summary.otherLabels.sum > 0 {
      labels.append(TableRow(name: "other labels", counts: summary.otherLabels))
    }
    var countries = rows(
      summary.countries.map {
        TableRow(name: CountryText.name($0.callingCode, $0.region), counts: $0.counts)
      }, top, "country", "countries")
    let total = TableRow(name: "total", counts: summary.total)
    labels.append(total)
    countries.append(total)
    let names = (labels + countries).map(\.name) + ["label", "country"]
    let nameWidth = names.map(\.displayWidth).max() ?? 0
    var columns = [
      Column(title: "+", style: .added, count: { $0.added }),
      Column(title: "−", style: .removed, count: { $0.removed }),
      Column(title: "relabelled", style: .changed, count: { $0.relabelled }),
    ]
    if allFields {
      columns.append(Column(title: "votes", style: .changed, count: { $0.votes }))
      columns.append(Column(title: "other fields", style: .changed, count: { $0.changed }))
    }
    for index in columns.indices {
      // The total is the widest count.
      let widest = max(columns[index].title.count, Figures.grouped(columns[index].count(summary.total)).count)
      columns[index].width = widest + 2
    }
    return lines("label", labels, nameWidth, columns) + [""]
      + lines("country", countries, nameWidth, columns)
  }

  /// The first rows, and the sum of the others.
  private static func rows(_ all: [TableRow], _ top: Int, _ noun: String, _ plural: String) -> [TableRow] {
    let others = all.dropFirst(top)
    if others.isEmpty { return all }
    var sum = ChangeCounts()
    for row in others { sum.add(row.counts) }
    let name = Figures.counted(UInt64(others.count), "more \(noun)", plural: "more \(plural)")
    return Array(all.prefix(top)) + [TableRow(name: name, counts: sum)]
  }

  private static func lines(
    _ heading: String, _ rows: [TableRow], _ nameWidth: Int, _ columns: [Column]
  ) -> [StyledText] {
    func padded(_ name: String) -> String { name.padding(to: nameWidth + 1) }
    let titles = columns.map { $0.title.paddingStart(to: $0.width) }.joined()
    return [StyledText(padded(heading) + titles, .heading)]
      + rows.map { row in
        var line: StyledText = "\(padded(row.name))"
        for column in columns {
          let count = column.count(row.counts)
          line.append(
            StyledText(
              Figures.grouped(count).paddingStart(to: column.width), count == 0 ? .faint : column.style))
        }
        return line
      }
  }

  private static func name(_ label: String) -> String {
    label.isEmpty ? "(no label)" : PrintableText.line(label).cut(toWidth: labelWidthMax)
  }

  // MARK: JSON

  /// An element of the JSON form: what was counted, and its counts.
  private struct Element: Encodable {
    var label: String?
    var callingCode: UInt16?
    var region: String?
    var count: Int?
    var added: UInt64
    var removed: UInt64
    var relabelled: UInt64
    var votes: UInt64?
    var changed: UInt64?

    init(_ counts: ChangeCounts, _ allFields: Bool) {
      added = counts.added
      removed = counts.removed
      relabelled = counts.relabelled
      votes = allFields ? counts.votes : nil
      changed = allFields ? counts.changed : nil
    }
  }

  private struct Document: Encodable {
    var labels: [Element]
    var moreLabels: Element?
    var otherLabels: Element?
    var countries: [Element]
    var moreCountries: Element?
    var total: Element
  }

  /// The counts by label and by country as a JSON object, without a line feed. The parameters are those of
  /// ``tables(_:top:allFields:)``.
  package static func json(_ summary: ChangeSummary, top: Int, allFields: Bool) -> String {
    func more(_ counts: [ChangeCounts]) -> Element? {
      if counts.isEmpty { return nil }
      var sum = ChangeCounts()
      for one in counts { sum.add(one) }
      var element = Element(sum, allFields)
      element.count = counts.count
      return element
    }
    let labels = summary.labels.prefix(top).map { label in
      var element = Element(label.counts, allFields)
      element.label = label.label
      return element
    }
    let countries = summary.countries.prefix(top).map { country in
      var element = Element(country.counts, allFields)
      element.callingCode = country.callingCode
      element.region = country.region
      return element
    }
    return JSONLine.text(
      Document(
        labels: labels, moreLabels: more(summary.labels.dropFirst(top).map(\.counts)),
        otherLabels: summary.otherLabels.sum == 0 ? nil : Element(summary.otherLabels, allFields),
        countries: countries, moreCountries: more(summary.countries.dropFirst(top).map(\.counts)),
        total: Element(summary.total, allFields)))
  }
}
