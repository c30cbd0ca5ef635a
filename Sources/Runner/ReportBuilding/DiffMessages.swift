// The differences between two lists: their counts as a line, as tables by label and by country, and as JSON.
//
// Not for the lines of the differences themselves: the command writes those.

package import Records

/// Formats the differences between two lists.
package enum DiffMessages {
  /// The default number of labels, and of countries, that are listed.
  package static let defaultTop = 20
  /// The maximum width of a label in a table.
  private static let labelWidthMax = 40

  /// `12 numbers added, 3 removed, 0 relabelled`
  package static func line(_ counts: ChangeCounts) -> String {
    "\(Figures.counted(counts.added, "number")) added, \(Figures.grouped(counts.removed)) removed, "
      + "\(Figures.grouped(counts.relabelled)) relabelled"
      + (counts.changed == 0 ? "" : ", \(Figures.grouped(counts.changed)) with other fields")
  }

  // MARK: Tables

  /// A row of a table.
  private struct TableRow {
    var name: String
    var counts: ChangeCounts
  }

  /// A column of counts.
  private struct Column {
    var title: String
    var style: TextStyle
    var count: (ChangeCounts) -> UInt64
    var width = 0
  }

  /// A table of the counts by label and one by country, each with a total. Empty if nothing differs.
  ///
  /// - Parameters:
  ///   - top: the number of labels, and of countries, that are listed; the rest is summed.
  ///   - allFields: whether other fields than the label were compared, too.
  package static func tables(_ summary: ChangeSummary, top: Int, allFields: Bool) -> [StyledText] {
    if summary.total.sum == 0 { return [] }
    var labels = rows(
      summary.labels.map { TableRow(name: name($0.label), counts: $0.counts) }, top, "label", "labels")
    if summary.otherLabels.sum > 0 {
      labels.append(TableRow(name: "other labels", counts: summary.otherLabels))
    }
    var countries = rows(
      summary.countries.map {
        TableRow(name: CountryMessages.name($0.callingCode, $0.region), counts: $0.counts)
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
    if allFields { columns.append(Column(title: "other fields", style: .changed, count: { $0.changed })) }
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

  /// A label as a table shows it.
  private static func name(_ label: String) -> String {
    label.isEmpty ? "(no label)" : PrintableText.line(label).cut(toWidth: labelWidthMax)
  }

  // MARK: JSON

  /// An element of the JSON form: what was counted, and its counts.
  private struct Element: Encodable {
    var label: String?
    var callingCode: UInt16?
    var region: String?
    /// The number of labels or countries that were summed.
    var count: Int?
    var added: UInt64
    var removed: UInt64
    var relabelled: UInt64
    var changed: UInt64?

    init(_ counts: ChangeCounts, _ allFields: Bool) {
      added = counts.added
      removed = counts.removed
      relabelled = counts.relabelled
      changed = allFields ? counts.changed : nil
    }
  }

  /// The JSON form of a summary.
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
