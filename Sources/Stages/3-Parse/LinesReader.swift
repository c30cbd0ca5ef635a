// Plain lists: one number per line, optionally with a label after it, and comments after `#`.
//
// A line is one row, one reject, or nothing (if it is blank, a comment, or a header).

import Records
import SystemIO

extension ParseOptions.Format {
  static let lines = Self("lines")
}

extension FormatDescription {
  static let lines = FormatDescription(
    format: .lines, what: "one number per line, optionally followed by a label",
    recognised: "half of the lines start with a number", options: "--source --score --separator --header",
    fieldNames: .none, turn: .last, matches: { Detection.isLines($0) },
    makeReader: { LinesReader($0.options) },
    needsStart: true, hasLines: true)
}

final class LinesReader: FormatReader {
  private let options: ParseOptions
  private var machine: LinesMachine

  init(_ options: ParseOptions) {
    self.options = options
    machine = LinesMachine(options)
  }

  func begin(_ start: InputStart) throws(Failure) {
    machine = LinesMachine(options)
    machine.begin(start)
  }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    try machine.read(window, isEnd, &rows)
  }

  var hasOtherLineEnds: Bool { machine.hasOtherLineEnds }

  var position: ReaderPosition? { machine.isBetweenRecords ? ReaderPosition() : nil }

  func resume(at position: ReaderPosition) -> Bool {
    machine.resume()
    return true
  }

  func layout(of start: InputStart) -> InputLayout {
    var layout = InputLayout(["1", "2"], options)
    if layout.number == nil {
      layout.number = "1"
      layout.label = layout.label ?? "2"
    }
    if start.isWhole, let title = ListSection.title(start.bytes.span) {
      layout.unread.append(.exceptions(title))
    }
    return layout
  }
}

private enum LineField {
  case none, number, label

  init(_ selector: FieldSelector?, default: LineField) {
    switch selector {
    case nil: self = `default`
    case .constant: self = .none
    case .name: self = selector?.position == 1 ? .number : selector?.position == 2 ? .label : .none
    }
  }
}

/// The state between lines, and the loop over them.
struct LinesMachine: ~Copyable {
  private let separator: UInt8?
  private let recordBytesMax: Int
  private let number: LineField
  private let label: LineField
  private let source: LineField
  private let score: LineField
  private let hasFastPath: Bool
  /// Whether a line may be a list of numbers: no field was chosen.
  private let isListAllowed: Bool
  private var mayBeHeader: Bool
  private let isHeaderCertain: Bool
  private var isSkipping = false
  /// Whether a line with other line ends in it was found: they are converted before it is read.
  private(set) var hasOtherLineEnds = false
  /// The comment that the last line left open.
  private var openComment: OpenComment?
  /// The list that the current line is, of which the items before the window have been read.
  private var list: NumberList?
  private var section = ListSection()
  /// Whether the numbers below a heading may be those of another list.
  private var hasSections = true
  /// Whether the list is a comparison, of which some lines are removed.
  private var isComparison = false
  /// The counters before the numbers; nil if there are none, or if they are read line by line.
  private var counters: ListCounters?
  private var row = RowFields()

  init(_ options: ParseOptions) {
    separator = options.separator
    recordBytesMax = options.recordBytesMax
    number = LineField(options.numberField, default: .number)
    label = LineField(options.labelField, default: options.numberField == nil ? .label : .none)
    source = LineField(options.sourceField, default: .none)
    score = LineField(options.scoreField, default: .none)
    mayBeHeader = options.header != .no
    isHeaderCertain = options.header == .yes
    isListAllowed = options.numberField == nil && !options.rowsAreObjects
    hasFastPath =
      number == .number && (label == .label || label == .none) && options.labelField?.constantBytes == nil
      && source == .none && score == .none
      && (options.sourceField?.constantBytes?.count ?? 0) <= Self.constantBytesMax
  }

  /// Examines the start of an input.
  mutating func begin(_ start: InputStart) {
    if number == .number { counters = ListCounters(start.bytes.span) }
    isComparison = number == .number && ListComparison.isIn(start.bytes.span)
    hasSections = !start.isWhole || ListSection.title(start.bytes.span) == nil
  }

  /// Whether the next row starts a line, and is not a header.
  var isBetweenRecords: Bool { !mayBeHeader && isPlain }

  /// Whether a line starts that is read by itself.
  private var isPlain: Bool {
    !isSkipping && openComment == nil && list == nil && !section.isOfOthers && !section.mayBeSigned
      && counters == nil && !isComparison
  }

  /// Continues at the start of a line.
  mutating func resume() {
    mayBeHeader = false
    isSkipping = false
    hasOtherLineEnds = false
    openComment = nil
    list = nil
    section = ListSection()
  }

  /// The maximum size of a constant for the fast path, in bytes.
  private static let constantBytesMax = 4096

  mutating func read(
    _ window: Span<UInt8>, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    var at = 0
    while at < window.count {
      if hasFastPath, !mayBeHeader, isPlain { at = try fastRows(window, from: at, &rows) }
      var end = at
      while end < window.count, window[end] != Byte.lineFeed { end += 1 }
      let isWhole = end < window.count
      if !hasOtherLineEnds, isWhole || isEnd,
        LineTerminators.other(window, from: at, to: end, isList: true) != nil
      {
        hasOtherLineEnds = true
        return at
      }
      if isSkipping {
        isSkipping = !isWhole
        at = isWhole ? end + 1 : end
        continue
      }
      if !isWhole, !isEnd {
        return try unfinishedLine(window, at, end, &rows)
      }
      try line(window, at, end, &rows)
      at = isWhole ? end + 1 : end
    }
    if isEnd, let open = openComment {
      try rows.reject(line: open.place.line, byte: open.place.byte, .unclosedComment, text: open.text.span)
      openComment = nil
    }
    return at
  }

  /// Reads what can be read of a line that the window contains no end of; returns the index after it.
  private mutating func unfinishedLine(
    _ window: Span<UInt8>, _ start: Int, _ end: Int, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    // A carriage return may precede the line's end.
    guard end - start > recordBytesMax + 1, end - start > Reject.textBytesMax else { return start }
    if let open = openComment {
      let close = Self.commentEnd(window, open.block, from: start, to: end)
      if close != nil { openComment = nil }
      return close ?? end - CommentMark.closingBytesMax
    }
    if list == nil { list = list(window, start, end) }
    if let list {
      var last = end
      while last > start, !NumberList.isSeparator(window[last - 1]) { last -= 1 }
      if last > start {
        try list.addRows(window, from: start, to: last, label: 0..<0, &row, &rows)
        return last
      }
      self.list = nil
    }
    try rows.reject(window, from: start, to: end, .recordTooLong(limit: recordBytesMax))
    isSkipping = true
    return end
  }

  /// The list that a line is which is longer than a record may be; nil if it is not one.
  private func list(_ window: Span<UInt8>, _ start: Int, _ end: Int) -> NumberList? {
    guard isListAllowed, !section.isOfOthers else { return nil }
    // The result must not depend on where the window ends.
    let known = window.extracting(0..<min(end, start + NumberList.beginningBytesMax))
    let fields = LineFields.split(known, from: start, to: known.count, separator: separator)
    return NumberList(known, fields, fields.numberEnd(known, separator))
  }

  /// Reads a whole line.
  private mutating func line(
    _ window: Span<UInt8>, _ start: Int, _ lineEnd: Int, _ rows: inout RowWriter
  ) throws(Failure) {
    var end = lineEnd
    if end > start, window[end - 1] == Byte.carriageReturn { end -= 1 }
    if let list {
      self.list = nil
      return try list.addRows(window, from: start, to: end, label: 0..<0, &row, &rows)
    }
    if openComment == nil, hasSections, let heading = ListHeading(window, from: start, to: end) {
      section.note(heading, window, lineStart: start)
    }
    var start = start
    if isComparison, start < end {
      if window[start] == UInt8(ascii: "-") {
        return try rows.reject(window, from: start, to: end, .removed)
      }
      if window[start] == UInt8(ascii: "@") { return }
      if window[start] == UInt8(ascii: "+") { start += 1 }
    }
    guard let start = skipComments(window, from: start, to: end, &rows) else { return }
    if end - start > recordBytesMax {
      guard let list = list(window, start, end) else {
        return try rows.reject(window, from: start, to: end, .recordTooLong(limit: recordBytesMax))
      }
      return try list.addRows(window, from: start, to: end, label: 0..<0, &row, &rows)
    }
    let first = counters?.skip(window, from: start, to: end) ?? start
    let fields = LineFields.split(
      window, from: first, to: end, separator: separator, isNumberFirst: number != .label)
    if !fields.isRow { return }
    if hasNumber(window, fields) { section.noteEntry() }
    noteComment(window, from: fields.commentStart, to: end, &rows)
    let isFirst = mayBeHeader
    mayBeHeader = false
    if isFirst, isHeaderCertain || LineFields.isHeader(window, fields.number) { return }
    if section.isOfOthers, hasNumber(window, fields) {
      return try rows.reject(window, from: start, to: end, .otherList)
    }
    try row(window, start, end, fields, &rows)
  }

  /// Reads a line that is neither a comment nor a header.
  private mutating func row(
    _ window: Span<UInt8>, _ start: Int, _ end: Int, _ lineFields: LineFields, _ rows: inout RowWriter
  ) throws(Failure) {
    var fields = lineFields
    if NumberList.intervalEnd(window, from: fields.number.lowerBound, to: end) != nil {
      return try rows.reject(window, from: start, to: end, .severalNumbers)
    }
    if let reason = fields.reject { return try rows.reject(window, from: start, to: end, reason) }
    if CommonFieldNames.labelsAllowed(window.extracting(fields.lead)) {
      return try rows.reject(window, from: start, to: end, .notBlocked)
    }
    let found = fields.numberEnd(window, separator)
    if isListAllowed, let list = NumberList(window, fields, found) {
      var label = label == .none ? 0..<0 : list.label(window, fields)
      if CommonFieldNames.labelsAllowed(window.extracting(label)) {
        return try rows.reject(window, from: start, to: end, .notBlocked)
      }
      let last = label.isEmpty ? fields.label.upperBound : label.lowerBound
      if label.isEmpty, self.label != .none, !LineFields.isHeader(window, fields.lead) { label = fields.lead }
      return try list.addRows(window, from: fields.number.lowerBound, to: last, label: label, &row, &rows)
    }
    if number != .none, !hasNumber(window, fields) {
      return try rows.reject(window, from: start, to: end, .missingNumber)
    }
    if number == .number {
      if found.follower == .essential {
        return try rows.reject(window, from: start, to: end, .severalNumbers)
      }
      let remark = window.extracting(min(found.end, fields.number.upperBound)..<end)
      let isUnblocked = CommonFieldNames.namesUnblocked(remark) || CommonFieldNames.labelsAllowed(remark)
      fields.endNumber(window, found, separator)
      fields.dropSign(window)
      if isUnblocked || CommonFieldNames.labelsAllowed(window.extracting(fields.label)) {
        return try rows.reject(window, from: start, to: end, .notBlocked)
      }
      if fields.label.isEmpty, !LineFields.isHeader(window, fields.lead) { fields.label = fields.lead }
      let rest = fields.rest
      if !rest.isEmpty {
        // `10115 Berlin 030/1234567`
        if fields.isShort(window) { return try rows.reject(window, from: start, to: end, .severalNumbers) }
        try rows.reject(window, from: rest.lowerBound, to: rest.upperBound, .severalNumbers)
      }
    }
    row.removeAll()
    Self.copyField(number, fields, window, into: &row.number)
    Self.copyField(label, fields, window, into: &row.label)
    Self.copyField(source, fields, window, into: &row.source)
    Self.copyField(score, fields, window, into: &row.score)
    try rows.add(&row, madeOf: window, from: start, to: end)
  }

  /// The start of a line after the comments at its start; nil if nothing else is in it.
  private mutating func skipComments(
    _ window: Span<UInt8>, from start: Int, to end: Int, _ rows: inout RowWriter
  ) -> Int? {
    var at = start
    if let open = openComment {
      guard let close = Self.commentEnd(window, open.block, from: start, to: end) else { return nil }
      openComment = nil
      at = close
    }
    while true {
      let opening = window.skippingSpace(from: at, to: end)
      guard let block = CommentMark.block(window, at: opening) else { return at }
      guard let close = Self.commentEnd(window, block, ofComment: opening, to: end) else {
        openComment = OpenComment(block, window, from: opening, to: end, &rows)
        return nil
      }
      at = close
    }
  }

  /// Notes that a comment after a row does not end in its line.
  private mutating func noteComment(
    _ window: Span<UInt8>, from start: Int, to end: Int, _ rows: inout RowWriter
  ) {
    guard start < end, let block = CommentMark.block(window, at: start),
      Self.commentEnd(window, block, ofComment: start, to: end) == nil
    else { return }
    openComment = OpenComment(block, window, from: start, to: end, &rows)
  }

  /// The index after the comment that begins at `opening`; nil if the line does not contain its end.
  private static func commentEnd(_ window: Span<UInt8>, _ block: Int, ofComment opening: Int, to end: Int)
    -> Int?
  {
    commentEnd(
      window, block, from: opening + CommentMark.blocks[block].opening.utf8CodeUnitCount, to: end)
  }

  /// The index after the sign that ends a comment; nil if the line does not contain it.
  private static func commentEnd(_ window: Span<UInt8>, _ block: Int, from start: Int, to end: Int) -> Int? {
    let closing = CommentMark.blocks[block].closing
    guard start <= end, let at = window.extracting(0..<end).firstIndex(of: closing, from: start) else {
      return nil
    }
    return at + closing.utf8CodeUnitCount
  }

  private static func copyField(
    _ field: LineField, _ fields: LineFields, _ window: Span<UInt8>, into text: inout ContiguousArray<UInt8>
  ) {
    let range =
      switch field {
      case .none: 0..<0
      case .number: fields.number
      case .label: fields.label
      }
    for index in range { text.append(window[index]) }
  }

  private func hasNumber(_ window: Span<UInt8>, _ fields: LineFields) -> Bool {
    let range = number == .label ? fields.label : fields.number
    return NumberText.contents(window, from: range.lowerBound, to: range.upperBound).digits > 0
  }

  // MARK: The fast path

  /// Reads lines that need none of the rules; returns the index after the last line read.
  private mutating func fastRows(
    _ window: Span<UInt8>, from start: Int, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    var (at, lines) = (start, 0)
    while at < window.count, let line = PlainLine(window, from: at, separator: separator),
      line.end - at <= recordBytesMax
    {
      let label = label == .label ? line.label : line.label.lowerBound..<line.label.lowerBound
      guard try rows.addNew(window.extracting(line.number), window.extracting(label), isASCII: false)
      else { break }
      at = line.end + 1
      lines += 1
    }
    if at > start { rows.countLineFeeds(window, from: start, to: at, lineFeeds: lines) }
    return at
  }
}

/// A comment over several lines whose end has not been read.
private struct OpenComment {
  /// The position of its signs in ``CommentMark/blocks``.
  let block: Int
  let place: RecordPosition
  /// The rest of the line in which it begins, at most ``Reject/textBytesMax`` bytes.
  let text: ContiguousArray<UInt8>

  init(_ block: Int, _ window: Span<UInt8>, from start: Int, to end: Int, _ rows: inout RowWriter) {
    self.block = block
    place = rows.place(of: start, in: window)
    text = ContiguousArray(copying: window.extracting(start..<min(end, start + Reject.textBytesMax)))
  }
}

// Splits a line of a plain list into a number, an optional label, and an optional comment.
//
// The number ends
//   - at the chosen separator; or else
//   - at the first tab, comma, semicolon or bar in it, or at a colon followed by white space; or
//   - before white space followed by a word that can't be part of a number.
// A list marker before the number (`1. `, `1) `, `- `, `* `, `• `) is not part of it.
//
// A `#` starts a comment at the start of a line and after white space, except before another `#`, which is a pattern
// (`33162 ######`). Source: samples of lists that people share.

/// The fields of a line, as ranges of the window.
struct LineFields: Equatable {
  /// Whether the line contains anything but white space and a comment.
  var isRow = false
  /// Whether a list marker is before the number.
  private(set) var isListItem = false
  /// Why the line is not a number: it is a date, or begins with one that no number follows, or is something else.
  var reject: ParseReject?
  var number = 0..<0
  var label = 0..<0
  /// What else may be a number of the entry, and is not read.
  private(set) var rest = 0..<0
  /// The words before the number, which are its label if nothing follows it.
  private(set) var lead = 0..<0
  /// The start of the comment after the fields.
  private(set) var commentStart = 0

  /// The end of the fields: a name may be before an address.
  var end: Int { max(number.upperBound, label.upperBound) }

  /// Splits the line from `start` to `end`.
  ///
  /// - Complexity: O(bytes).
  static func split(
    _ bytes: Span<UInt8>, from start: Int, to end: Int, separator: UInt8?, isNumberFirst: Bool = true
  ) -> LineFields {
    var first = bytes.skippingSpace(from: start, to: end)
    guard first < end, bytes[first] != UInt8(ascii: "#"), !CommentMark.begins(bytes, at: first),
      !MarkdownText.begins(bytes, from: first, to: end)
    else { return LineFields() }
    let commentStart = comment(bytes, first, end)
    let last = bytes.trimmedEnd(from: first, to: commentStart)
    let text = first
    first = ListMarker.end(bytes, from: first, to: last)
    var fields = LineFields(
      isRow: true, isListItem: first > text, number: first..<last, label: last..<last,
      commentStart: commentStart)
    if let address = SIPAddress(bytes, from: first, to: last) {
      (fields.number, fields.label) = (address.number, address.name)
      if let other = address.other(bytes, to: last) { fields.rest = other..<last }
      return fields
    }
    if let link = MarkdownLink(bytes, from: first, to: last) {
      fields.number = link.number
      fields.label = bytes.skippingSpace(from: link.end, to: last)..<last
      return fields
    }
    if isNumberFirst, fields.skipDate(bytes, last) || fields.skipWords(bytes, last) { return fields }
    first = bytes.skippingMarks(from: fields.number.lowerBound, to: last)
    let isMarked = first > fields.number.lowerBound
    fields.number = first..<last
    if first == last { return fields }
    // The bars between alternatives do not separate fields.
    if bytes[first] == UInt8(ascii: "(") || bytes[first] == UInt8(ascii: "^"),
      NumberAlternatives.areIn(bytes.extracting(first..<last))
    {
      return fields
    }
    if separator == nil, isMarked, let close = closingMark(bytes, first, last) {
      var next = bytes.skippingSpace(from: close + 1, to: last)
      if next < last, "\t,;|:".utf8.contains(bytes[next]) { next += 1 }
      fields.cut(bytes, at: close, labelAt: next, last)
    } else if let separator {
      var index = first
      while index < last, bytes[index] != separator { index += 1 }
      if index < last { fields.cut(bytes, at: index, labelAt: index + 1, last) }
    } else {
      fields.cutAtWords(bytes, last)
    }
    if isMarked { fields.dropMarks(bytes) }
    return fields
  }

  /// The index of the quote that closes the whole number which begins at `first`; nil if none does.
  private static func closingMark(_ bytes: Span<UInt8>, _ first: Int, _ last: Int) -> Int? {
    var close = first
    while close < last, bytes[close] != bytes[first - 1] { close += 1 }
    guard close < last, NumberText.contents(bytes, from: first, to: close).digits >= NumberEnd.digitsMin
    else { return nil }
    let isEnd = close + 1 == last || bytes[close + 1].isASCIISpace || ",;|:".utf8.contains(bytes[close + 1])
    return isEnd ? close : nil
  }

  /// Ends the number before the quote that closes it.
  private mutating func dropMarks(_ bytes: Span<UInt8>) {
    var end = number.upperBound
    while end > number.lowerBound, "'\"`".utf8.contains(bytes[end - 1]) { end -= 1 }
    number = number.lowerBound..<end
  }

  /// Skips a date at the start of the line, if a number follows; otherwise returns true.
  private mutating func skipDate(_ bytes: Span<UInt8>, _ last: Int) -> Bool {
    switch DateText.beginning(bytes, from: number.lowerBound, to: last) {
    case .noDate: return false
    case .number(let start):
      if DateText.isBeforeSender(bytes, from: number.lowerBound, number: start, to: last) {
        (reject, number, label) = (.unexpectedText, last..<last, last..<last)
        return true
      }
      number = start..<last
      return false
    case .date(let end):
      (reject, number, label) = (.date, end..<end, end..<last)
      return true
    }
  }

  /// Skips the words and the bracket before a number; returns true if what follows them is not one.
  private mutating func skipWords(_ bytes: Span<UInt8>, _ last: Int) -> Bool {
    let start = number.lowerBound
    do throws(ParseReject) {
      if EntryText.isOther(bytes, from: start, to: last) { throw .unexpectedText }
      let first = try EntryText.numberStart(bytes, from: start, to: last)
      if first > start {
        var end = bytes.trimmedEnd(from: start, to: first)
        if end > start, bytes[end - 1] == UInt8(ascii: ":") { end -= 1 }
        lead = start..<end
      }
      number = (bytes[first] == UInt8(ascii: "<") ? first + 1 : first)..<last
      if first == start { skipName(bytes) }
      return false
    } catch {
      (reject, number, label) = (error, last..<last, last..<last)
      return true
    }
  }

  /// Skips the name before a number that is written as one: `Müller 030 2312578`. A number that may be another one without
  /// its words stays as it is: `Fax 123456`.
  private mutating func skipName(_ bytes: Span<UInt8>) {
    let start = number.lowerBound
    guard !number.isEmpty, bytes[start] >= 0x80 || (bytes[start] | 0x20) &- 0x61 < 26 else { return }
    var first = start
    while first < number.upperBound, bytes[first] &- 0x30 >= 10 {
      if ",;|\t:=<@\"".utf8.contains(bytes[first]) { return }
      first += 1
    }
    while first > start, "+(".utf8.contains(bytes[first - 1]) { first -= 1 }
    guard first > start, first < number.upperBound, bytes[first - 1] == 0x20 else { return }
    // Digits of other scripts are in the words.
    guard NumberText.contents(bytes, from: start, to: first).digits == 0 else { return }
    let found = NumberEnd.find(bytes, from: first, to: number.upperBound).end
    let contents = NumberText.contents(bytes, from: first, to: found)
    let isMarked = "+(0".utf8.contains(bytes[first])
    let isGrouped = (first..<found).contains { " -.".utf8.contains(bytes[$0]) }
    guard contents.digits >= NumberEnd.digitsMin, contents.letters == 0, isMarked || isGrouped else { return }
    lead = start..<bytes.trimmedEnd(from: start, to: first)
    number = first..<number.upperBound
  }

  /// The end of the number by what follows it in the line. A chosen separator that is not one of lists ends it, too.
  func numberEnd(_ bytes: Span<UInt8>, _ separator: UInt8?) -> NumberEnd {
    let isWhole = separator.map(NumberList.isSeparator) ?? true
    return NumberEnd.find(bytes, from: number.lowerBound, to: isWhole ? end : number.upperBound)
  }

  /// Ends the number before what does not belong to it, which is the label unless it may be another number: then it is
  /// ``rest``.
  mutating func endNumber(_ bytes: Span<UInt8>, _ found: NumberEnd, _ separator: UInt8?) {
    if found.follower == .digits || found.follower == .number {
      number = number.lowerBound..<min(found.end, number.upperBound)
      rest = found.next..<end
      label = rest.upperBound..<rest.upperBound
      return
    }
    if found.follower == .remark, found.end < number.upperBound {
      number = number.lowerBound..<found.end
      if separator == nil || label.isEmpty { label = found.next..<max(label.upperBound, found.next) }
      // The end of `<+49 30 1234567>`.
      if !label.isEmpty, bytes[label.lowerBound] == UInt8(ascii: ">") {
        label = bytes.skippingSpace(from: label.lowerBound + 1, to: label.upperBound)..<label.upperBound
      }
    }
    endLabel(bytes)
  }

  /// Whether the label begins with the sign of a comment after a quoted number: `"2125550100", // spam`.
  func hasCommentSign(_ bytes: Span<UInt8>) -> Bool {
    !label.isEmpty && number.lowerBound > 0 && "\"'`".utf8.contains(bytes[number.lowerBound - 1])
      && bytes.startsIgnoringCase("//", at: label.lowerBound)
  }

  /// Removes such a sign, and the one of a file of settings: `+12125550100 = Spam`.
  mutating func dropSign(_ bytes: Span<UInt8>) {
    if label.isEmpty { return }
    let isAssigned = bytes[label.lowerBound] == UInt8(ascii: "=") && bytes[number.upperBound] == 0x20
    let count = hasCommentSign(bytes) ? 2 : isAssigned ? 1 : 0
    if count == 0 { return }
    label = bytes.skippingSpace(from: label.lowerBound + count, to: label.upperBound)..<label.upperBound
  }

  /// Whether the number has too few digits for a whole one: before another number, it may be a postal code.
  func isShort(_ bytes: Span<UInt8>) -> Bool {
    NumberText.contents(bytes, from: number.lowerBound, to: number.upperBound).digits < NumberEnd.digitsMin
  }

  /// Ends the label before another number in it.
  private mutating func endLabel(_ bytes: Span<UInt8>) {
    guard
      let other = NumberEnd.otherNumber(bytes, from: label.lowerBound, to: label.upperBound, after: number)
    else { return }
    rest = other..<label.upperBound
    var end = other
    while end > label.lowerBound, bytes[end - 1].isASCIISpace || "([,;:|/\"'".utf8.contains(bytes[end - 1]) {
      end -= 1
    }
    label = label.lowerBound..<end
  }

  static func isHeader(_ bytes: Span<UInt8>, _ number: Range<Int>) -> Bool {
    let name = TableField(start: number.lowerBound, end: number.upperBound).text(bytes)
    return CommonFieldNames.isNumber(name)
  }

  /// Ends the number at `end`, and starts the label at `labelAt`.
  private mutating func cut(_ bytes: Span<UInt8>, at end: Int, labelAt: Int, _ last: Int) {
    number = number.lowerBound..<bytes.trimmedEnd(from: number.lowerBound, to: end)
    label = bytes.skippingSpace(from: labelAt, to: last)..<last
  }

  /// Ends the number at the first word, from left to right, that is not part of it.
  private mutating func cutAtWords(_ bytes: Span<UInt8>, _ last: Int) {
    // `tel:+1-201-555-0123;ext=5` is one number with a semicolon and a colon.
    let isURI = bytes.extracting(number.lowerBound..<last).startsIgnoringCase("TEL:")
    var index = number.lowerBound
    var wordStart = index
    while index < last {
      let byte = bytes[index]
      let isSeparator =
        switch byte {
        case Byte.tab, UInt8(ascii: ","), UInt8(ascii: "|"): true
        case UInt8(ascii: ";"): !isURI
        case UInt8(ascii: ":"): index + 1 < last && bytes[index + 1].isASCIISpace
        default: false
        }
      let separatorBytes = isSeparator ? 1 : byte < 0x80 ? nil : NumberText.separatorLength(bytes, at: index)
      if let separatorBytes {
        // The first word always belongs to the number; other words must look like a part of it.
        if wordStart > number.lowerBound, !belongs(bytes, wordStart, index, last) { break }
        return cut(bytes, at: index, labelAt: index + separatorBytes, last)
      }
      if byte == 0x20 {
        if wordStart > number.lowerBound, !belongs(bytes, wordStart, index, last) { break }
        wordStart = index + 1
      }
      index += 1
    }
    if wordStart > number.lowerBound, !belongs(bytes, wordStart, index, last) {
      var end = bytes.trimmedEnd(from: number.lowerBound, to: wordStart)
      // `+86 138 0013 8000 - name`
      while end - number.lowerBound > 2, bytes[end - 2].isASCIISpace, bytes[end - 1] == UInt8(ascii: "-") {
        end = bytes.trimmedEnd(from: number.lowerBound, to: end - 1)
      }
      cut(bytes, at: end, labelAt: wordStart, last)
    }
  }

  /// Whether a word can be part of a number that is written in several words.
  private func belongs(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ last: Int) -> Bool {
    if NumberText.contents(bytes, from: start, to: end).hasOther {
      return isMask(bytes, start, end) || continues(bytes, start, end)
    }
    guard end - start == 1, bytes[start] | 0x20 == UInt8(ascii: "x") else { return true }
    // A single X is a word, unless it is next to the digits of an extension or to other wildcards.
    return isDigitOrX(bytes, bytes.skippingSpace(from: end, to: last), last)
      || (start >= 2 && isX(bytes, start - 2))
  }

  /// Whether a word with other characters begins with a group that the number lacks, so that it ends inside the word:
  /// `030 1234567!`, `01 23 45 67 89❌`, `(800) 555-TIPS`; but not `110 3mal`.
  private func continues(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    let groupEnd = bytes.skippingDigits(from: start, to: bytes.count)
    let group = groupEnd - start
    let before = NumberText.contents(bytes, from: number.lowerBound, to: start).digits
    // Where a number in digits of another script ends, what follows it decides.
    if group == 0 {
      return before < Self.groupedDigitsMax
        && NumberText.scalar(bytes, at: start, end: end).map { NumberText.isDigit($0.0) } ?? false
    }
    // Letters for the digits that a North American number lacks.
    let word = NumberText.contents(bytes, from: start, to: end)
    if group == 3, bytes[groupEnd] == UInt8(ascii: "-"),
      before + word.digits + word.letters == vanityDigits(bytes)
    {
      return true
    }
    if before < NumberEnd.digitsMin, group >= 3, before + group > NumberEnd.digitsMin { return true }
    var last = start
    while last > number.lowerBound, bytes[last - 1].isASCIISpace { last -= 1 }
    var first = last
    while first > number.lowerBound, bytes[first - 1] &- 0x30 < 10 { first -= 1 }
    let isLetter = groupEnd < bytes.count && (bytes[groupEnd] | 0x20) &- 0x61 < 26
    if group > 1, group == last - first, before + group <= Self.groupedDigitsMax, !isLetter { return true }
    // The last digits of a number in short groups, before a sign: `1 800 555 0147!`.
    let isSign =
      groupEnd == bytes.count
      || NumberText.scalar(bytes, at: groupEnd, end: bytes.count).map { !NumberText.isLetter($0.0) } ?? false
    return isSign && group > 0 && last - first < NumberEnd.digitsMin - 1 && before >= NumberEnd.digitsMin
      && before + group <= Self.groupedDigitsMax
  }

  private func vanityDigits(_ bytes: Span<UInt8>) -> Int {
    bytes[number.lowerBound] == UInt8(ascii: "+") || bytes[number.lowerBound] == UInt8(ascii: "1") ? 11 : 10
  }

  /// The maximum number of digits of a national number in groups of the same size.
  private static let groupedDigitsMax = 12

  /// Whether a word has only wildcards of other systems, so that it continues a number: `____`, `%`, `□□`, `…`, and the
  /// Cyrillic letter that looks like an X: `ХХХ-ХХ-ХХ`.
  private func isMask(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    var index = start
    var khas = 0
    while index < end {
      guard let (scalar, length) = NumberText.scalar(bytes, at: index, end: end) else { return false }
      switch scalar {
      case "_", "%", "\u{FF3F}", "\u{FF05}", "\u{2026}": break
      case "\u{425}", "\u{445}": khas += 1
      case "-" where khas > 1: break
      default: guard scalar.value >= 0x80, Wildcard.ascii(scalar) == UInt8(ascii: "#") else { return false }
      }
      index += length
    }
    return khas != 1
  }

  private func isDigitOrX(_ bytes: Span<UInt8>, _ index: Int, _ last: Int) -> Bool {
    guard index < last else { return false }
    if bytes[index] &- 0x30 < 10 { return true }
    // Not the start of another word.
    return isX(bytes, index) && (index + 1 == last || isX(bytes, index + 1) || bytes[index + 1].isASCIISpace)
  }

  private func isX(_ bytes: Span<UInt8>, _ index: Int) -> Bool { bytes[index] | 0x20 == UInt8(ascii: "x") }

  /// The start of the line's comment; the end of the line if it has none. Signs of programming languages are comments
  /// after the number only.
  private static func comment(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var index = start + 1
    var isInNumber = true
    while index < end {
      if isInNumber, bytes[index - 1].isASCIISpace, CommentMark.beginsAfterNumber(bytes, at: index) {
        return index
      }
      isInNumber = isInNumber && NumberText.isCharacter(bytes[index])
      if bytes[index] == UInt8(ascii: "#"), bytes[index - 1].isASCIISpace,
        index + 1 == end || bytes[index + 1] != UInt8(ascii: "#")
      {
        return index
      }
      index += 1
    }
    return end
  }
}

/// The markers that people and editors write before the entries of a list.
enum ListMarker {
  /// The maximum number of digits in an entry's number.
  private static let digitsMax = 6
  /// The minimum number of digits in a number that follows an entry's number: `01. 23` is part of a number.
  private static let numberDigitsMin = 5

  /// The index after the marker at `start` and the white space that follows it; `start` if there is none.
  ///
  /// `01. 23. 45. 67. 89` and `030) 1234567` are numbers, not entries: a marker is not followed by another such marker,
  /// and an entry's number before a bracket has no leading zero.
  static func end(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    guard start < end else { return start }
    var index = bytes.skippingDigits(from: start, to: end)
    let digits = index - start
    if digits > 0 {
      guard digits <= digitsMax, index < end else { return start }
      let mark = bytes[index]
      let isMark = mark == UInt8(ascii: ")") || mark == UInt8(ascii: ":")
      let number = bytes.skippingSpace(from: index + 1, to: end)
      // `030. 1234567` is a number.
      let isCode =
        bytes[start] == UInt8(ascii: "0") && (mark != UInt8(ascii: ".") || !isWhole(bytes, number, end))
      guard mark == UInt8(ascii: ".") || isMark, !isCode, number > index + 1,
        beginsNumber(bytes, number, end),
        hasNumber(bytes, number, end, mark)
      else { return countEnd(bytes, from: start, to: end) }
      return number
    }
    switch bytes[start] {
    case UInt8(ascii: "-"), UInt8(ascii: "*"): index = start + 1
    // The bullet and the two long dashes: U+2022, U+2013, U+2014.
    case 0xE2
    where start + 2 < end && bytes[start + 1] == 0x80 && [0xA2, 0x93, 0x94].contains(bytes[start + 2]):
      index = start + 3
    default: return countEnd(bytes, from: start, to: end)
    }
    let number = bytes.skippingSpace(from: index, to: end)
    guard number > index, number < end else { return start }
    return beginsNumber(bytes, number, end) || "[~".utf8.contains(bytes[number]) ? number : start
  }

  /// The index of a whole number after a count or a counter, `3x 0171 1234567`, `(3) 338 1234567`, `#3 …`, `１．…`; `start` if
  /// there is none.
  private static func countEnd(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    let hasBracket = bytes[start] == UInt8(ascii: "(")
    let isCounter = bytes[start] == UInt8(ascii: "#")
    let first = hasBracket || isCounter ? start + 1 : start
    guard first < end, bytes[first] != UInt8(ascii: "0") else { return start }
    var index = first
    while index < end, let (scalar, length) = NumberText.scalar(bytes, at: index, end: end),
      NumberText.isDigit(scalar)
    { index += length }
    guard index > first, index < end,
      NumberText.contents(bytes, from: first, to: index).digits <= (hasBracket ? 1 : 2)
    else { return start }
    var next = index
    // `(1) 212 555 0100`, `(8) 495 …`
    var isCode = false
    if hasBracket {
      guard bytes[index] == UInt8(ascii: ")") else { return start }
      isCode = "178".utf8.contains(bytes[first])
      next = index + 1
    } else if !isCounter {
      let sign = bytes.skippingSpace(from: index, to: end)
      guard let mark = countMarks.first(where: { bytes.startsIgnoringCase($0, at: sign) }) else {
        return start
      }
      next = sign + mark.utf8CodeUnitCount
    }
    let number = bytes.skippingSpace(from: next, to: end)
    // `１．０３` has no blank.
    let isApart = number > next || bytes[next - 1] >= 0x80
    return isApart && isWhole(bytes, number, end) && !(isCode && bytes[number] &- 0x31 < 9) ? number : start
  }

  private static let countMarks: [StaticString] = ["X", "\u{D7}", "\u{FF0E}", "\u{FF09}", "\u{3001}"]

  /// Whether a number begins at `start` that is whole: with a plus sign, a trunk prefix or an area code, or long enough.
  private static func isWhole(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
    guard start < end, beginsNumber(bytes, start, end) else { return false }
    let digits = NumberText.contents(bytes, from: start, to: end).digits
    return digits >= wholeDigitsMin || digits >= NumberEnd.digitsMin && "+(0".utf8.contains(bytes[start])
  }

  private static let wholeDigitsMin = 10

  static func beginsNumber(_ bytes: Span<UInt8>, _ index: Int, _ end: Int) -> Bool {
    guard index < end else { return false }
    switch bytes[index] {
    case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "("): return true
    // `tel:`, and digits of other scripts.
    case UInt8(ascii: "t"), 0x80...0xFF: return true
    // Code in Markdown.
    case UInt8(ascii: "`"): return true
    default: return false
    }
  }

  /// Whether enough digits follow, without another mark that precedes white space.
  private static func hasNumber(_ bytes: Span<UInt8>, _ start: Int, _ end: Int, _ mark: UInt8) -> Bool {
    var digits = 0
    var brackets = 0
    var index = start
    while index < end, NumberText.isCharacter(bytes[index]) {
      let byte = bytes[index]
      if byte &- 0x30 < 10 { digits += 1 }
      if byte == UInt8(ascii: "(") { brackets += 1 }
      if byte == mark, index + 1 < end, bytes[index + 1].isASCIISpace {
        if byte == UInt8(ascii: "."), digits < numberDigitsMin { return false }
        if byte == UInt8(ascii: ")"), brackets == 0 { return false }
      }
      index += 1
    }
    // Digits of other scripts are not counted here.
    return digits >= numberDigitsMin
      || (index < end && (bytes[index] >= 0x80 || bytes[index] == UInt8(ascii: "t")))
  }
}
