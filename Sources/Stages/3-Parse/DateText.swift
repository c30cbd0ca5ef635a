// Recognises dates and times in lists, which are not parts of numbers.

import Records

/// Dates and times of day as lists and logs write them, with a sign between their parts.
enum DateText {
  /// The index after the date or time that begins at `start`, and after what follows it: a time, a zone, a bracket; nil if
  /// none begins there.
  static func end(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
    var index = start
    while index < end, "[(\"".utf8.contains(bytes[index]) { index += 1 }
    guard index < end else { return nil }
    var last: Int?
    if bytes[index] &- 0x30 >= 10 {
      guard let next = wordedStart(bytes, index, end) else { return nil }
      if next.isPart { last = next.index }
      index = next.index
      while index < end, bytes[index].isASCIISpace || bytes[index] == UInt8(ascii: ",") { index += 1 }
    }
    while let next = partEnd(bytes, index, end, isFirst: last == nil) {
      last = next
      index = next
      while index < end, bytes[index].isASCIISpace || "])\",;".utf8.contains(bytes[index]) { index += 1 }
    }
    guard let last else { return nil }
    // `06/12/34 56 78` is a number in pairs; a year of two digits is one only before a whole number or a word.
    let isInside =
      index < end && bytes[index] &- 0x30 < 10 && bytes.skippingDigits(from: index, to: end) - index < 7
    return isInside && last - start <= shortDateBytesMax ? nil : index
  }

  /// The index after a date or a time since 1970 that is written with digits only, and after the blanks between it and a
  /// number: one with a plus sign or a trunk prefix, or after a date, one with more digits. Nil if none begins at `start`.
  static func endOfDigits(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
    let last = bytes.skippingDigits(from: start, to: end)
    let next = bytes.skippingSpace(from: last, to: end)
    guard next > last, next < end else { return nil }
    let isDate = last - start == dateDigits && TableCell.isDate(bytes, start, last)
    guard isDate || TableCell.isSeconds(bytes, start, last) else { return nil }
    let isLonger = isDate && bytes.skippingDigits(from: next, to: end) - next > dateDigits
    return isLonger || "+0".utf8.contains(bytes[next]) ? next : nil
  }

  /// The index of the number after a day and a month, `05.01. 030 1234567`; nil if none begins at `start`. The number has a
  /// plus sign, a trunk prefix or a bracket, and enough digits for a whole one: `01.12 03 04 05` is one number.
  private static func endOfDay(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int? {
    let first = bytes.skippingDigits(from: start, to: end)
    guard 1...2 ~= first - start, first < end, "./-".utf8.contains(bytes[first]) else { return nil }
    let second = bytes.skippingDigits(from: first + 1, to: end)
    guard 1...2 ~= second - first - 1 else { return nil }
    let hasLastMark = second < end && bytes[second] == bytes[first]
    let last = hasLastMark ? second + 1 : second
    let next = bytes.skippingSpace(from: last, to: end)
    guard next > last, next < end, "+0(".utf8.contains(bytes[next]) else { return nil }
    let values = [start..<first, first + 1..<second].map { $0.reduce(0) { 10 * $0 + Int(bytes[$1] &- 0x30) } }
    guard values.allSatisfy({ 1...31 ~= $0 }), values.contains(where: { $0 <= 12 }) else { return nil }
    let digits = digits(bytes, from: next, to: end)
    let isCertain = hasLastMark || second - start < 5
    return digits >= (isCertain ? NumberEnd.digitsMin : NumberEnd.digitsMin + 2) ? next : nil
  }

  /// The number of digits of the number that begins at `start`, with the letters that are written after a hyphen:
  /// `0800-FLOWERS`.
  private static func digits(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    var last = start
    while last < end, NumberText.isCharacter(bytes[last]) { last += 1 }
    var digits = NumberText.contents(bytes, from: start, to: last).digits
    guard last > start, bytes[last - 1] == UInt8(ascii: "-") else { return digits }
    while last < end, bytes[last] &- 0x41 < 26 {
      digits += 1
      last += 1
    }
    return digits
  }

  private static let dateDigits = 8

  /// What a line or a field begins with.
  enum Beginning {
    case noDate
    /// A date or time that no number follows; the index after it.
    case date(Int)
    /// A date or time before a number; the index of the number.
    case number(Int)
  }

  /// Whether the text from `start` to `end` begins with a date or a time.
  static func beginning(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Beginning {
    guard
      let next = Self.end(bytes, from: start, to: end) ?? endOfDigits(bytes, from: start, to: end)
        ?? endOfDay(bytes, from: start, to: end)
    else { return .noDate }
    let isNumber =
      ListMarker.beginsNumber(bytes, next, end)
      && digits(bytes, from: next, to: end) >= TableCell.numberDigitsMin
    return isNumber ? .number(next) : .date(next)
  }

  /// Whether a number after a time in brackets is the sender of a message: `[05/01/24, 10:33:01] +55 11 …: text`.
  static func isBeforeSender(_ bytes: Span<UInt8>, from start: Int, number: Int, to end: Int) -> Bool {
    guard bytes[start] == UInt8(ascii: "["),
      (start..<number).contains(where: { bytes[$0] == UInt8(ascii: ":") }),
      bytes[bytes.trimmedEnd(from: start, to: number) - 1] == UInt8(ascii: "]")
    else { return false }
    let last = NumberEnd.find(bytes, from: number, to: end).end
    return last < end && bytes[last] == UInt8(ascii: ":")
  }

  /// The size of a date with a year of two digits.
  private static let shortDateBytesMax = 8

  /// The end of a date, a time, or a word of a time that begins at `start`.
  private static func partEnd(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, isFirst: Bool) -> Int? {
    var last = start
    while last < end, !bytes[last].isASCIISpace, !"])\",;|".utf8.contains(bytes[last]) { last += 1 }
    guard last > start else { return nil }
    let token = bytes.extracting(start..<last)
    if isTime(token) { return last }
    if !isFirst { return timeWords.contains(token) ? last : nil }
    if isDate(token) { return last }
    return namedMonthEnd(bytes, start, last, end)
  }

  private static let timeWords = WordList([
    "AM", "PM", "A.M.", "P.M.", "UTC", "GMT", "CET", "CEST", "UHR", "H",
  ])

  /// `10:33`, `10:33:05.123`, `10:33:05Z`.
  private static func isTime(_ token: Span<UInt8>) -> Bool {
    let hours = token.skippingDigits(from: 0, to: token.count)
    guard hours == 1 || hours == 2, hours + 2 < token.count, token[hours] == UInt8(ascii: ":") else {
      return false
    }
    let minutes = token.skippingDigits(from: hours + 1, to: token.count)
    guard minutes == hours + 3 else { return false }
    return (minutes..<token.count).allSatisfy {
      token[$0] &- 0x30 < 10 || ":.+-ZzAaPpMmh".utf8.contains(token[$0])
    }
  }

  /// A date with signs, as tables have it, or in Chinese and Japanese.
  private static func isDate(_ token: Span<UInt8>) -> Bool {
    let digits = token.skippingDigits(from: 0, to: token.count)
    guard digits <= 4, digits < token.count else { return digits == 8 && isCompact(token) }
    if digits == 4, token.firstIndex(of: "\u{5E74}") == 4 { return true }
    guard "-./".utf8.contains(token[digits]) else { return false }
    var last = token.count
    // `05.01.`, `2024-01-05:`
    while last > 0, ".:".utf8.contains(token[last - 1]) { last -= 1 }
    guard TableCell.isDate(token, 0, last) else { return false }
    // `20.12.34` is a number in pairs: nothing is dated that far from today.
    let isShortYear = digits < 3 && last <= shortDateBytesMax && last > 2 && token[last - 3] &- 0x30 >= 10
    return !isShortYear || !(UInt8(ascii: "3")...UInt8(ascii: "6")).contains(token[last - 2])
  }

  /// `20240105T103300`: with a time, eight digits are not a number.
  private static func isCompact(_ token: Span<UInt8>) -> Bool {
    token.count > 9 && token[8] == UInt8(ascii: "T") && TableCell.isDate(token, 0, token.count)
  }

  /// The index after `Jan 5` in `Jan 5, 2024` and `Jan  5 10:33:05`, or after `Fri,` before a date.
  private static func wordedStart(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> (
    index: Int, isPart: Bool
  )? {
    var wordEnd = start
    while wordEnd < end, wordEnd - start < 10, (bytes[wordEnd] | 0x20) &- 0x61 < 26 || bytes[wordEnd] >= 0x80
    { wordEnd += 1 }
    guard wordEnd - start >= 2 else { return nil }
    var next = wordEnd
    while next < end, bytes[next].isASCIISpace || ",.".utf8.contains(bytes[next]) { next += 1 }
    guard next > wordEnd, next < end, bytes[next] &- 0x30 < 10 else { return nil }
    if partEnd(bytes, next, end, isFirst: true) != nil { return (next, false) }
    let dayEnd = bytes.skippingDigits(from: next, to: end)
    var year = dayEnd
    while year < end, bytes[year].isASCIISpace || bytes[year] == UInt8(ascii: ",") { year += 1 }
    guard dayEnd - next <= 2, year > dayEnd, year < end else { return nil }
    if let timeEnd = partEnd(bytes, year, end, isFirst: false) { return (timeEnd, true) }
    let yearEnd = bytes.skippingDigits(from: year, to: end)
    return yearEnd - year == 4 && isCentury(bytes, year) ? (yearEnd, true) : nil
  }

  private static func isCentury(_ bytes: Span<UInt8>, _ year: Int) -> Bool {
    bytes.startsIgnoringCase("19", at: year) || bytes.startsIgnoringCase("20", at: year)
  }

  /// The end of `5 Jan 2024` and `5. Januar 2024`, of which the first word ends at `dayEnd`.
  private static func namedMonthEnd(_ bytes: Span<UInt8>, _ start: Int, _ dayEnd: Int, _ end: Int) -> Int? {
    guard bytes.skippingDigits(from: start, to: dayEnd) - start <= 2, dayEnd - start <= 3 else { return nil }
    let month = bytes.skippingSpace(from: dayEnd, to: end)
    var monthEnd = month
    while monthEnd < end, !bytes[monthEnd].isASCIISpace, bytes[monthEnd] != UInt8(ascii: ",") {
      monthEnd += 1
    }
    let contents = NumberText.contents(bytes, from: month, to: monthEnd)
    guard contents.letters > 2, contents.digits == 0 else { return nil }
    var year = monthEnd
    while year < end, bytes[year].isASCIISpace || bytes[year] == UInt8(ascii: ",") { year += 1 }
    let yearEnd = bytes.skippingDigits(from: year, to: end)
    return yearEnd - year == 4 && isCentury(bytes, year) ? yearEnd : nil
  }
}
