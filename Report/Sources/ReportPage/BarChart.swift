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
  /// The maximum length of a name in characters; the table contains the full name.
  private static let nameMax = 36

  let height: String
  let bars: [Drawn]
  /// The chart as text, for screen readers.
  let words: String
  let isEmpty: Bool

  init(_ bars: [Bar]) {
    let most = max(1, bars.map { $0.part &+ $0.rest }.max() ?? 1)
    func percent(_ value: UInt64) -> Double { Double(value) / Double(most) * 100 }
    height = String(bars.count * Self.rowHeight)
    isEmpty = bars.isEmpty
    self.bars = bars.enumerated().map { index, bar in
      Drawn(
        name: Self.shortened(bar.name), figure: Figures.grouped(bar.part), colour: bar.colour,
        textY: String(index * Self.rowHeight + 14), barY: String(index * Self.rowHeight + 20),
        // Small values stay visible.
        width: Figures.percent(bar.part == 0 ? 0 : max(0.4, percent(bar.part))),
        restX: Figures.percent(percent(bar.part)), restWidth: Figures.percent(percent(bar.rest)))
    }
    words = bars.map { "\($0.name): \(Figures.grouped($0.part))" }.joined(separator: "; ")
  }

  private static func shortened(_ name: String) -> String {
    name.count <= nameMax ? name : name.prefix(nameMax - 1) + "…"
  }
}

/// Formats figures.
enum Figures {
  /// Formats a count: `10,000,000`.
  static func grouped(_ value: UInt64) -> String {
    var text = ""
    for (index, digit) in String(value).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// Formats a percentage: `37.25%`.
  static func percent(_ value: Double) -> String { "\(rounded(value, 100))%" }

  /// Formats a duration: `1.5 s`, `2 min 5 s`.
  static func seconds(_ value: Double) -> String {
    guard value >= 60 else { return "\(rounded(value, value < 1 ? 1000 : 10)) s" }
    let whole = Int(min(value.rounded(), 1e9))
    return "\(whole / 60) min \(whole % 60) s"
  }

  /// Formats a size: `1.5 MiB`.
  static func bytes(_ bytes: UInt64) -> String {
    var value = Double(bytes)
    var unit = 0
    while value >= 1024, unit < 4 {
      value /= 1024
      unit += 1
    }
    return "\(rounded(value, 10)) \(["B", "KiB", "MiB", "GiB", "TiB"][unit])"
  }

  /// Formats a number with few decimal places and no trailing zeros.
  private static func rounded(_ value: Double, _ steps: Double) -> String {
    let rounded = (value * steps).rounded() / steps
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : String(rounded)
  }
}
