// The index of a published folder: what happened to it by month, newest first, and the trend of its versions.

import RunReport

/// The values that the index's template shows.
struct IndexContext {
  /// The events of a month.
  struct Month {
    var name: String
    var table: PageTable
  }

  /// The maximum number of versions in the chart: on a phone, each has three pixels.
  private static let drawnMax = 100

  let title: String
  let version: String
  let written: String
  let failure: PageContext.FailureText?
  let headline: Headline
  let chart: TrendChart?
  let chartTitle: String
  let facts: [PageContext.Fact]
  let months: [Month]
  let hasMonths: Bool

  init(_ index: VersionIndex) {
    title = index.directory
    version = index.cdpipe
    written = Figures.time(index.written)
    failure = index.failure.map { failure in
      PageContext.FailureText(
        message: failure.message, hint: failure.hint, exitStatus: String(failure.exitStatus), current: [])
    }
    let events = index.events
    headline = Self.headline(events)
    chart = TrendChart(events, max: Self.drawnMax)
    chartTitle = "The last \(chart?.count ?? 0) versions"
    facts = Self.facts(events)
    var months: [(name: String, events: [RunReport.Event])] = []
    for event in events {
      let name = Self.month(event.lastTime ?? event.time)
      if months.last?.name != name { months.append((name, [])) }
      months[months.count - 1].events.append(event)
    }
    self.months = months.reversed().map { Month(name: $0.name, table: PageTable.events($0.events)) }
    hasMonths = !months.isEmpty
  }

  private static func headline(_ events: [RunReport.Event]) -> Headline {
    guard let current = events.last(where: \.isCurrent) else {
      return Headline("No version", about: [Headline.Text(text: "Nothing is published.")])
    }
    var about = [
      Headline.Text(text: "Current is version "), Headline.Text(text: "", id: current.version),
      Headline.Text(text: " of \(Figures.time(current.time))"),
    ]
    if let changes = current.changes {
      about.append(Headline.Text(text: ": \(Figures.changes(changes))"))
    }
    about.append(Headline.Text(text: "."))
    // A version that became current again has its numbers in the event that published it.
    let numbers =
      current.entries ?? events.last { $0.version == current.version && $0.entries != nil }?.entries
    return Headline(
      numbers.map(Figures.grouped) ?? "Unknown", numbers == 1 ? "number" : "numbers", about: about)
  }

  private static func facts(_ events: [RunReport.Event]) -> [PageContext.Fact] {
    guard let first = events.first, let last = events.last else { return [] }
    let published = events.filter { $0.event == .published }
    let kept = Dictionary(published.filter(\.isKept).map { ($0.version, $0.bytes) }) { $1 }
    let runs = events.reduce(UInt64(0)) { $0 &+ ($1.runs ?? ($1.event == .rolledBack ? 0 : 1)) }
    let sizes = kept.values.compactMap { $0 }
    let rollbacks = UInt64(events.count { $0.event == .rolledBack })
    return [
      PageContext.Fact(name: "runs", value: Figures.grouped(runs)),
      PageContext.Fact(name: "versions published", value: Figures.grouped(UInt64(published.count))),
      PageContext.Fact(
        name: "versions kept",
        value: Figures.grouped(UInt64(kept.count))
          + (sizes.isEmpty ? "" : ", \(Figures.bytes(sizes.reduce(0, &+)))")),
      rollbacks > 0 ? PageContext.Fact(name: "rollbacks", value: Figures.grouped(rollbacks)) : nil,
      PageContext.Fact(name: "since", value: Figures.day(first.time)),
      PageContext.Fact(name: "last", value: Figures.day(last.lastTime ?? last.time)),
    ].compactMap { $0 }
  }

  private static let names = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November",
    "December",
  ]

  /// The month of a time such as `2026-03-31T04:05:06Z`: `March 2026`.
  private static func month(_ time: String) -> String {
    guard let number = Int(time.dropFirst(5).prefix(2)), names.indices.contains(number - 1) else { return "" }
    return "\(names[number - 1]) \(time.prefix(4))"
  }
}
