// Plain lists: one number per line, optionally with a label after it, and comments after `#`.
//
// A line is one row, one reject, or nothing (if it is blank, a comment, or a header).
//
// Not for: splitting a line into fields (LineFields), tables with quotes or more columns (TableReader).

import Records

extension ParseOptions.Format {
  static let lines = Self("lines")
}

extension FormatDescription {
  static let lines = FormatDescription(
    format: .lines, what: "one number per line, optionally followed by a label",
    recognised: "half of the lines start with a number", options: "--source --score --separator --header",
    fieldNames: .none, turn: .last, matches: { Detection.isLines($0) }, makeReader: { LinesReader($0.options) },
    needsStart: true, hasLines: true)
}

/// The reader for the `lines` format.
final class LinesReader: FormatReader {
  private let options: ParseOptions
  private var machine: LinesMachine

  init(_ options: ParseOptions) {
    self.options = options
    machine = LinesMachine(options)
  }

  func begin(_ start: InputStart) throws(Failure) {
    machine = LinesMachine(options)
  }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    try machine.read(window, isEnd, &rows)
  }

  var position: ReaderPosition? { machine.isBetweenRecords ? ReaderPosition() : nil }

  func resume(at position: ReaderPosition) -> Bool {
    machine.resume()
    return true
  }

  func reset() {}

  func layout(of start: InputStart) -> InputLayout {
    var layout = InputLayout(["1", "2"], options)
    if layout.number == nil {
      layout.number = "1"
      layout.label = layout.label ?? "2"
    }
    return layout
  }
}

/// Which of a line's two fields a field of the row is read from.
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
  /// Whether the next row may be a header.
  private var mayBeHeader: Bool
  private let isHeaderCertain: Bool
  private var isSkipping = false
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
    hasFastPath =
      number == .number && (label == .label || label == .none) && options.labelField?.constantBytes == nil
      && source == .none && score == .none
      && (options.sourceField?.constantBytes?.count ?? 0) <= Self.constantBytesMax
  }

  /// Whether the next row starts a line, and is not a header.
  var isBetweenRecords: Bool { !mayBeHeader && !isSkipping }

  /// Continues at the start of a line.
  mutating func resume() {
    mayBeHeader = false
    isSkipping = false
  }

  /// The maximum size of a constant for the fast path, in bytes.
  private static let constantBytesMax = 4096

  mutating func read(
    _ window: Span<UInt8>, _ isEnd: Bool, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    var at = 0
    while at < window.count {
      if hasFastPath, !mayBeHeader, !isSkipping { at = try fastRows(window, from: at, &rows) }
      var end = at
      while end < window.count, window[end] != Byte.lineFeed { end += 1 }
      let isWhole = end < window.count
      if isSkipping {
        isSkipping = !isWhole
        at = isWhole ? end + 1 : end
        continue
      }
      if !isWhole, !isEnd {
        // A carriage return may precede the line's end.
        guard end - at > recordBytesMax + 1, end - at > Reject.textBytesMax else { return at }
        try rows.reject(window, from: at, to: end, .recordTooLong(limit: recordBytesMax))
        isSkipping = true
        return end
      }
      try line(window, at, end, &rows)
      at = isWhole ? end + 1 : end
    }
    return at
  }

  /// Reads a whole line.
  private mutating func line(
    _ window: Span<UInt8>, _ start: Int, _ lineEnd: Int, _ rows: inout RowWriter
  ) throws(Failure) {
    var end = lineEnd
    if end > start, window[end - 1] == Byte.carriageReturn { end -= 1 }
    if end - start > recordBytesMax {
      return try rows.reject(window, from: start, to: end, .recordTooLong(limit: recordBytesMax))
    }
    let fields = LineFields.split(window, from: start, to: end, separator: separator)
    if !fields.isRow { return }
    let isFirst = mayBeHeader
    mayBeHeader = false
    if isFirst, isHeaderCertain || LineFields.isHeader(window, fields.number) { return }
    row.removeAll()
    Self.copyField(number, fields, window, into: &row.number)
    if number != .none, !hasNumber(window, fields) {
      return try rows.reject(window, from: start, to: end, .missingNumber)
    }
    Self.copyField(label, fields, window, into: &row.label)
    Self.copyField(source, fields, window, into: &row.source)
    Self.copyField(score, fields, window, into: &row.score)
    try rows.add(&row, madeOf: window, from: start, to: end)
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

  /// Reads lines of plain digits, followed by nothing or by a separator and a label without `#`; returns the index
  /// after the last line read.
  private mutating func fastRows(
    _ window: Span<UInt8>, from start: Int, _ rows: inout RowWriter
  ) throws(Failure) -> Int {
    let count = window.count
    let separator = separator
    var at = start
    var lines = 0
    while at < count {
      var end = at
      if window[end] == UInt8(ascii: "+") { end += 1 }
      let digits = end
      while end < count, window[end] &- 0x30 < 10 { end += 1 }
      guard end < count, end > digits, end - at <= Self.fastNumberBytesMax else { break }
      var next = end
      var labelStart = end
      if window[end] != Byte.lineFeed, window[end] != Byte.carriageReturn {
        let isSeparator =
          separator.map { $0 == window[end] }
          ?? (window[end] == Byte.tab || window[end] == UInt8(ascii: ",") || window[end] == UInt8(ascii: ";"))
        guard isSeparator else { break }
        labelStart = end + 1
        next = labelStart
        while next < count, Self.isPlain(window[next]) { next += 1 }
      }
      let labelEnd = next
      if next < count, window[next] == Byte.carriageReturn { next += 1 }
      guard next < count, window[next] == Byte.lineFeed else { break }
      guard labelEnd - labelStart <= Self.fastLabelBytesMax, next - at <= recordBytesMax,
        labelEnd == labelStart || (window[labelStart] != 0x20 && window[labelEnd - 1] != 0x20)
      else { break }
      let labelRange = label == .label ? labelStart..<labelEnd : labelStart..<labelStart
      guard
        try rows.addNew(window.extracting(at..<end), window.extracting(labelRange), isASCII: false)
      else { break }
      at = next + 1
      lines += 1
    }
    if at > start { rows.countLineFeeds(window, from: start, to: at, lineFeeds: lines) }
    return at
  }

  private static let fastNumberBytesMax = 32
  private static let fastLabelBytesMax = 1024

  /// Whether a byte in a label needs no escape and can't start a comment.
  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != UInt8(ascii: "#") && byte != Byte.backslash
  }
}
