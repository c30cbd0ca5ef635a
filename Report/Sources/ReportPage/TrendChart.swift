// The latest versions as SVG: the numbers of each as a line, and its changes as bars up and down.
//
// Places from left to right are percentages, so on a phone the chart is narrower and its texts keep their size.

import RunReport

/// A chart of versions, oldest on the left.
struct TrendChart {
  /// A part of the line between two versions.
  struct Segment {
    var x1: String
    var y1: String
    var x2: String
    var y2: String
  }

  /// A version.
  struct Point {
    var x: String
    var y: String
    /// The CSS class that sets the point's colour and size.
    var colour: String
    /// The place of the bars, and of the rectangle that shows `words` when it is pointed at.
    var barX: String
    var slotX: String
    var addedY: String
    var addedHeight: String
    var removedHeight: String
    var relabelledY: String
    var relabelledHeight: String
    var words: String
  }

  /// The number of versions.
  let count: Int
  let segments: [Segment]
  let points: [Point]
  let barWidth: String
  let slotWidth: String
  let height: String
  /// The most and the fewest numbers of a version; the same if there is no difference.
  let most: String
  let fewest: String
  let hasRange: Bool
  let hasChanges: Bool
  let hasWithdrawn: Bool
  /// The line between the bars up and down.
  let zeroY: String
  let mostAdded: String
  let mostRemoved: String
  let mostRelabelled: String
  let hasRelabelled: Bool
  /// The times of the first and the last version.
  let from: String
  let to: String
  let dateY: String
  /// Whether the versions fill the width.
  let isFull: Bool
  /// The chart as text, for screen readers.
  let words: String

  /// The number of versions that fill the width: fewer ones do not get wider bars.
  private static let slotsMin = 12
  /// The maximum number of versions with a point each; on a phone, the points of more would touch.
  private static let pointsMax = 40

  /// The places of the parts from top to bottom, in pixels; the template has the same.
  private enum VerticalPlace {
    static let lineTop = 26.0
    static let lineBottom = 126.0
    /// The top of the highest bar of added numbers, and the bottom of the lowest one of removed numbers.
    static let barsTop = 172.0
    static let barsBottom = 268.0
    static let relabelledBottom = 336.0
    static let relabelledMax = 30.0
    static let dates = 22.0
  }

  /// A chart of the last versions that were published. Nil for fewer than two: that is not a trend.
  init?(_ events: [RunReport.Event], max: Int) {
    let versions = events.filter { $0.event == .published }.suffix(max).map { $0 }
    guard versions.count > 1, let first = versions.first, let last = versions.last else { return nil }
    let counts = versions.map { $0.entries ?? 0 }
    count = versions.count
    let (low, high) = (counts.min() ?? 0, counts.max() ?? 0)
    isFull = versions.count >= Self.slotsMin
    let slot = 100 / Double(Swift.max(versions.count, Self.slotsMin))
    func x(_ index: Int) -> Double { (Double(index) + 0.5) * slot }
    func y(_ count: UInt64) -> Double {
      if high == low { return (VerticalPlace.lineTop + VerticalPlace.lineBottom) / 2 }
      let part = Double(count - low) / Double(high - low)
      return VerticalPlace.lineBottom - part * (VerticalPlace.lineBottom - VerticalPlace.lineTop)
    }
    let added = versions.compactMap(\.changes?.added).max() ?? 0
    let removed = versions.compactMap(\.changes?.removed).max() ?? 0
    let changed = Double(added) + Double(removed)
    // Bars up and down have the same scale.
    let bars = VerticalPlace.barsBottom - VerticalPlace.barsTop
    let zero = VerticalPlace.barsTop + (changed == 0 ? 0 : Double(added) / changed * bars)
    let relabelled = versions.compactMap(\.changes?.relabelled).max() ?? 0
    func bar(_ count: UInt64?, of most: Double, _ height: Double) -> Double {
      guard let count, count > 0 else { return 0 }
      // Small values stay visible.
      return Swift.max(1.5, Double(count) / most * height)
    }
    points = versions.enumerated().map { index, version in
      let added = bar(version.changes?.added, of: changed, bars)
      let renamed = bar(version.changes?.relabelled, of: Double(relabelled), VerticalPlace.relabelledMax)
      return Point(
        x: Figures.percent(x(index)), y: Self.pixels(y(counts[index])),
        colour: version.isCurrent
          ? "current" : version.isRolledBack ? "withdrawn" : versions.count > Self.pointsMax ? "hidden" : "",
        barX: Figures.percent(x(index) - slot * 0.35), slotX: Figures.percent(Double(index) * slot),
        addedY: Self.pixels(zero - added), addedHeight: Self.pixels(added),
        removedHeight: Self.pixels(bar(version.changes?.removed, of: changed, bars)),
        relabelledY: Self.pixels(VerticalPlace.relabelledBottom - renamed),
        relabelledHeight: Self.pixels(renamed),
        words: Self.words(version))
    }
    segments = (1..<versions.count).map { index in
      Segment(
        x1: Figures.percent(x(index - 1)), y1: Self.pixels(y(counts[index - 1])),
        x2: Figures.percent(x(index)), y2: Self.pixels(y(counts[index])))
    }
    barWidth = Figures.percent(slot * 0.7)
    slotWidth = Figures.percent(slot)
    most = Figures.counted(high, "number")
    fewest = Figures.grouped(low)
    hasRange = high != low
    hasChanges = changed > 0
    hasWithdrawn = versions.contains { $0.isRolledBack && !$0.isCurrent }
    zeroY = Self.pixels(zero)
    mostAdded = Figures.signed(added, "+")
    mostRemoved = Figures.signed(removed, "−")
    mostRelabelled = Figures.grouped(relabelled)
    hasRelabelled = relabelled > 0
    let bottom =
      relabelled > 0
      ? VerticalPlace.relabelledBottom
      : changed > 0 ? VerticalPlace.barsBottom + 18 : VerticalPlace.lineBottom + 18
    dateY = Self.pixels(bottom + 16)
    height = Self.pixels(bottom + VerticalPlace.dates)
    (from, to) = (Figures.day(first.time), Figures.day(last.time))
    words =
      "\(versions.count) versions: \(Figures.counted(counts[0], "number")) on \(from), "
      + "\(Figures.grouped(counts[counts.count - 1])) on \(to); at least \(Figures.grouped(low)), at most \(Figures.grouped(high))."
  }

  private static func words(_ version: RunReport.Event) -> String {
    var words = "\(Figures.time(version.time)): \(Figures.counted(version.entries ?? 0, "number"))"
    if let changes = version.changes { words += ", \(Figures.changes(changes))" }
    if version.isCurrent { words += "; current" } else if version.isRolledBack { words += "; rolled back" }
    return words
  }

  private static func pixels(_ value: Double) -> String {
    let rounded = (value * 10).rounded() / 10
    return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
  }
}
