// Numbers, sizes and times as messages print them.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// Formats numbers for people.
public enum Figures {
  /// The number of bytes in a text of digits and a unit: none or B; K, M, G, T and KiB … TiB for powers of 1024; KB … TB
  /// for powers of 1000. Nil for another text.
  public static func bytes(in text: String) -> Int? {
    let text = text.filter { $0 != " " && $0 != "_" }
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    guard let number = Double(digits), number >= 0 else { return nil }
    let unit = text.dropFirst(digits.count).lowercased()
    var factor = 1.0
    if !unit.isEmpty, unit != "b" {
      let bases: [Substring: Double] = ["": 1024, "ib": 1024, "b": 1000]
      guard let power = ["k", "m", "g", "t"].firstIndex(of: unit.prefix(1)),
        let base = bases[unit.dropFirst()]
      else { return nil }
      for _ in 0...power { factor *= base }
    }
    let bytes = number * factor
    return bytes < Double(Int64.max) ? Int(bytes) : nil
  }

  /// Formats a count with thousands separators: `10,000,000`.
  public static func grouped(_ value: UInt64) -> String {
    var text = ""
    for (index, digit) in String(value).reversed().enumerated() {
      if index > 0, index % 3 == 0 { text.append(",") }
      text.append(digit)
    }
    return String(text.reversed())
  }

  /// Formats a count with its noun: `1 record`, `12 records`, `2 entries`.
  ///
  /// - Parameter plural: the noun for other counts than 1; by default the noun with an `s`.
  public static func counted(_ count: UInt64, _ noun: String, plural: String? = nil) -> String {
    "\(grouped(count)) \(count == 1 ? noun : plural ?? noun + "s")"
  }

  /// Formats what a stage leaves out: `1 record`, `2 records and parts of 1 range (1,004 numbers)`.
  public static func counted(records: UInt64, partsOfRanges parts: UInt64 = 0, numbers: UInt64) -> String {
    var kinds = records == 0 && parts > 0 ? [] : [counted(records, "record")]
    if parts > 0 { kinds.append("parts of \(counted(parts, "range"))") }
    return kinds.joined(separator: " and ") + (numbers == records ? "" : " (\(counted(numbers, "number")))")
  }

  /// Formats a rate: `2.1 M`.
  public static func rate(_ value: Double) -> String {
    if value >= 1e6 { return tenths(value / 1e6) + " M" }
    if value >= 1e3 { return tenths(value / 1e3) + " k" }
    return String(Int(value))
  }

  /// Formats a duration as a clock: `0:01:07`.
  public static func clock(_ seconds: Double) -> String {
    let whole = Int(min(seconds.rounded(), 359_999))
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : String(value) }
    return "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))"
  }

  /// Formats a setting without rounding it and without a needless fraction: `10`, `2.5`, `0.01`.
  public static func plain(_ value: Double) -> String {
    value.rounded() == value ? String(Int(value)) : "\(value)"
  }

  /// Formats a number with one decimal place.
  public static func tenths(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }

  /// Formats a share: `98.7 %`; `-` if the total is 0. Only nothing is 0.0 %, and only everything is 100.0 %.
  public static func share(_ part: UInt64, of total: UInt64) -> String {
    if total == 0 { return "-" }
    let percent = 100 * Double(part) / Double(total)
    if part > 0, percent < 0.1 { return "<0.1 %" }
    return "\(tenths(part < total ? min(percent, 99.9) : percent)) %"
  }

  /// Formats a duration in seconds: `30 s`.
  public static func seconds(_ value: Double) -> String {
    "\(plain(value)) s"
  }

  // MARK: Sizes

  /// Formats a number of bytes in powers of 1024: `1.5 MiB`.
  public static func bytes(_ bytes: UInt64) -> String {
    var value = Double(bytes)
    var unit = 0
    while value >= 1024, unit < 4 {
      value /= 1024
      unit += 1
    }
    let name = ["B", "KiB", "MiB", "GiB", "TiB"][unit]
    let isWhole = unit == 0 || value.rounded() == value || value >= 100
    return isWhole ? "\(Int(value.rounded())) \(name)" : "\(tenths(value)) \(name)"
  }

  /// Formats a number of bytes, such as the limit of an array.
  public static func bytes(_ bytes: Int) -> String { Self.bytes(UInt64(clamping: bytes)) }

  /// Formats a limit as the user most likely wrote it: in the largest unit that divides it, powers of 1024 first.
  public static func byteLimit(_ bytes: UInt64) -> String {
    if bytes < unitMin { return text(bytes, in: 1024, ["KiB"]) ?? "\(bytes) B" }
    return text(bytes, in: 1024, ["KiB", "MiB", "GiB", "TiB"])
      ?? text(bytes, in: 1000, ["KB", "MB", "GB", "TB"]) ?? "\(grouped(bytes)) B"
  }

  /// The size from which on a limit is written in a unit of 1000.
  private static let unitMin: UInt64 = 10_000

  private static func text(_ bytes: UInt64, in base: UInt64, _ units: [String]) -> String? {
    var value = bytes
    var unit: String?
    for name in units where value > 0 && value % base == 0 {
      value /= base
      unit = name
    }
    return unit.map { "\(grouped(value)) \($0)" }
  }
}
