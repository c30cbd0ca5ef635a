// Horizontal bars as SVG. Lengths are percentages, so on a phone the bars shrink and texts keep their size.

/// A bar chart; each bar has its name above it.
struct BarChart {
  /// A bar's name and values.
  struct Bar {
    var name: String
    /// The value of the bar, and of the part in another colour that follows it.
    var part: UInt64
    var rest: UInt64
    /// The CSS class that sets the bar's colour.
    var colour: String
    /// The text of the figure; nil for the value.
    var figure: String?
  }

  /// A bar with the positions that the template draws.
  struct Drawn {
    var name: String
    var figure: String
    var colour: String
    var textY: String
    var barY: String
    var width: String
    var restX: String
    var restWidth: String
  }

  /// The height of a bar with its name, in pixels.
  private static let rowHeight = 40
  /// The maximum width of a name in columns, so that it does not reach its figure on a phone; the table contains the
  /// full name.
  private static let nameColumnsMax = 32

  let height: String
  let bars: [Drawn]
  /// The chart as text, for screen readers.
  let words: String
  let isEmpty: Bool

  /// Creates a chart. The longest bar fills the width, or a bar of `least` if none is as long.
  init(_ bars: [Bar], atLeast least: UInt64 = 1) {
    let most = max(1, least, bars.map { $0.part &+ $0.rest }.max() ?? 1)
    func percent(_ value: UInt64) -> Double { Double(value) / Double(most) * 100 }
    height = String(bars.count * Self.rowHeight)
    isEmpty = bars.isEmpty
    self.bars = bars.enumerated().map { index, bar in
      Drawn(
        name: Self.shortened(bar.name), figure: bar.figure ?? Figures.grouped(bar.part), colour: bar.colour,
        textY: String(index * Self.rowHeight + 14), barY: String(index * Self.rowHeight + 20),
        // Small values stay visible.
        width: Figures.percent(bar.part == 0 ? 0 : max(0.4, percent(bar.part))),
        restX: Figures.percent(percent(bar.part)), restWidth: Figures.percent(percent(bar.rest)))
    }
    words = bars.map { "\($0.name): \($0.figure ?? Figures.grouped($0.part))" }.joined(separator: "; ")
  }

  private static func shortened(_ name: String) -> String {
    var columns = 0
    for index in name.unicodeScalars.indices {
      // Scalars from here on are mostly as wide as two letters.
      columns += name.unicodeScalars[index].value < 0x1100 ? 1 : 2
      if columns > nameColumnsMax { return String(name.unicodeScalars[..<index]) + "…" }
    }
    return name
  }
}
