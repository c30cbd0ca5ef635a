// Counts the numbers in which two lists differ, by label and by country, in bounded memory and without expanding ranges.
//
// Not for: finding the differences (ListDifference), or displaying the counts (the command layer).

import Records
import NumberPlan
package import RecordStages

/// Counts of changed numbers, by kind of change.
package struct ChangeCounts: Equatable, Sendable {
  /// Numbers of the new list alone.
  package var added: UInt64 = 0
  /// Numbers of the old list alone.
  package var removed: UInt64 = 0
  /// Numbers with another label.
  package var relabelled: UInt64 = 0
  /// Numbers with the same label and other fields.
  package var changed: UInt64 = 0

  /// Creates counts.
  package init() {}

  /// The count of all changed numbers.
  package var sum: UInt64 { added &+ removed &+ relabelled &+ changed }

  /// Adds changed numbers of one kind.
  package mutating func add(_ kind: ListChange.ChangeKind, _ count: UInt64) {
    switch kind {
    case .added: added &+= count
    case .removed: removed &+= count
    case .relabelled: relabelled &+= count
    case .changed: changed &+= count
    }
  }

  /// Adds other counts.
  package mutating func add(_ other: ChangeCounts) {
    added &+= other.added
    removed &+= other.removed
    relabelled &+= other.relabelled
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

  /// The changed numbers with a country calling code.
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

  /// Creates an empty summary.
  package init() {}
}

/// Counts changes.
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

  /// Creates an empty tally.
  package init() {}

  /// Counts a change: a removed number by its old label, any other by its new one.
  ///
  /// - Complexity: O(bytes of the label), plus a lookup for each calling code in a range.
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
