// The changes from the version before: by label and by country, with examples.

import RunReport

/// The section on changes.
struct ChangesContext {
  /// A count of changed numbers.
  struct Count {
    var text: String
    /// The CSS class that sets the colour.
    var colour: String
  }

  /// A label or a country with its changed numbers.
  struct Line {
    var name: String
    /// The counts, in the order of the columns.
    var counts: [Count]
    /// The lengths and starts of the three parts of the bar.
    var addedWidth: String
    var removedX: String
    var removedWidth: String
    var relabelledX: String
    var relabelledWidth: String
  }

  /// The changes by label or by country.
  struct Breakdown {
    var id: String
    var title: String
    var column: String
    var lines: [Line]
    /// Whether any number was relabelled; otherwise the column is left out.
    var hasRelabelled: Bool
  }

  /// Examples of one kind of change.
  struct ExampleGroup {
    struct Example {
      var numbers: String
      /// The old label of relabelled numbers; nil for others.
      var before: String?
      var label: String
    }

    var title: String
    var colour: String
    var examples: [Example]
  }

  let breakdowns: [Breakdown]
  let groups: [ExampleGroup]
  let hasGroups: Bool

  /// Nil if nothing has changed.
  init?(_ changes: RunReport.Changes) {
    let numbers = changes.numbers
    guard numbers.added > 0 || numbers.removed > 0 || numbers.relabelled > 0 else { return nil }
    breakdowns = [
      Self.breakdown(changes.labels, "changed-labels", "Changes by label", "label") {
        $0.name.isEmpty ? CountryName.noLabel : $0.name
      },
      Self.breakdown(changes.countries, "changed-countries", "Changes by country", "country") {
        CountryName.text($0)
      },
    ]
    groups = [
      Self.group("Added", "plus", numbers.added, changes.examples.added),
      Self.group("Removed", "minus", numbers.removed, changes.examples.removed),
      Self.group("Relabelled", "turn", numbers.relabelled, changes.examples.relabelled),
    ].compactMap { $0 }
    hasGroups = !groups.isEmpty
  }

  private static func breakdown(
    _ breakdown: RunReport.Changes.Breakdown, _ id: String, _ title: String, _ column: String,
    name: (RunReport.Changes.Item) -> String
  ) -> Breakdown {
    var rows = breakdown.items.map { (name: name($0), counts: [$0.added, $0.removed, $0.relabelled]) }
    if let others = breakdown.others {
      rows.append(
        (
          others.count.map { Figures.counted(UInt64(clamping: $0), "other") } ?? "all others",
          [others.added, others.removed, others.relabelled]
        ))
    }
    let most = max(1, rows.map { $0.counts.reduce(0, &+) }.max() ?? 1)
    func width(_ count: UInt64) -> Double {
      // Small values stay visible.
      count == 0 ? 0 : max(0.6, Double(count) / Double(most) * 98)
    }
    let hasRelabelled = rows.contains { $0.counts[2] > 0 }
    let lines = rows.map { row in
      let widths = row.counts.map(width)
      let counts = zip(row.counts, [("+", "plus"), ("−", "minus"), ("", "turn")]).map { count, form in
        Count(text: Figures.signed(count, form.0), colour: count == 0 ? "soft" : form.1)
      }
      return Line(
        name: row.name, counts: hasRelabelled ? counts : counts.dropLast(),
        addedWidth: Figures.percent(widths[0]),
        removedX: Figures.percent(widths[0]), removedWidth: Figures.percent(widths[1]),
        relabelledX: Figures.percent(widths[0] + widths[1]), relabelledWidth: Figures.percent(widths[2]))
    }
    return Breakdown(
      id: id, title: title, column: column, lines: lines, hasRelabelled: hasRelabelled)
  }

  private static func group(
    _ title: String, _ colour: String, _ count: UInt64, _ examples: [RunReport.Changes.Example]
  ) -> ExampleGroup? {
    if examples.isEmpty { return nil }
    return ExampleGroup(
      title: examples.count < count ? "\(title), for example" : title, colour: colour,
      examples: examples.map { example in
        func text(_ label: String) -> String { label.isEmpty ? CountryName.noLabel : label }
        return ExampleGroup.Example(
          numbers: example.first == example.last ? "\(example.first)" : "\(example.first)..\(example.last)",
          before: example.before.map(text), label: text(example.label))
      })
  }
}
