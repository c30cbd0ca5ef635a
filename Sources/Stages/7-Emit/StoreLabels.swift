// The labels and kinds of a batch's record fields in a store, and writing the batch to the store.
//
// Not for: files (StoreFile), or the limits of a store (StoreTarget, ShardTarget).

import BasicContainers
import Records
import CallStoreFormat
import StoreWriting

/// The labels of a batch's record fields in a store, without escapes, and their kinds.
struct StoreLabels: ~Copyable {
  private let globs: [LabelGlob]
  /// For each record fields of the batch: the position of its label, which may have escapes, and its kind.
  private var spans = UniqueArray<LabelSpan>()
  /// The labels that had escapes, without them, by the indices of their record fields.
  private var unescaped: [Int: [UInt8]] = [:]
  /// The names of the labels in the store that is being written.
  private var names = StoreNames()
  /// A cache of the kinds of labels.
  private var known: [String: StoreKind] = [:]
  /// The maximum number of labels in the cache.
  private static let knownMax = 4096

  init(_ globs: [String]) {
    self.globs = globs.map(LabelGlob.init)
  }

  /// Finds the labels and kinds of a batch's record fields.
  mutating func prepare(_ table: borrowing RecordFieldsTable) {
    spans.removeAll(keepingCapacity: true)
    if !unescaped.isEmpty { unescaped.removeAll() }
    names.reset(count: table.count)
    let ends = table.textEnds
    if globs.isEmpty, Self.hasOnlyPlainLabels(table.text) {
      Self.setPlainSpans(&spans, ends)
      return
    }
    var start = 0
    for index in 0..<ends.count {
      spans.append(span(of: table[index], at: index, start: start))
      start = Int(ends[index])
    }
  }

  /// Sets the spans of labels without escapes, each from the end of the previous label to its own end.
  private static func setPlainSpans(_ spans: inout UniqueArray<LabelSpan>, _ ends: Span<UInt32>) {
    spans.append(addingCount: ends.count) { output in
      var start = 0
      for index in ends.indices {
        let count = Int(ends[index]) &- start
        output.append(LabelSpan(start: start, count: count, kind: kind(count: count), isPlain: true))
        start &+= count
      }
    }
  }

  /// The kind of a label with `count` bytes and no pattern: a number without a label is only blocked.
  private static func kind(count: Int) -> StoreKind { count == 0 ? .blocking : .identification }

  /// Whether record fields consist only of labels without escapes: the text has no tabs and no backslashes.
  private static func hasOnlyPlainLabels(_ text: Span<UInt8>) -> Bool {
    let wholeEnd = text.count & ~63
    var at = 0
    while at < wholeEnd {
      // In bounds: there are 64 bytes from `at` on. No branches, so that the compiler can vectorize the loop.
      var marks: UInt8 = 0
      for index in at..<(at &+ 64) { marks |= unsafe mark(text[unchecked: index]) }
      if marks != 0 { return false }
      at &+= 64
    }
    while at < text.count {
      if mark(text[at]) != 0 { return false }
      at &+= 1
    }
    return true
  }

  /// 1 for a tab or a backslash, else 0.
  @inline(__always)
  private static func mark(_ byte: UInt8) -> UInt8 {
    (byte == UInt8(ascii: "\t") ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
  }

  private mutating func span(of recordFields: Span<UInt8>, at index: Int, start: Int) -> LabelSpan {
    let (count, isEscaped) = Self.label(of: recordFields)
    if count == 0 || !isEscaped && globs.isEmpty {
      return LabelSpan(start: start, count: count, kind: Self.kind(count: count), isPlain: true)
    }
    let label = RecordFields.fields(recordFields).label
    if isEscaped { unescaped[index] = Array(label.utf8) }
    return LabelSpan(start: start, count: count, kind: kind(of: label), isPlain: !isEscaped)
  }

  /// The length of the label at the start of a record's fields, and whether it has escapes.
  private static func label(of recordFields: Span<UInt8>) -> (count: Int, isEscaped: Bool) {
    let raw = unsafe recordFields.bytes
    var count = 0
    // Eight bytes at a time, as long as they have no tab and no backslash. The last eight overlap those before them.
    while recordFields.count >= 8, count < recordFields.count {
      let offset = min(count, recordFields.count - 8)
      let word = raw.u64(offset)
      if hasByte(word, UInt8(ascii: "\t")) || hasByte(word, UInt8(ascii: "\\")) { break }
      count = offset + 8
    }
    var isEscaped = false
    while count < recordFields.count {
      let byte = recordFields[count]
      if byte == UInt8(ascii: "\t") { break }
      if byte == UInt8(ascii: "\\") { isEscaped = true }
      count += 1
    }
    return (count, isEscaped)
  }

  /// Whether one of a word's bytes is `byte`.
  @inline(__always)
  private static func hasByte(_ word: UInt64, _ byte: UInt8) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let other = word ^ (ones &* UInt64(byte))
    return (other &- ones) & ~other & (ones &* 0x80) != 0
  }

  private mutating func kind(of label: String) -> StoreKind {
    if let kind = known[label] { return kind }
    let kind: StoreKind = globs.contains { $0.matches(label) } ? .blocking : .identification
    if known.count < Self.knownMax { known[label] = kind }
    return kind
  }

  /// Removes the names of the labels: another store begins.
  mutating func resetNames() {
    names.reset(count: spans.count)
  }

  /// The kind of the records with the record fields at `index`.
  func kind(at index: Int) -> StoreKind { spans[index].kind }

  /// The label of the record fields at `index`, without escapes. `table` is the one that ``prepare(_:)`` was called
  /// with.
  func bytes(at index: Int, in table: borrowing RecordFieldsTable) -> [UInt8] {
    let span = spans[index]
    if !span.isPlain, let label = unescaped[index] { return label }
    let label = table.text.extracting(span.start..<span.start + span.count)
    return unsafe label.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Appends a record with the record fields at `index`. `table` is the one that ``prepare(_:)`` was called with.
  mutating func append(
    first: UInt64, last: UInt64, _ table: borrowing RecordFieldsTable, _ index: Int, row: UInt64,
    to store: inout StoreFile
  ) throws(Failure) {
    let span = spans[index]
    if !span.isPlain, let label = unescaped[index] {
      try store.append(
        first: first, last: last, kind: span.kind, label: label.span, at: index, &names, row: row)
    } else {
      let label = table.text.extracting(span.start..<span.start + span.count)
      try store.append(
        first: first, last: last, kind: span.kind, label: label, at: index, &names, row: row)
    }
  }

  /// Appends the single numbers in `range` of the batch that ``prepare(_:)`` was called for. `row` is the row of the
  /// first one, for messages.
  mutating func append(
    singles batch: borrowing RecordBatch, _ range: Range<Int>, row: UInt64, to store: inout StoreFile
  ) throws(Failure) {
    let numbers = batch.firsts.span
    let labels = batch.fieldsIndices.span
    var at = range.lowerBound
    while at < range.upperBound {
      let rest = numbers.extracting(at..<range.upperBound)
      let restLabels = labels.extracting(at..<range.upperBound)
      // With distinct labels, the next label has no name yet.
      var appended =
        names.isNamed(Int(labels[at])) ? store.append(numbers: rest, labels: restLabels, &names) : 0
      if appended == 0 {
        appended = Self.append(rest, labels: restLabels, batch.fieldsTable, spans, &names, to: &store)
      }
      at += appended
      if appended > 0 { continue }
      try append(
        first: numbers[at], last: numbers[at], batch.fieldsTable, Int(labels[at]),
        row: row + UInt64(at - range.lowerBound), to: &store)
      at += 1
    }
  }

  private static func append(
    _ numbers: Span<UInt64>, labels: Span<UInt32>, _ table: borrowing RecordFieldsTable,
    _ spans: borrowing UniqueArray<LabelSpan>, _ names: inout StoreNames, to store: inout StoreFile
  ) -> Int {
    let texts = BatchLabels(text: table.text, spans: spans.span)
    return store.append(numbers: numbers, labels: labels, in: texts, &names)
  }
}
