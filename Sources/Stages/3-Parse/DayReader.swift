// Reads the texts of a date field: when a number was reported, as a day in UTC.
//
// Sources: ISO 8601 (calendar, ordinal and week dates, basic and extended), RFC 3339, RFC 5322 3.3 and its obsolete zones,
// POSIX's seconds, ECMA-376 18.17.4.1 for the serial days of spreadsheets.

package import Records

/// How the dates of a field are written that have several readings.
package enum DateFormat: String, CaseIterable, Sendable {
  /// `29/11/2026`.
  case dayFirst = "dmy"
  /// `11/29/2026`.
  case monthFirst = "mdy"
  /// `26/11/29`.
  case yearFirst = "ymd"
  /// Seconds since 1970.
  case seconds = "epoch"
  /// Milliseconds since 1970.
  case milliseconds = "epoch-ms"
  /// Days of a spreadsheet: 1 is 1900-01-01.
  case serial = "excel"
}

package enum DateReading: Equatable, Sendable {
  case day(CalendarDay)
  /// There are several readings, and the format was not chosen.
  case unclear(dayFirst: CalendarDay?, monthFirst: CalendarDay?)
  /// Digits that may be seconds, a serial day, or something else.
  case unclearNumber
  case invalid
}

package enum DayReader {
  /// The largest date: with a weekday, a month and a zone in words.
  private static let bytesMax = 64

  /// The size of a day with a time, `2026-11-29 10:33:05`.
  private static let timeTextBytes = 19

  /// Reads a date, with an optional time and zone. Without a zone, it is in UTC. `isDecided`: other dates decided the format,
  /// so that it is only that of dates with several readings.
  package static func read(_ text: Span<UInt8>, _ format: DateFormat?, isDecided: Bool = false) -> DateReading
  {
    if let day = plainDay(text) { return .day(day) }
    guard text.count <= bytesMax else { return .invalid }
    var scan = DateScan(text)
    if scan.isNumber { return scan.number(isDecided ? nil : format) }
    return scan.date(format, isDecided: isDecided)
  }

  /// `2026-11-29` alone, or before a time of day without a zone; nil for any other form.
  static func plainDay(_ text: Span<UInt8>) -> CalendarDay? {
    isPlain(text) ? CalendarDay(text.extracting(0..<CalendarDay.textBytes)) : nil
  }

  /// Whether a text has the length of a day, or a time of day without a zone after as many bytes.
  @inline(__always)
  static func isPlain(_ text: Span<UInt8>) -> Bool {
    if text.count == CalendarDay.textBytes { return true }
    guard text.count == timeTextBytes, text[10] == UInt8(ascii: " ") || text[10] == UInt8(ascii: "T") else {
      return false
    }
    // hh:mm:ss, less the byte that each can have at least.
    let time = unsafe WordScan.word(text.bytes, timeTextBytes - 8) ^ 0x3030_3A30_303A_3030
    let digits = time & 0xFFFF_00FF_FF00_FFFF
    guard time == digits, (digits | (digits &+ WordScan.ones &* 6)) & 0xF0F0_00F0_F000_F0F0 == 0 else {
      return false
    }
    func pair(_ shift: UInt64) -> UInt64 { (time >> shift & 0xF) * 10 + (time >> (shift + 8) & 0xF) }
    return pair(0) < 24 && pair(24) < 60 && pair(48) < 61
  }
}

/// A date as it is read from left to right.
private struct DateScan {
  private let bytes: [UInt8]
  private var index = 0

  init(_ text: Span<UInt8>) {
    var bytes: [UInt8] = []
    var isInside = false
    // Blanks around the text, and several in a row, mean nothing.
    for at in 0..<text.count where text[at] > 0x20 || isInside {
      bytes.append(text[at] > 0x20 ? text[at] : 0x20)
      isInside = text[at] > 0x20
    }
    if bytes.last == 0x20 { bytes.removeLast() }
    self.bytes = bytes
  }

  private var isAtEnd: Bool { index == bytes.count }
  private var next: UInt8 { index < bytes.count ? bytes[index] : 0 }

  // MARK: Numbers

  /// Whether the text is one number, perhaps with a sign or decimals.
  var isNumber: Bool {
    let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
    let whole = digits.prefix { $0 &- 0x30 < 10 }
    let rest = digits.dropFirst(whole.count)
    return !whole.isEmpty && whole.count <= 16
      && (rest.isEmpty
        || rest.count > 1 && rest.first == Byte.dot && rest.dropFirst().allSatisfy { $0 &- 0x30 < 10 })
  }

  func number(_ format: DateFormat?) -> DateReading {
    let isNegative = bytes.first == UInt8(ascii: "-")
    let whole = bytes.drop { $0 == UInt8(ascii: "-") }.prefix { $0 &- 0x30 < 10 }
    let value = whole.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    let isWhole = whole.count + (isNegative ? 1 : 0) == bytes.count
    // A part of a second or day counts towards the day before if the number is negative.
    let signed = isNegative ? -value - (isWhole ? 0 : 1) : value
    switch format {
    case .seconds: return Self.day(Self.floor(signed, 86_400))
    case .milliseconds: return Self.day(Self.floor(signed, 86_400_000))
    case .serial:
      // Spreadsheets have a day 60, 1900-02-29, that the calendar lacks.
      guard value > 0, value != 60, !isNegative else { return .invalid }
      return Self.day(value - (value < 60 ? 25_568 : 25_569))
    case .dayFirst, .monthFirst, .yearFirst, nil: break
    }
    guard !isNegative else { return .invalid }
    switch whole.count {
    case 8 where isWhole:
      return CalendarDay(year: value / 10_000, month: value / 100 % 100, day: value % 100).map { .day($0) }
        ?? .invalid
    // From 2001 to 2286.
    case 10: return Self.day(value / 86_400)
    case 13 where isWhole: return Self.day(value / 86_400_000)
    default: return format == nil ? .unclearNumber : .invalid
    }
  }

  private static func day(_ number: Int) -> DateReading {
    CalendarDay(number: number).map { .day($0) } ?? .invalid
  }

  private static func floor(_ value: Int, _ divisor: Int) -> Int {
    value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
  }

  // MARK: Dates

  mutating func date(_ format: DateFormat?, isDecided: Bool) -> DateReading {
    if let day = isoDate() { return withTime(.day(day)) }
    index = 0
    if let day = namedDate() { return withTime(.day(day)) }
    index = 0
    return withTime(signedDate(format, isDecided: isDecided))
  }

  /// `2026-11-29`, `2026/11/29`, `2026年11月29日`, `20261129T…`, `2026-333`, `2026-W48-7`.
  private mutating func isoDate() -> CalendarDay? {
    if let day = compactDate() { return day }
    index = 0
    guard let year = digits(4...4) else { return nil }
    if skip("-W") || skip("W") { return weekDate(year) }
    if let day = eastAsianDate(year) { return day }
    let sign = next
    guard "-/.".utf8.contains(sign) else { return nil }
    index += 1
    let start = index
    if sign == UInt8(ascii: "-"), let dayOfYear = digits(3...3), next &- 0x30 >= 10 {
      guard let first = CalendarDay(year: year, month: 1, day: 1) else { return nil }
      let day = CalendarDay(number: Int(first.number) + dayOfYear - 1)
      return dayOfYear > 0 && day?.parts.year == year ? day : nil
    }
    index = start
    guard let month = digits(1...2), next == sign else { return nil }
    index += 1
    guard let day = digits(1...2) else { return nil }
    return CalendarDay(year: year, month: month, day: day)
  }

  /// Eight digits before a time.
  private mutating func compactDate() -> CalendarDay? {
    guard let value = digits(8...8), next == UInt8(ascii: "T") || next == 0x20 else { return nil }
    return CalendarDay(year: value / 10_000, month: value / 100 % 100, day: value % 100)
  }

  private mutating func weekDate(_ year: Int) -> CalendarDay? {
    guard let week = digits(2...2), (1...53).contains(week) else { return nil }
    _ = skip("-")
    guard let weekday = digits(1...1), (1...7).contains(weekday),
      let fourth = CalendarDay(year: year, month: 1, day: 4)
    else { return nil }
    // The first week is that of January 4. 1970-01-01 is a Thursday.
    let monday = Int(fourth.number) - (Int(fourth.number) + 719_169) % 7
    let day = CalendarDay(number: monday + (week - 1) * 7 + weekday - 1)
    // The Thursday of a week decides its year.
    let thursday = CalendarDay(number: monday + (week - 1) * 7 + 3)
    return thursday?.parts.year == year ? day : nil
  }

  private mutating func eastAsianDate(_ year: Int) -> CalendarDay? {
    for (years, months, days) in [("年", "月", "日"), ("년", "월", "일")] where skip(years) {
      _ = skip(" ")
      guard let month = digits(1...2), skip(months) else { return nil }
      _ = skip(" ")
      guard let day = digits(1...2), skip(days) else { return nil }
      return CalendarDay(year: year, month: month, day: day)
    }
    return nil
  }

  /// `29 Nov 2026`, `29-Nov-2026`, `Sun, 29 November 2026`, `Nov 29, 2026`, `Sun Nov 29 10:33:00 2026`.
  private mutating func namedDate() -> CalendarDay? {
    if word(Self.weekdays) != nil {
      _ = skip(",")
      _ = skip(" ")
    }
    if let month = word(Self.months) {
      _ = skip(".")
      guard skip(" "), let day = digits(1...2) else { return nil }
      _ = skip(",")
      guard skip(" ") else { return nil }
      let start = index
      if let year = digits(4...4), next != UInt8(ascii: ":") {
        return CalendarDay(year: year, month: month, day: day)
      }
      index = start
      // The year of C's `asctime` comes last.
      guard time() != nil, skip(" "), let year = digits(4...4), isAtEnd else { return nil }
      return CalendarDay(year: year, month: month, day: day)
    }
    guard let day = digits(1...2) else { return nil }
    for ordinal in ["st", "nd", "rd", "th", "."] where skip(ordinal) { break }
    guard skip(" ") || skip("-") || skip("/"), let month = word(Self.months) else { return nil }
    _ = skip(".")
    _ = skip(",")
    guard skip(" ") || skip("-") || skip("/"), let year = digits(4...4) else { return nil }
    return CalendarDay(year: year, month: month, day: day)
  }

  /// `29.11.2026`, `29/11/2026`, `11/29/2026`, `29.11.26`.
  private mutating func signedDate(_ format: DateFormat?, isDecided: Bool) -> DateReading {
    guard let first = digits(1...2) else { return .invalid }
    let sign = next
    guard "-/.".utf8.contains(sign) else { return .invalid }
    index += 1
    guard let second = digits(1...2), next == sign else { return .invalid }
    index += 1
    let start = index
    guard let last = digits(4...4) ?? digits(2...2) else { return .invalid }
    let isShort = index - start == 2
    // As in POSIX: 69 to 99 are of the last century.
    let year = isShort ? last + (last < 69 ? 2000 : 1900) : last
    let dayFirst = CalendarDay(year: year, month: second, day: first)
    let monthFirst = CalendarDay(year: year, month: first, day: second)
    func reading(_ day: CalendarDay?) -> DateReading { day.map { .day($0) } ?? .invalid }
    // Points are between the parts of a date where the day comes first.
    if sign == Byte.dot, format == nil || isDecided { return reading(dayFirst) }
    switch format {
    case .dayFirst: return reading(dayFirst)
    case .monthFirst: return reading(monthFirst)
    case .yearFirst:
      guard isShort else { return .invalid }
      return reading(CalendarDay(year: first + (first < 69 ? 2000 : 1900), month: second, day: last))
    case .seconds, .milliseconds, .serial: return .invalid
    case nil: break
    }
    if dayFirst == nil, monthFirst == nil { return .invalid }
    // With a short year, the first part may be the year as well.
    if isShort { return .unclear(dayFirst: nil, monthFirst: nil) }
    return dayFirst == monthFirst ? reading(dayFirst) : .unclear(dayFirst: dayFirst, monthFirst: monthFirst)
  }

  // MARK: Times

  /// The reading of the date before `index`, with the time that follows it.
  private mutating func withTime(_ reading: DateReading) -> DateReading {
    if reading == .invalid || isAtEnd { return reading }
    guard
      skip("T") || skip("t")
        || {
          skip(","); return skip(" ")
        }(), let time = time()
    else { return .invalid }
    _ = skip(" ")
    guard let zone = zone(), isAtEnd else { return .invalid }
    let days = Self.floorDays(time - zone)
    func moved(_ day: CalendarDay?) -> CalendarDay? {
      day.flatMap { CalendarDay(number: Int($0.number) + days) }
    }
    switch reading {
    case .day(let day): return moved(day).map { .day($0) } ?? .invalid
    case .unclear(let dayFirst, let monthFirst):
      return .unclear(dayFirst: moved(dayFirst), monthFirst: moved(monthFirst))
    case .unclearNumber, .invalid: return reading
    }
  }

  private static func floorDays(_ minutes: Int) -> Int { floor(minutes, 1440) }

  /// `10:33`, `10:33:05.123`, `103305`, `10:33 PM`: the minutes since midnight.
  private mutating func time() -> Int? {
    guard var hours = digits(1...2) else { return nil }
    let isExtended = skip(":")
    var minutes = 0
    if isExtended || next &- 0x30 < 10 {
      guard let value = digits(2...2), value < 60 else { return nil }
      minutes = value
      if isExtended ? skip(":") : next &- 0x30 < 10 {
        guard let seconds = digits(2...2), seconds < 61, hours < 24 || seconds == 0 else { return nil }
        if skip(".") || skip(",") { guard digits(1...9) != nil else { return nil } }
      }
    }
    let start = index
    _ = skip(" ")
    if let half = word(["AM", "PM", "a.m.", "p.m."], withPoints: true) {
      guard (1...12).contains(hours) else { return nil }
      hours = hours % 12 + (half % 2 == 0 ? 12 : 0)
    } else {
      index = start
    }
    // The end of a day is the beginning of the next one.
    guard hours < 24 || hours == 24 && minutes == 0 else { return nil }
    return hours * 60 + minutes
  }

  /// `Z`, `+02:00`, `-0800`, `UTC`, `EST`: the minutes before UTC; 0 at the end of the text.
  private mutating func zone() -> Int? {
    if isAtEnd || skip("Z") || skip("z") { return 0 }
    for (name, hours) in Self.zones where skip(name) { return hours * 60 }
    let sign = next
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
    index += 1
    guard let hours = digits(2...2), hours < 24 else { return nil }
    var minutes = 0
    if skip(":") || next &- 0x30 < 10 {
      guard let value = digits(2...2), value < 60 else { return nil }
      minutes = value
    }
    return (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
  }

  private static let zones = [
    ("UTC", 0), ("GMT", 0), ("UT", 0), ("EST", -5), ("EDT", -4), ("CST", -6), ("CDT", -5), ("MST", -7),
    ("MDT", -6),
    ("PST", -8), ("PDT", -7), ("CEST", 2), ("CET", 1),
  ]
  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November",
    "December",
  ]
  private static let weekdays = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  // MARK: Parts

  /// Reads digits, as many as there are up to the end of a range; nil if they are fewer than its start.
  private mutating func digits(_ counts: ClosedRange<Int>) -> Int? {
    var value = 0
    let start = index
    while index < bytes.count, bytes[index] &- 0x30 < 10, index - start < counts.upperBound {
      value = value * 10 + Int(bytes[index] - 0x30)
      index += 1
    }
    if counts.contains(index - start) { return value }
    index = start
    return nil
  }

  @discardableResult
  private mutating func skip(_ text: String) -> Bool {
    guard bytes[index...].starts(with: text.utf8) else { return false }
    index += text.utf8.count
    return true
  }

  /// Reads a word, or its first three letters, ignoring case; its position among `words`, from 1.
  private mutating func word(_ words: [String], withPoints: Bool = false) -> Int? {
    var end = index
    while end < bytes.count, (bytes[end] | 0x20) &- 0x61 < 26 || withPoints && bytes[end] == Byte.dot {
      end += 1
    }
    let found = bytes[index..<end].map { $0 | 0x20 }
    guard found.count > 1 else { return nil }
    for (at, word) in words.enumerated() {
      let letters = word.utf8.map { $0 | 0x20 }
      if found == letters || found.count >= 3 && found.count <= 4 && letters.starts(with: found) {
        index = end
        return at + 1
      }
    }
    return nil
  }
}
