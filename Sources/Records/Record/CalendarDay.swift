// A day of the calendar: what a record's fifth field names, and ages are counted in.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SystemIO

/// A day in UTC, from 0001-01-01 to 9999-12-31 of the Gregorian calendar.
public struct CalendarDay: Hashable, Comparable, Sendable {
  /// The days since 1970-01-01.
  public let number: Int32

  private static let numbers: ClosedRange<Int32> = -719_162...2_932_896
  /// The length of ``text``.
  public static let textBytes = 10

  /// The day on which this process first asked for it: one run has one day, also when it lasts beyond midnight.
  package static let ofRun = Self(clamping: WallClock.wholeSeconds() / 86_400)

  /// Nil for a day beyond the years of four digits.
  public init?(number: Int) {
    guard let number = Int32(exactly: number), Self.numbers.contains(number) else { return nil }
    self.number = number
  }

  private init(clamping number: Int64) {
    self.number = min(max(Int32(clamping: number), Self.numbers.lowerBound), Self.numbers.upperBound)
  }

  /// Nil for a day that the calendar does not have, such as 2023-02-29.
  public init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...Self.length(ofMonth: month, in: year)).contains(day)
    else { return nil }
    // Years begin in March, so that a leap day ends one. Source: Howard Hinnant, chrono-Compatible Low-Level Date Algorithms.
    let march = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = march * 365 + march / 4 - march / 100 + march / 400 + dayOfYear
    number = Int32(days - 719_468)
  }

  /// Reads ``text``; nil for any other form.
  public init?(_ text: Span<UInt8>) {
    guard text.count == Self.textBytes, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") else {
      return nil
    }
    var parts = (year: 0, month: 0, day: 0)
    for index in 0..<Self.textBytes where index != 4 && index != 7 {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) else { return nil }
      let digit = Int(text[index] - UInt8(ascii: "0"))
      switch index {
      case ..<4: parts.year = parts.year * 10 + digit
      case ..<7: parts.month = parts.month * 10 + digit
      default: parts.day = parts.day * 10 + digit
      }
    }
    self.init(year: parts.year, month: parts.month, day: parts.day)
  }

  static func length(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  public static func < (one: Self, other: Self) -> Bool { one.number < other.number }

  /// The year, the month and the day of the month.
  public var parts: (year: Int, month: Int, day: Int) {
    let days = Int(number) + 719_468
    let era = days / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let march = (5 * dayOfYear + 2) / 153
    let month = march < 10 ? march + 3 : march - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * march + 2) / 5 + 1)
  }

  /// The day in ISO 8601: `2026-11-29`.
  public var text: String {
    var bytes: ContiguousArray<UInt8> = []
    appendText(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends ``text`` in UTF-8.
  package func appendText(to bytes: inout ContiguousArray<UInt8>) {
    let (year, month, day) = parts
    func append(_ value: Int) {
      bytes.append(UInt8(ascii: "0") + UInt8(value / 10))
      bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
    }
    append(year / 100)
    append(year % 100)
    bytes.append(UInt8(ascii: "-"))
    append(month)
    bytes.append(UInt8(ascii: "-"))
    append(day)
  }
}
