// Finds the records of an input in a window of its bytes: lines of JSON, or records of a table, whose quoted fields may
// contain line ends.
//
// A record that the window cuts is examined again when the window has twice as many of its bytes, so that each byte is
// examined a few times at most.
//
// Not for: reading the bytes (MessageReader), or what a record means (MessageRow).

import Records

/// A record of the input, or the first line of one that can't be read.
struct MessageRecord {
  /// The position of its bytes in the window, without the line end.
  var bytes: Range<Int>
  /// The line on which it starts, from 1.
  var line: UInt64
  /// The offset of its first byte in the input, from 0.
  var byte: UInt64
  /// Why it can't be read; nil for a whole record.
  var reject: MessageReject?
}

/// Finds records from window to window.
struct RecordScanner {
  /// The largest number of bytes that are needed to find the end of a record: the record and its line end.
  private static let recordCapacity = MessageReader.recordBytesMax + 2
  /// The byte order mark of UTF-8.
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The number of unused bytes that the window must have before the next search, unless the input ends.
  private(set) var needed = 1
  /// The fields of the last record, if it is one of a table.
  private(set) var fields: [TableField] = []

  private let format: MessageFormat
  private let grammar: TableGrammar
  private var recovery = TableRecovery()
  /// The index of the next record in the window.
  private var at = 0
  /// The offset of the window in the input.
  private var base: UInt64 = 0
  /// The line of the next record.
  private var line: UInt64 = 1
  /// Whether the rest of a rejected line is being skipped.
  private var isSkipping = false

  /// Creates a scanner at the start of an input.
  init(_ format: MessageFormat) {
    self.format = format
    grammar = format == .tsv ? .tabs : TableGrammar(trimsFields: false)
  }

  /// Prepares for a window without the bytes that are no longer needed, and returns how many those are.
  mutating func dropUsed() -> Int {
    let used = at
    base += UInt64(used)
    at = 0
    return used
  }

  /// Finds the next record, which may be empty. Returns nil if that requires a longer window, or at the end of the
  /// input.
  mutating func next(in window: Span<UInt8>, isEnd: Bool) -> MessageRecord? {
    if isSkipping {
      let next = grammar.lineEnd(window, from: at)
      isSkipping = next == nil
      use(window, to: next ?? window.count)
    }
    if at < window.count, let record = record(window, isEnd: isEnd) { return record }
    needed = max(1, min(2 * (window.count - at), Self.recordCapacity))
    return nil
  }

  // MARK: Records

  /// Reads the record at `at`; nil if that requires a longer window.
  private mutating func record(_ window: Span<UInt8>, isEnd: Bool) -> MessageRecord? {
    let limit = min(window.count, at + Self.recordCapacity)
    // A record that fills this space is too long, even if the input ends exactly there: the result must not depend on
    // the sizes of reads.
    let isFull = limit - at == Self.recordCapacity
    let isLast = isEnd && !isFull
    let offset = base + UInt64(at)
    let bytes = window.extracting(0..<limit)
    var start = at
    let end: TableRecordEnd
    switch format {
    case .json: end = Self.line(bytes, from: at, isLast: isLast)
    case .csv, .tsv:
      if offset == 0, Self.startsWithMark(bytes) { start = Self.byteOrderMark.count }
      end = grammar.record(
        bytes, from: start, atEnd: isLast, mayHaveLines: recovery.mayHaveLines(at: offset),
        fieldsMax: .max, into: &fields)
    }
    switch end {
    case .whole(let last, let next):
      if last - start > MessageReader.recordBytesMax {
        return rejected(.tooLong, window, examinedTo: next, isFinal: isFull || isEnd)
      }
      let record = MessageRecord(bytes: start..<last, line: line, byte: offset)
      use(window, to: next)
      return record
    case .broken(_, let place):
      return rejected(.malformed, window, examinedTo: place, isFinal: isFull || isEnd)
    case .cut:
      if !isFull, !isLast { return nil }
      return rejected(isFull ? .tooLong : .malformed, window, examinedTo: limit, isFinal: true)
    }
  }

  /// Finds the end of the line at `start`.
  private static func line(_ bytes: Span<UInt8>, from start: Int, isLast: Bool) -> TableRecordEnd {
    let lineFeed = LineScan.lineFeed(in: bytes, from: start)
    if lineFeed == bytes.count, !isLast { return .cut(inQuotes: false) }
    return .whole(
      end: textEnd(bytes, from: start, lineEnd: lineFeed), next: min(lineFeed + 1, bytes.count))
  }

  /// The end of a line's text: before the carriage return of its line end.
  private static func textEnd(_ bytes: Span<UInt8>, from start: Int, lineEnd: Int) -> Int {
    lineEnd > start && bytes[lineEnd - 1] == Byte.carriageReturn ? lineEnd - 1 : lineEnd
  }

  /// Rejects the record at `at`: reading resumes at the line after its first line. Returns nil if that line is cut,
  /// unless the window is final: then it is long enough for the reject's text.
  private mutating func rejected(
    _ reason: MessageReject, _ window: Span<UInt8>, examinedTo end: Int, isFinal: Bool
  ) -> MessageRecord? {
    let lineFeed = LineScan.lineFeed(in: window, from: at)
    let hasLineEnd = lineFeed < window.count
    if !hasLineEnd, !isFinal { return nil }
    let offset = base + UInt64(at)
    recovery.noteReject(from: offset, examinedTo: base + UInt64(end))
    let record = MessageRecord(
      bytes: at..<Self.textEnd(window, from: at, lineEnd: lineFeed), line: line, byte: offset, reject: reason)
    use(window, to: hasLineEnd ? lineFeed + 1 : lineFeed)
    isSkipping = !hasLineEnd
    return record
  }

  /// Moves to the index `next` in the window, and counts the lines before it.
  private mutating func use(_ window: Span<UInt8>, to next: Int) {
    let bytes = window.extracting(0..<next)
    while let lineEnd = grammar.lineEnd(bytes, from: at) {
      at = lineEnd
      line += 1
    }
    at = next
  }

  private static func startsWithMark(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= byteOrderMark.count else { return false }
    return byteOrderMark.indices.allSatisfy { bytes[$0] == byteOrderMark[$0] }
  }
}
