// The changes from one version of a list to the next, for a report: counted by label and by country, with examples.

package import Records
package import RecordStages
package import SystemIO

extension ReportBuilder {
  /// Compares two lists, as `cdpipe diff --summary` does.
  ///
  /// - Parameters:
  ///   - old: the folder of the version before.
  ///   - new: the folder of the result.
  ///   - from: the id of the version before.
  /// - Complexity: O(records of both); memory as for ``ChangeTally``.
  package static func changes(
    from: String, old: String, new: String, calls: any SystemCalls
  ) throws(Failure) -> RunReport.Changes {
    let context = StageContext(meter: StageMeter(.diff), rejects: try RejectLog(), calls: calls)
    var difference = try ListDifference(old: old, new: new, allFields: false, context)
    var tally = ChangeTally()
    var examples = ChangeExamples()
    try difference.walk { (change) throws(Failure) in
      tally.add(change)
      examples.add(change)
    }
    return changes(from: from, tally.summary, examples.result)
  }

  /// Describes changes that were counted.
  package static func changes(
    from: String, _ summary: ChangeSummary, _ examples: RunReport.Changes.Examples
  ) -> RunReport.Changes {
    var changes = RunReport.Changes(from: from)
    changes.numbers = RunReport.Output.Numbers(
      added: summary.total.added, removed: summary.total.removed, relabelled: summary.total.relabelled)
    changes.labels = breakdown(summary.labels.map { (item($0), $0.counts) }, rest: summary.otherLabels)
    changes.countries = breakdown(summary.countries.map { (item($0), $0.counts) }, rest: ChangeCounts())
    changes.examples = examples
    return changes
  }

  private static func item(_ label: ChangeSummary.Label) -> RunReport.Changes.Item {
    var item = RunReport.Changes.Item()
    item.name = shortened(label.label, to: RunReport.Tally.nameMax)
    return item
  }

  private static func item(_ country: ChangeSummary.Country) -> RunReport.Changes.Item {
    var item = RunReport.Changes.Item()
    item.name = country.callingCode == 0 ? "" : String(country.callingCode)
    item.region = country.region
    return item
  }

  /// The first items with their counts, and the sum of the others and of `rest`.
  private static func breakdown(
    _ all: [(item: RunReport.Changes.Item, counts: ChangeCounts)], rest: ChangeCounts
  ) -> RunReport.Changes.Breakdown {
    var breakdown = RunReport.Changes.Breakdown()
    breakdown.items = all.prefix(RunReport.Changes.listedMax).map { item, counts in
      var item = item
      (item.added, item.removed, item.relabelled) = (counts.added, counts.removed, counts.relabelled)
      return item
    }
    let unlisted = all.dropFirst(RunReport.Changes.listedMax)
    if unlisted.isEmpty, rest.sum == 0 { return breakdown }
    var sum = rest
    for one in unlisted { sum.add(one.counts) }
    var others = RunReport.Changes.Others()
    others.count = rest.sum == 0 ? unlisted.count : nil
    (others.added, others.removed, others.relabelled) = (sum.added, sum.removed, sum.relabelled)
    breakdown.others = others
    return breakdown
  }
}

/// Collects examples of each kind of change.
package struct ChangeExamples {
  private var added = EvenSample<ListChange>(max: RunReport.Changes.examplesMax)
  private var removed = EvenSample<ListChange>(max: RunReport.Changes.examplesMax)
  private var relabelled = EvenSample<ListChange>(max: RunReport.Changes.examplesMax)

  /// Creates an empty collection.
  package init() {}

  /// Adds a change.
  package mutating func add(_ change: ListChange) {
    switch change.kind {
    case .added: added.add(change)
    case .removed: removed.add(change)
    case .relabelled: relabelled.add(change)
    case .changed: break
    }
  }

  /// The examples.
  package var result: RunReport.Changes.Examples {
    var examples = RunReport.Changes.Examples()
    examples.added = added.result.map(Self.example)
    examples.removed = removed.result.map(Self.example)
    examples.relabelled = relabelled.result.map(Self.example)
    return examples
  }

  private static func example(_ change: ListChange) -> RunReport.Changes.Example {
    func label(_ fields: [UInt8]) -> String {
      ReportBuilder.shortened(RecordFields.fields(fields.span).label, to: RunReport.Tally.nameMax)
    }
    return RunReport.Changes.Example(
      first: change.first, last: change.last, label: label(change.kind == .removed ? change.old : change.new),
      before: change.kind == .relabelled ? label(change.old) : nil)
  }
}

/// A sample of a sequence of unknown length, spread evenly over it: the same sequence has the same sample.
///
/// Memory: twice the maximum number of elements.
struct EvenSample<Element> {
  private let max: Int
  /// Every `stride`-th element is kept.
  private var stride = 1
  private var seen = 0
  private var kept: [Element] = []

  init(max: Int) {
    self.max = max
  }

  mutating func add(_ element: Element) {
    defer { seen += 1 }
    guard seen % stride == 0 else { return }
    // `seen` is then a multiple of the doubled stride, too.
    if kept.count == 2 * max {
      kept = kept.indices.filter { $0 % 2 == 0 }.map { kept[$0] }
      stride *= 2
    }
    kept.append(element)
  }

  /// At most `max` elements, in order.
  var result: [Element] {
    kept.count <= max ? kept : (0..<max).map { kept[$0 * kept.count / max] }
  }
}
