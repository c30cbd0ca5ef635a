// The fast path for tables: records of one line, with or without quotes, from which a number and a label are read,
// eight bytes at a time. It reads a subset of what TableGrammar reads, with the same result; it stops before any other
// record.

import Records

extension TableMachine {
  private struct Field {
    var start = 0
    var end = 0
    /// The index of the separator or line end after it; -1 if the fast path can't read it, or the window ends.
    var stop = -1
  }

  /// The bytes that are searched for, each repeated eight times.
  private struct Marks {
    let separator: UInt64
    let lineEnd: UInt64
    /// The quote, or the line end again if fields are not quoted.
    let quote: UInt64
    /// The quote, or the carriage return, which may end a line alone.
    let restStop: UInt64
    /// After the fields that are needed, line ends are the bytes that are below a limit after an exclusive or: with
    /// quotes, all control characters up to the carriage return, and without, line feeds.
    let restLineEnd: UInt64
    let restLow: UInt64

    init(_ grammar: TableGrammar) {
      separator = WordScan.ones &* UInt64(grammar.separator)
      lineEnd = WordScan.ones &* UInt64(Byte.lineFeed)
      quote = WordScan.ones &* UInt64(grammar.hasQuotes ? TableGrammar.quote : Byte.lineFeed)
      restStop = WordScan.ones &* UInt64(grammar.hasQuotes ? TableGrammar.quote : Byte.carriageReturn)
      restLineEnd = grammar.hasQuotes ? 0 : lineEnd
      restLow = WordScan.ones &* UInt64(grammar.hasQuotes ? Byte.carriageReturn + 1 : 1)
    }

    /// Marks the bytes of a word that equal `one` or `other`; only the lowest mark is exact.
    @inline(__always)
    static func find(_ word: UInt64, _ one: UInt64, _ other: UInt64) -> UInt64 {
      let a = word ^ one
      let b = word ^ other
      return (((a &- WordScan.ones) & ~a) | ((b &- WordScan.ones) & ~b)) & WordScan.highs
    }

    /// Marks line feeds, carriage returns and quotes, and some control characters; only the lowest mark is exact.
    @inline(__always)
    func findRest(_ word: UInt64) -> UInt64 {
      let stop = word ^ restStop
      let low = word ^ restLineEnd
      return (((stop &- WordScan.ones) & ~stop) | ((low &- restLow) & ~low)) & WordScan.highs
    }
  }

  /// The column of dates that are read here; -1 for none. In a list that `emit` wrote, they may be missing.
  private var dateColumn: Int { columns.mayLackFields ? -1 : columns.date }

  /// Reads records from `start` on, and returns the index after the last one.
  mutating func fastRows(
    _ window: Span<UInt8>, from start: Int, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    let raw = unsafe window.bytes
    let count = window.count
    let grammar = grammar
    let marks = Marks(grammar)
    let numberColumn = columns.number
    let labelColumn = columns.label
    let dateColumn = dateColumn
    let lastColumn = max(numberColumn, labelColumn, dateColumn)
    let lengthMax = recordBytesMax
    let isLabelNeeded = columns.isLabelChosen
    let width = width
    var at = start
    var lines = 0
    while at + 8 <= count {
      var number = Field()
      var label = Field()
      var date = Field()
      var column = 0
      var index = at
      // Reads up to the last column that is needed.
      while true {
        let field = Self.field(window, raw, index, grammar, marks)
        guard field.stop >= 0 else { break }
        if column == numberColumn { number = field }
        if column == labelColumn { label = field }
        if column == dateColumn { date = field }
        index = field.stop
        if column == lastColumn || window[index] == Byte.lineFeed { break }
        column += 1
        index += 1
      }
      guard number.end > number.start, dateColumn < 0 || date.stop >= 0 else { break }
      if labelColumn >= 0, label.stop < 0 {
        // A label that was only guessed may be missing; the number alone then ends the record.
        guard !isLabelNeeded, number.stop == index, window[index] == Byte.lineFeed else { break }
        label = Field(start: index, end: index, stop: index)
      }
      let end = Self.lineEnd(window, raw, index, grammar, marks)
      guard end >= 0, end - at <= lengthMax else { break }
      if width > 0, window[index] != Byte.lineFeed,
        Self.separators(window, raw, from: index, to: end, marks.separator) > width - 1 - column
      {
        break
      }
      if needsEmptyRest, !Self.isEmpty(window, from: index, to: end, grammar) { break }
      guard try addFast(window, raw, number, label, date, &rows) else { break }
      at = end + 1
      lines += 1
    }
    if at > start { rows.countLineFeeds(window, from: start, to: at, lineFeeds: lines) }
    return at
  }

  // MARK: Fields

  /// The field that starts at `start`.
  @inline(__always)
  private static func field(
    _ window: Span<UInt8>, _ raw: RawSpan, _ start: Int, _ grammar: TableGrammar, _ marks: Marks
  ) -> Field {
    let count = window.count
    var first = start
    // A carriage return may end the line before, alone.
    while first < count, window[first] != Byte.carriageReturn, grammar.isPadding(window[first]) { first += 1 }
    guard first + 8 <= count else { return Field() }
    if grammar.hasQuotes, window[first] == TableGrammar.quote {
      return quotedField(window, raw, first, grammar, marks)
    }
    var index = first
    while index + 8 <= count {
      let found = Marks.find(WordScan.word(raw, index), marks.separator, marks.lineEnd)
      if found != 0 {
        index += WordScan.first(found)
        return Field(start: first, end: trimmed(window, raw, first, index, grammar), stop: index)
      }
      index += 8
    }
    return Field()
  }

  private static func quotedField(
    _ window: Span<UInt8>, _ raw: RawSpan, _ start: Int, _ grammar: TableGrammar, _ marks: Marks
  ) -> Field {
    let count = window.count
    var index = start + 1
    while index + 8 <= count {
      let found = Marks.find(WordScan.word(raw, index), marks.quote, marks.lineEnd)
      guard found != 0 else {
        index += 8
        continue
      }
      index += WordScan.first(found)
      guard window[index] == TableGrammar.quote else { return Field() }
      var stop = index + 1
      while stop < count, grammar.isPadding(window[stop]) { stop += 1 }
      guard stop < count, window[stop] == grammar.separator || window[stop] == Byte.lineFeed else {
        return Field()
      }
      return Field(start: start + 1, end: index, stop: stop)
    }
    return Field()
  }

  /// The end of a field without the padding after it.
  @inline(__always)
  private static func trimmed(
    _ window: Span<UInt8>, _ raw: RawSpan, _ start: Int, _ stop: Int, _ grammar: TableGrammar
  ) -> Int {
    var end = stop
    while end > start, grammar.isPadding(window[end - 1]) {
      end -= 1
      // Columns are often padded with blanks.
      while end - start >= 8, WordScan.word(raw, end - 8) == WordScan.ones &* 0x20 { end -= 8 }
    }
    return end
  }

  /// The index of the line end after a field's end; -1 if the fast path can't read a field in between, or the window
  /// ends.
  @inline(__always)
  private static func lineEnd(
    _ window: Span<UInt8>, _ raw: RawSpan, _ start: Int, _ grammar: TableGrammar, _ marks: Marks
  ) -> Int {
    let count = window.count
    if window[start] == Byte.lineFeed { return start }
    var index = start + 1
    while index + 8 <= count {
      let found = marks.findRest(WordScan.word(raw, index))
      guard found != 0 else {
        index += 8
        continue
      }
      index += WordScan.first(found)
      if window[index] == Byte.lineFeed { return index }
      if window[index] < 0x20 {
        // A carriage return ends the line, with a line feed or, in a record for the slow path, alone.
        let isReturn = window[index] == Byte.carriageReturn
        index += 1
        if isReturn, index == count || window[index] != Byte.lineFeed { return -1 }
        continue
      }
      // A quote: it opens a field if only padding precedes it.
      var before = index - 1
      while grammar.isPadding(window[before]) { before -= 1 }
      if window[before] == grammar.separator {
        let field = quotedField(window, raw, index, grammar, marks)
        guard field.stop >= 0 else { return -1 }
        index = field.stop
        if window[index] == Byte.lineFeed { return index }
      }
      index += 1
    }
    return -1
  }

  /// The number of separators from `start` to `end`, also of those in quotes.
  @inline(__always)
  private static func separators(
    _ window: Span<UInt8>, _ raw: RawSpan, from start: Int, to end: Int, _ separators: UInt64
  ) -> Int {
    var count = 0
    var index = start
    while index + 8 <= end {
      let word = WordScan.word(raw, index) ^ separators
      let low = ~WordScan.highs
      count += (~(((word & low) &+ low) | word) & WordScan.highs).nonzeroBitCount
      index += 8
    }
    let separator = UInt8(truncatingIfNeeded: separators)
    while index < end {
      if window[index] == separator { count += 1 }
      index += 1
    }
    return count
  }

  /// Whether the fields between a field's end and the line end are empty.
  private static func isEmpty(
    _ window: Span<UInt8>, from start: Int, to end: Int, _ grammar: TableGrammar
  ) -> Bool {
    var index = start
    while index < end, window[index] == grammar.separator || grammar.isPadding(window[index]) { index += 1 }
    return index == end
  }

  // MARK: Rows

  /// Adds a row; returns false if the fast path can't add it.
  @inline(__always)
  private func addFast(
    _ window: Span<UInt8>, _ raw: RawSpan, _ number: Field, _ label: Field, _ date: Field,
    _ rows: inout RowWriter
  ) throws(Failure) -> Bool {
    let text = window.extracting(number.start..<number.end)
    guard text.count <= RawRowBatch.textBytesMax, window[number.start] != header.mark,
      window[number.start] < header.letterMin,
      Self.isPlain(window, raw, number.start, number.end)
        || Self.isASCII(window, raw, number.start, number.end)
          && !WordScan.contains(Byte.carriageReturn, text, from: 0)
          && !(SpreadsheetNumber.mayNeedConversion(window, raw, from: number.start, endingAt: number.end)
            && SpreadsheetNumber.needsConversion(text))
          && !NumberEntry.isNeeded(text)
    else {
      return false
    }
    var day: CalendarDay?
    if dateColumn >= 0 {
      switch rows.dates.plainVerdict(on: window.extracting(date.start..<date.end)) {
      case .kept(let found): day = found
      case .leftOut: return true
      case nil: return false
      }
    }
    let length = label.end - label.start
    guard rows.labels.isActive, length <= LabelCache.labelBytesMax,
      label.start + LabelCache.windowBytes <= window.count
    else {
      return try addNew(window, text, label, day, &rows)
    }
    let key = unsafe LabelCache.Key(raw, label.start, count: length, day: day)
    let index = rows.labels.find(key)
    if index >= 0, rows.batch.hasCapacity(forText: RawRowBatch.textBytesMax) {
      rows.batch.append(text: text, fieldsIndex: index)
      rows.found += 1
      return true
    }
    guard try addNew(window, text, label, day, &rows) else { return false }
    rows.labels.keep(key, index: rows.lastFields)
    return true
  }

  /// Adds a row whose label was not seen recently.
  private func addNew(
    _ window: Span<UInt8>, _ text: Span<UInt8>, _ label: Field, _ day: CalendarDay?, _ rows: inout RowWriter
  ) throws(Failure) -> Bool {
    if columns.label < 0 {
      if let day { return try rows.addNew(text, fixedLabel.span, day, isASCII: true) }
      try rows.add(text, fixedFields.span)
      return true
    }
    guard label.end - label.start + fixedFields.count <= RecordFields.bytesMax else { return false }
    var seen: UInt8 = 0
    for index in label.start..<label.end {
      let byte = window[index]
      seen |= byte
      // The text form escapes some of these.
      if byte == Byte.backslash || byte < 0x20 { return false }
    }
    return try rows.addNew(text, window.extracting(label.start..<label.end), day, isASCII: seen < 0x80)
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
