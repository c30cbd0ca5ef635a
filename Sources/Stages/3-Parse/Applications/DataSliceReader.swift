// The data slices of YetAnotherCallBlocker and Should I Answer: each item is a row. The label is the name of its
// category, and the score the difference of negative and positive votes; in a slice with names, the label is the name.
// Numbers that the slice removes from a list are rejects. A slice declares its end, so slices may follow one another, such
// as the members of an archive, between which `unzip` puts a line feed.
//
// The bytes are read part by part: nothing is allocated for a count that the header contains.

import Records
import SystemIO

extension ParseOptions.Format {
  static let yacb = Self("yacb")
}

extension FormatDescription {
  static let dataSlice = FormatDescription(
    format: .yacb, what: "a data slice of YetAnotherCallBlocker or Should I Answer",
    recognised: "its first 12 bytes", matches: { DataSliceReader.isSlice($0) },
    makeReader: { DataSliceReader($0) },
    signature: Signature(
      kind: "a data slice", bytes: DataSliceReader.signatureBytes, matches: { DataSliceReader.isSlice($0) }))
}

final class DataSliceReader: FormatReader {
  /// The magic and the next two integers, of which one has a byte that is 0.
  static let signatureBytes = 12

  /// The length of the mark at the start of a slice.
  private static let markBytes = 4

  /// The part of a slice that is read next.
  private enum Part {
    case header
    case items(left: Int)
    case name(Int, of: UInt64, left: Int)
    /// The rest of a name that is too long.
    case skippedName(Int, left: Int)
    case divider
    case removals(left: Int)
    case endMark
    /// After a slice: another one may follow.
    case end
    /// After the line feed that follows a slice.
    case endOfLine
  }

  private enum Value: String, CaseIterable {
    case number, category, positive, negative, neutral, score, name

    /// Whether the items of a slice have the value.
    func isIn(_ contents: SliceFormat.Contents) -> Bool {
      contents == .votes ? self != .name : self == .name || self == .number
    }
  }

  private let options: ParseOptions
  private var part = Part.header
  private var contents = SliceFormat.Contents.votes
  private var names: NamedFields
  private var targets: [(value: Value, fields: FieldSet)] = []
  private var isEmpty = true
  private var row: UInt64 = 0
  private var fields = RowFields()

  init(_ setting: ReaderConfiguration) {
    options = setting.options
    names = Self.names(setting.options, .votes)
  }

  func reset() {
    part = .header
    isEmpty = true
    row = 0
  }

  func layout(of start: InputStart) -> InputLayout {
    InputLayout(Self.names(options, SliceFormat.contents(start.bytes.span) ?? .votes), options)
  }

  /// Whether the input may be a slice. Texts can begin with the same letters, but have no byte that is 0.
  static func isSlice(_ start: Span<UInt8>) -> Bool {
    guard start.count >= signatureBytes, SliceFormat.contents(start) != nil else { return false }
    for index in 4..<signatureBytes where start[index] == 0 { return true }
    return false
  }

  private static func names(_ options: ParseOptions, _ contents: SliceFormat.Contents) -> NamedFields {
    contents == .votes
      ? NamedFields(options, number: "number", label: "category", score: "score")
      : NamedFields(options, number: "number", label: "name")
  }

  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int {
    if !window.isEmpty { isEmpty = false }
    var at = 0
    while let next = try readPart(window, at, &rows) { at = next }
    guard isEnd, !isEmpty else { return at }
    switch part {
    case .end where at == window.count, .endOfLine where at == window.count: return at
    case .end, .endOfLine: throw try failure(Self.otherData, &rows)
    default: throw try failure("it ends too early", &rows)
    }
  }

  /// Reads the next part; returns the index after it, or nil if the window ends before that.
  private func readPart(_ window: Span<UInt8>, _ at: Int, _ rows: inout RowWriter) throws(Failure) -> Int? {
    switch part {
    case .header: return try readHeader(window, at, &rows)
    case .items(left: 0): part = .divider
    case .items(let left):
      let count = SliceFormat.itemBytes(contents)
      guard window.count - at >= count else { return nil }
      try readItem(window.extracting(at..<at + count), left: left - 1, &rows)
      return at + count
    case .name(let length, let number, let left):
      guard window.count - at >= length else { return nil }
      part = .items(left: left)
      try addName(window.extracting(at..<at + length), number, &rows)
      return at + length
    case .skippedName(0, let left): part = .items(left: left)
    case .skippedName(let length, let left):
      guard at < window.count else { return nil }
      let count = min(length, window.count - at)
      part = .skippedName(length - count, left: left)
      return at + count
    case .divider:
      guard window.count - at >= 6 else { return nil }
      guard SliceFormat.isDivider(window.extracting(at..<at + 2)) else {
        throw try failure("'CP' is missing after its numbers", &rows)
      }
      part = .removals(left: try count(window, at + 2, &rows))
      return at + 6
    case .removals(left: 0): part = .endMark
    case .removals(let left):
      guard window.count - at >= 8 else { return nil }
      part = .removals(left: left - 1)
      row += 1
      let number = SliceFormat.integer(window, at: at, count: 8)
      try reject(.removed, Self.text(number), &rows)
      return at + 8
    case .endMark:
      guard window.count - at >= 6 else { return nil }
      guard SliceFormat.isEndMark(window.extracting(at..<at + 6)) else {
        throw try failure("its end mark is missing", &rows)
      }
      part = .end
      return at + 6
    case .end where at < window.count && window[at] == UInt8(ascii: "\n"):
      part = .endOfLine
      return at + 1
    case .end, .endOfLine:
      guard window.count - at >= Self.markBytes else { return nil }
      guard SliceFormat.contents(window.extracting(at..<window.count)) != nil else {
        throw try failure(Self.otherData, &rows)
      }
      part = .header
    }
    return at
  }

  private func readHeader(_ window: Span<UInt8>, _ at: Int, _ rows: inout RowWriter) throws(Failure) -> Int? {
    let rest = window.extracting(at..<window.count)
    guard rest.count >= Self.markBytes else { return nil }
    guard let found = SliceFormat.contents(rest) else {
      throw try failure("it does not begin like one", &rows)
    }
    let length = SliceFormat.headerBytes(found)
    guard rest.count >= length else { return nil }
    contents = found
    names = Self.names(options, found)
    let known = Value.allCases.filter { $0.isIn(found) }
    try ChosenFields(options).check(known.map(\.rawValue), rows.input)
    targets = []
    for value in known {
      let fields = names.fields(named: Array(value.rawValue.utf8).span)
      if !fields.isEmpty { targets.append((value, fields)) }
    }
    part = .items(left: try count(rest, length - 4, &rows))
    return at + length
  }

  private func count(_ bytes: Span<UInt8>, _ start: Int, _ rows: inout RowWriter) throws(Failure) -> Int {
    let value = Int32(truncatingIfNeeded: SliceFormat.integer(bytes, at: start, count: 4))
    guard value >= 0 else { throw try failure("a count is negative", &rows) }
    return Int(value)
  }

  // MARK: Rows

  private func readItem(_ item: Span<UInt8>, left: Int, _ rows: inout RowWriter) throws(Failure) {
    row += 1
    let number = SliceFormat.integer(item, at: 0, count: 8)
    if contents == .names {
      let length = try count(item, 8, &rows)
      part = .name(length, of: number, left: left)
      if length > options.recordBytesMax {
        part = .skippedName(length, left: left)
        try reject(.recordTooLong(limit: options.recordBytesMax), Self.text(number), &rows)
      }
      return
    }
    part = .items(left: left)
    let (positive, negative, neutral) = (item[8], item[9], item[10])
    if positive | negative | neutral | item[11] | item[12] == 0 {
      return try reject(.removed, Self.text(number), &rows)
    }
    fields.removeAll()
    for (value, fields) in targets {
      let text =
        switch value {
        case .number, .name: Self.text(number)
        case .category: SliceFormat.categoryName(item[12])
        case .positive: String(positive)
        case .negative: String(negative)
        case .neutral: String(neutral)
        case .score: String(Int(negative) - Int(positive))
        }
      self.fields.set(fields, ContiguousArray(text.utf8))
    }
    try addRow(number, &rows)
  }

  private func addName(_ name: Span<UInt8>, _ number: UInt64, _ rows: inout RowWriter) throws(Failure) {
    fields.removeAll()
    for (value, fields) in targets {
      self.fields.set(
        fields, value == .name ? ContiguousArray(copying: name) : ContiguousArray(Self.text(number).utf8))
    }
    try addRow(number, &rows)
  }

  private func addRow(_ number: UInt64, _ rows: inout RowWriter) throws(Failure) {
    let isInRange = number > 0 && number <= UInt64(Int64.max)
    let reason: ParseReject? = try isInRange ? rows.add(&fields) : .notWhole
    if let reason { try reject(reason, Self.text(number), &rows) }
  }

  private func reject(_ reason: ParseReject, _ text: String, _ rows: inout RowWriter) throws(Failure) {
    try rows.reject(row: row, reason, text: Array(text.utf8).span)
  }

  /// An item's number as text, international.
  private static func text(_ number: UInt64) -> String {
    let value = Int64(bitPattern: number)
    return value < 0 ? String(value) : "+" + String(value)
  }

  /// The rows before the error are valid.
  private func failure(_ reason: String, _ rows: inout RowWriter) throws(Failure) -> Failure {
    try rows.flush()
    return .invalidSlice(reason, input: rows.input)
  }

  private static let otherData = "other data follows its end mark"
}

extension Failure {
  static func invalidSlice(_ reason: String, input: String) -> Failure {
    parse("invalid-slice", "\(InputName.quoted(input)) is not a complete data slice: \(reason)")
  }
}
