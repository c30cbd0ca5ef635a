// Figures and times as readers of the page see them.

import RunReport

/// Formats figures.
enum Figures {
  /// The number of digits of an id on the page: enough to distinguish versions. The rest is in the title.
  private static let idDigits = 12

  /// Formats a count: `10,000,000`.
  static func grouped(_ value: UInt64) -> String {
    var text = ""
    for (index, digit) in String(value).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// Formats a count with its noun: `1 number`, `2 numbers`.
  static func counted(_ value: UInt64, _ noun: String) -> String {
    "\(grouped(value)) \(noun)\(value == 1 ? "" : "s")"
  }

  /// Formats a change with its sign.
  static func signed(_ value: UInt64, _ sign: String) -> String { (value == 0 ? "" : sign) + grouped(value) }

  /// Formats changed numbers: `+350, −12, 40 relabelled`.
  static func changes(_ numbers: RunReport.Output.Numbers) -> String {
    "\(signed(numbers.added, "+")), \(signed(numbers.removed, "−")), \(grouped(numbers.relabelled)) relabelled"
  }

  /// Formats a length in percent: `37.25%`.
  static func percent(_ value: Double) -> String { "\(rounded(value, 100))%" }

  /// Formats a share: `97.9%`. It is not rounded to 100% or to 0%: `99.9%`, `0.1%`.
  static func share(_ part: UInt64, of all: UInt64) -> String {
    guard part != all, part > 0, all > 0 else { return part == 0 && all > 0 ? "0%" : "100%" }
    let percent = (Double(part) / Double(all) * 1000).rounded() / 10
    return "\(rounded(part < all ? min(99.9, max(0.1, percent)) : max(100.1, percent), 10))%"
  }

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

  /// Formats a time such as `2026-03-31T04:05:06Z`: `2026-03-31 04:05 UTC`. Another text stays as it is.
  static func time(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars)
    guard scalars.count == 20, scalars[10] == "T", scalars[19] == "Z" else { return text }
    return day(text) + " " + String(String.UnicodeScalarView(scalars[11..<16])) + " UTC"
  }

  /// The day of a time: `2026-03-31`.
  static func day(_ text: String) -> String { String(text.prefix(10)) }

  /// The first digits of an id.
  static func short(_ id: String) -> String { String(id.prefix(idDigits)) }

  /// Formats a number with few decimal places and no trailing zeros.
  private static func rounded(_ value: Double, _ steps: Double) -> String {
    let rounded = (value * steps).rounded() / steps
    return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int(rounded)) : String(rounded)
  }
}
