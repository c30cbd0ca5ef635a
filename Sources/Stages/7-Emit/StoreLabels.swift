// The labels and kinds that a batch's record fields are in a store, and the batch's way into it.
//
// Not for: files (StoreFile), or how many records a store may have (its targets).

import BasicContainers
import CallRecord
import CallStoreFormat
import CallStoreWriter
import PipeStage

/// What a batch's record fields are in a store: a label without escapes, and a kind.
struct StoreLabels: ~Copyable {
  private let globs: [LabelGlob]
  /// For each record fields of the batch: where its label stands, still escaped, and its kind.
  private var places = UniqueArray<LabelSpan>()
  /// The labels that had escapes, without them.
  private var unescaped: [Int: [UInt8]] = [:]
  /// What they are called in the store that is being written.
  private var names = StoreNames()
  /// The kinds that are known already, for labels that come again and again.
  private var known: [String: StoreKind] = [:]
  /// So many are remembered at the most.
  private static let knownMax = 4096

  init(_ globs: [String]) {
    self.globs = globs.map(LabelGlob.init)
  }

  /// Looks at a batch's record fields.
  mutating func look(at table: borrowing RecordFieldsTable) {
    places.removeAll(keepingCapacity: true)
    if !unescaped.isEmpty { unescaped.removeAll() }
    names.reset(count: table.count)
    let ends = table.textEnds
    if globs.isEmpty, Self.hasOnlyPlainLabels(table.text) {
      Self.setPlainPlaces(&places, ends)
      return
    }
    var start = 0
    for index in 0..<ends.count {
      places.append(place(of: table[index], at: index, start: start))
      start = Int(ends[index])
    }
  }

  /// Labels that stand as they are between the ends of those before them and their own.
  private static func setPlainPlaces(_ places: inout UniqueArray<LabelSpan>, _ ends: Span<UInt32>) {
    places.append(addingCount: ends.count) { output in
      var start = 0
      for index in ends.indices {
        let count = Int(ends[index]) &- start
        output.append(LabelSpan(start: start, count: count, kind: kind(count: count), isPlain: true))
        start &+= count
      }
    }
  }

  /// An empty label is a number that is only blocked.
  private static func kind(count: Int) -> StoreKind { count == 0 ? .blocking : .identification }

  /// Whether record fields are labels and nothing else, none of them escaped: nowhere is a tab or a backslash.
  private static func hasOnlyPlainLabels(_ text: Span<UInt8>) -> Bool {
    let wholeEnd = text.count & ~63
    var at = 0
    while at < wholeEnd {
      // Inside the span, as 64 bytes from `at` on are. No branch, so that the compiler does many bytes at once.
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

  private mutating func place(of recordFields: Span<UInt8>, at index: Int, start: Int) -> LabelSpan {
    let (count, isEscaped) = Self.label(of: recordFields)
    if count == 0 || !isEscaped && globs.isEmpty {
      return LabelSpan(start: start, count: count, kind: Self.kind(count: count), isPlain: true)
    }
    let label = RecordFields.fields(recordFields).label
    if isEscaped { unescaped[index] = Array(label.utf8) }
    return LabelSpan(start: start, count: count, kind: kind(of: label), isPlain: !isEscaped)
  }

  /// How long the label at the start of a record's fields is, and whether there are escapes in it.
  private static func label(of recordFields: Span<UInt8>) -> (count: Int, isEscaped: Bool) {
    let raw = unsafe recordFields.bytes
    var count = 0
    // Eight bytes at a time as long as they hold neither a tab nor a backslash; the last eight over those before them.
    while recordFields.count >= 8, count < recordFields.count {
      let place = min(count, recordFields.count - 8)
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
      if hasByte(word, UInt8(ascii: "\t")) || hasByte(word, UInt8(ascii: "\\")) { break }
      count = place + 8
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

  /// Another store has begun, and what the record fields were called in the last one is of no use.
  mutating func forgetNames() {
    names.reset(count: places.count)
  }

  /// What kind of record the record fields at `index` makes.
  func kind(at index: Int) -> StoreKind { places[index].kind }

  /// The label of the record fields at `index` in the table that was looked at, without escapes.
  func bytes(at index: Int, in table: borrowing RecordFieldsTable) -> [UInt8] {
    let place = places[index]
    if !place.isPlain, let label = unescaped[index] { return label }
    let label = table.text.extracting(place.start..<place.start + place.count)
    return unsafe label.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Appends a record whose record fields stands at `index` in the table that was looked at.
  mutating func append(
    first: UInt64, last: UInt64, _ table: borrowing RecordFieldsTable, _ index: Int, row: UInt64,
    to store: inout StoreFile
  ) throws(StageError) {
    let place = places[index]
    if !place.isPlain, let label = unescaped[index] {
      try store.append(
        first: first, last: last, kind: place.kind, label: label.span, at: index, &names, row: row)
    } else {
      let label = table.text.extracting(place.start..<place.start + place.count)
      try store.append(
        first: first, last: last, kind: place.kind, label: label, at: index, &names, row: row)
    }
  }

  /// Appends the single numbers in `range` of the batch whose record fields were looked at; `row` is that of the
  /// first of them.
  mutating func append(
    singles batch: borrowing RecordBatch, _ range: Range<Int>, row: UInt64, to store: inout StoreFile
  ) throws(StageError) {
    let numbers = batch.firsts.span
    let labels = batch.fieldsIndices.span
    var at = range.lowerBound
    while at < range.upperBound {
      let rest = numbers.extracting(at..<range.upperBound)
      let restLabels = labels.extracting(at..<range.upperBound)
      // A label of its own for each row has no name yet.
      var taken =
        names.isNamed(Int(labels[at])) ? store.append(numbers: rest, labels: restLabels, &names) : 0
      if taken == 0 {
        taken = Self.append(rest, labels: restLabels, batch.fieldsTable, places, &names, to: &store)
      }
      at += taken
      if taken > 0 { continue }
      try append(
        first: numbers[at], last: numbers[at], batch.fieldsTable, Int(labels[at]),
        row: row + UInt64(at - range.lowerBound), to: &store)
      at += 1
    }
  }

  private static func append(
    _ numbers: Span<UInt64>, labels: Span<UInt32>, _ table: borrowing RecordFieldsTable,
    _ places: borrowing UniqueArray<LabelSpan>, _ names: inout StoreNames, to store: inout StoreFile
  ) -> Int {
    let texts = BatchLabels(text: table.text, places: places.span)
    return store.append(numbers: numbers, labels: labels, in: texts, &names)
  }
}
