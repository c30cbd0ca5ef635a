// The labels and kinds that a batch's annotations are in a store, and the batch's way into it.
//
// Not for: files (StoreFile), or how many records a store may have (its targets).

import BasicContainers
import CallRecord
import CallStoreFormat
import CallStoreWriter
import PipeStage

/// What a batch's annotations are in a store: a label without escapes, and a kind.
struct StoreLabels: ~Copyable {
  private let globs: [LabelGlob]
  /// For each annotation of the batch: its kind, and its label if that had escapes.
  private var kinds: [StoreKind] = []
  private var unescaped: [[UInt8]?] = []
  /// How long its label is, still escaped.
  private var counts: [Int] = []
  /// What they are called in the store that is being written.
  private var names = StoreNames()
  /// The kinds that are known already, for labels that come again and again.
  private var known: [String: StoreKind] = [:]
  /// So many are remembered at the most.
  private static let knownMax = 4096

  init(_ globs: [String]) {
    self.globs = globs.map(LabelGlob.init)
  }

  /// Looks at a batch's annotations.
  mutating func look(at table: borrowing AnnotationTable) {
    kinds.removeAll(keepingCapacity: true)
    unescaped.removeAll(keepingCapacity: true)
    counts.removeAll(keepingCapacity: true)
    names.reset(count: table.count)
    for index in 0..<table.count {
      let annotation = table[index]
      let (count, isEscaped) = Self.label(of: annotation)
      counts.append(count)
      if count == 0 {
        kinds.append(.blocking)
        unescaped.append(nil)
      } else if !isEscaped, globs.isEmpty {
        kinds.append(.identification)
        unescaped.append(nil)
      } else {
        let label = Annotation.fields(annotation).label
        kinds.append(kind(of: label))
        unescaped.append(isEscaped ? Array(label.utf8) : nil)
      }
    }
  }

  /// How long the label at the start of an annotation is, and whether there are escapes in it.
  private static func label(of annotation: Span<UInt8>) -> (count: Int, isEscaped: Bool) {
    let raw = unsafe annotation.bytes
    var count = 0
    // Eight bytes at a time as long as they hold neither a tab nor a backslash; the last eight over those before them.
    while annotation.count >= 8, count < annotation.count {
      let place = min(count, annotation.count - 8)
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: place, as: UInt64.self)
      if hasByte(word, UInt8(ascii: "\t")) || hasByte(word, UInt8(ascii: "\\")) { break }
      count = place + 8
    }
    var isEscaped = false
    while count < annotation.count {
      let byte = annotation[count]
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
    let kind: StoreKind = globs.contains { $0.fits(label) } ? .blocking : .identification
    if known.count < Self.knownMax { known[label] = kind }
    return kind
  }

  /// Another store has begun, and what the annotations were called in the last one is of no use.
  mutating func forgetNames() {
    names.reset(count: kinds.count)
  }

  /// What kind of record the annotation at `index` makes.
  func kind(at index: Int) -> StoreKind { kinds[index] }

  /// The label of the annotation at `index` in the table that was looked at, without escapes.
  func bytes(at index: Int, in table: borrowing AnnotationTable) -> [UInt8] {
    if let label = unescaped[index] { return label }
    let annotation = table[index]
    var bytes: [UInt8] = []
    bytes.reserveCapacity(counts[index])
    for at in 0..<counts[index] { bytes.append(annotation[at]) }
    return bytes
  }

  /// Appends a record whose annotation stands at `index` in the table that was looked at.
  mutating func append(
    first: UInt64, last: UInt64, _ table: borrowing AnnotationTable, _ index: Int, row: UInt64,
    to store: inout StoreFile
  ) throws(PipeFailure) {
    if let label = unescaped[index] {
      try store.append(
        first: first, last: last, kind: kinds[index], label: label.span, at: index, &names, row: row)
    } else {
      let annotation = table[index]
      let label = annotation.extracting(0..<counts[index])
      try store.append(
        first: first, last: last, kind: kinds[index], label: label, at: index, &names, row: row)
    }
  }

  /// Appends the single numbers in `range` of the batch whose annotations were looked at; `row` is that of the
  /// first of them.
  mutating func append(
    singles batch: borrowing RecordBatch, _ range: Range<Int>, row: UInt64, to store: inout StoreFile
  ) throws(PipeFailure) {
    let numbers = batch.firsts.span
    let labels = batch.annotationIndices.span
    var at = range.lowerBound
    while at < range.upperBound {
      // A label of its own for each row has no name yet: there is nothing to take at once.
      if names.isNamed(Int(labels[at])) {
        let rest = at..<range.upperBound
        at += store.append(numbers: numbers.extracting(rest), labels: labels.extracting(rest), &names)
        if at == range.upperBound { return }
      }
      try append(
        first: numbers[at], last: numbers[at], batch.annotations, Int(labels[at]),
        row: row + UInt64(at - range.lowerBound), to: &store)
      at += 1
    }
  }
}

extension RecordBatch {
  /// Whether no record is a range.
  ///
  /// - Complexity: O(records), several at once.
  var isSingles: Bool {
    let firsts = firsts.span
    let lasts = lasts.span
    var spread: UInt64 = 0
    for index in 0..<firsts.count { spread |= firsts[index] ^ lasts[index] }
    return spread == 0
  }
}
