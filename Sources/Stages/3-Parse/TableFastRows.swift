// The fast path for tables: records of one line, with or without quotes, from which a number, a label and a date are
// read. It reads a subset of what TableReader reads otherwise, with the same result; it stops before any other record.

import Records

extension TableMachine {
  /// The column of dates that are read here; -1 for none. In a list that `emit` wrote, they may be missing.
  private var dateColumn: Int { columns.mayLackFields ? -1 : columns.date }

  /// The number of fields whose positions are needed.
  private var fastFields: Int { max(columns.number, columns.label, dateColumn) + 1 }

  /// Reads records from `start` on, and returns the index after the last one.
  func fastRows(
    _ window: Span<UInt8>, from start: Int, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    let fields = fastFields
    var scan = RecordScan(grammar, fieldsMax: fields, countsAll: width > 0)
    let neededColumn = max(columns.number, dateColumn, columns.isLabelChosen ? columns.label : -1)
    let separatorsMax = width > 0 ? width - 1 : Int.max
    var at = start
    // The line feeds from `counted` to `at`.
    var counted = start
    var lines = 0
    while true {
      let next = scan.read(window, from: at)
      guard next >= 0, scan.end - at <= recordBytesMax, scan.separators >= neededColumn,
        scan.separators <= separatorsMax
      else { break }
      if needsEmptyRest, !scan.isEmpty(window, from: fields) { break }
      let number = scan.field(columns.number, window)
      if number.start == number.end {
        guard !grammar.isBlank(window, from: at, to: scan.end),
          section(window, from: at, to: scan.end) == nil
        else { break }
        rows.countLineFeeds(window, from: counted, to: at, lineFeeds: lines)
        (counted, lines) = (at, 0)
        try rows.reject(window, from: at, to: scan.end, .missingNumber)
      } else {
        guard try addFast(window, scan, number, &rows) else { break }
      }
      at = next
      lines += 1
    }
    if at > counted { rows.countLineFeeds(window, from: counted, to: at, lineFeeds: lines) }
    return at
  }

  /// Adds a row; returns false if the fast path can't add it.
  @inline(__always)
  private func addFast(
    _ window: Span<UInt8>, _ scan: borrowing RecordScan, _ number: RecordScan.Field, _ rows: inout RowWriter
  ) throws(Failure) -> Bool {
    let raw = unsafe window.bytes
    let text = window.extracting(number.start..<number.end)
    guard isOneNumber(window, number) else { return false }
    var day: CalendarDay?
    if dateColumn >= 0 {
      let date = scan.field(dateColumn, window)
      switch rows.dates.plainVerdict(on: window.extracting(date.start..<date.end)) {
      case .kept(let found): day = found
      case .leftOut: return true
      case nil: return false
      }
    }
    guard columns.label >= 0 else {
      if let day { return try rows.addNew(text, fixedLabel.span, day, isASCII: true) }
      try addUnlabelled(window, text, &rows)
      return true
    }
    // A label that was only guessed may be missing.
    let label =
      columns.label <= scan.separators
      ? scan.field(columns.label, window) : RecordScan.Field(start: scan.end, end: scan.end)
    let length = label.end - label.start
    guard rows.labels.isActive, length <= LabelCache.keyedBytesMax,
      label.start + LabelCache.windowBytes <= window.count
    else {
      return try addNew(window, text, label, day, &rows)
    }
    let key = unsafe LabelCache.Key(raw, label.start, count: length, day: day)
    let index = rows.labels.find(key)
    if index >= 0, rows.batch.hasCapacity(forText: RawRowBatch.textBytesMax),
      length <= LabelCache.labelBytesMax
        || rows.batch.hasLabel(window.extracting(label.start..<label.end), at: index)
    {
      rows.batch.append(text: text, fieldsIndex: index)
      rows.found += 1
      return true
    }
    guard try addNew(window, text, label, day, &rows) else { return false }
    rows.labels.keep(key, index: rows.lastFields)
    return true
  }

  /// Adds a row with the fields that all rows have.
  @inline(__always)
  private func addUnlabelled(
    _ window: Span<UInt8>, _ text: Span<UInt8>, _ rows: inout RowWriter
  ) throws(Failure) {
    guard rows.labels.isActive, window.count >= LabelCache.windowBytes else {
      return try rows.add(text, fixedFields.span)
    }
    let key = unsafe LabelCache.Key(window.bytes, 0, count: 0, day: nil)
    let index = rows.labels.find(key)
    if index >= 0, rows.batch.hasCapacity(forText: RawRowBatch.textBytesMax) {
      rows.batch.append(text: text, fieldsIndex: index)
      rows.found += 1
      return
    }
    try rows.add(text, fixedFields.span)
    rows.labels.keep(key, index: rows.lastFields)
  }

  /// Whether a field that is not empty is one number as it is written, and not the name of a column.
  @inline(__always)
  func isOneNumber(_ window: Span<UInt8>, _ number: RecordScan.Field) -> Bool {
    let raw = unsafe window.bytes
    let text = window.extracting(number.start..<number.end)
    // `\N` is a missing value.
    return text.count <= RawRowBatch.textBytesMax && window[number.start] != header.mark
      && window[number.start] < header.letterMin && window[number.start] != Byte.backslash
      && (Self.isPlain(window, raw, number.start, number.end)
        || Self.isASCII(window, raw, number.start, number.end) && Self.hasDigit(text)
          && !(SpreadsheetNumber.mayNeedConversion(window, raw, from: number.start, endingAt: number.end)
            && SpreadsheetNumber.needsConversion(text))
          && !NumberEntry.isNeeded(text))
  }

  /// Adds a row whose label was not seen recently.
  private func addNew(
    _ window: Span<UInt8>, _ text: Span<UInt8>, _ label: RecordScan.Field, _ day: CalendarDay?,
    _ rows: inout RowWriter
  ) throws(Failure) -> Bool {
    guard label.end - label.start + fixedFields.count <= RecordFields.bytesMax else { return false }
    guard let isASCII = Self.plainLabel(window, label) else { return false }
    return try rows.addNew(text, window.extracting(label.start..<label.end), day, isASCII: isASCII)
  }

  /// Whether a label is ASCII; nil if the text form escapes some of its bytes.
  @inline(__always)
  private static func plainLabel(_ window: Span<UInt8>, _ label: RecordScan.Field) -> Bool? {
    let raw = unsafe window.bytes
    var (seen, stops): (UInt64, UInt64) = (0, 0)
    var index = label.start
    while index < label.end, index + 8 <= window.count {
      var word = WordScan.word(raw, index)
      // The bytes after the label become blanks.
      let length = label.end - index
      if length < 8 {
        let after = UInt64.max << (UInt64(truncatingIfNeeded: length) * 8)
        word = word & ~after | after & (WordScan.ones &* 0x20)
      }
      seen |= word
      stops |= LineScan.textStops(word)
      index += 8
    }
    while index < label.end {
      seen |= UInt64(window[index])
      if window[index] == Byte.backslash || window[index] < 0x20 { return nil }
      index += 1
    }
    return stops != 0 ? nil : seen & WordScan.highs == 0
  }

  /// Whether a number is digits only, possibly after a plus sign.
  @inline(__always)
  private static func isPlain(_ window: Span<UInt8>, _ raw: RawSpan, _ start: Int, _ end: Int) -> Bool {
    var index = window[start] == UInt8(ascii: "+") ? start + 1 : start
    // Most have 8 to 16 digits: two words, which may overlap.
    if end - index >= 8, end - index <= 16 {
      let words =
        WordScan.nonDigits(WordScan.word(raw, index)) | WordScan.nonDigits(WordScan.word(raw, end - 8))
      return words == 0
    }
    var others: UInt64 = 0
    while index + 8 <= end {
      others |= WordScan.nonDigits(WordScan.word(raw, index))
      index += 8
    }
    while index < end {
      others |= window[index] &- 0x30 < 10 ? 0 : 1
      index += 1
    }
    return others == 0
  }

  /// Whether a text has a digit, most often one of its first bytes. Without one, it may be the heading of a section.
  @inline(__always)
  private static func hasDigit(_ text: Span<UInt8>) -> Bool {
    for index in text.indices where text[index] &- 0x30 < 10 { return true }
    return false
  }

  @inline(__always)
  private static func isASCII(_ window: Span<UInt8>, _ raw: RawSpan, _ start: Int, _ end: Int) -> Bool {
    var index = start
    var seen: UInt64 = 0
    while index + 8 <= end {
      seen |= WordScan.word(raw, index)
      index += 8
    }
    while index < end {
      seen |= UInt64(window[index])
      index += 1
    }
    return seen & WordScan.highs == 0
  }
}
