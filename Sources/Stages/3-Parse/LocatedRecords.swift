// The records of an input with their places, for a command that copies the input and adds to each record: where each
// ends, and the text of its number, or why it has none. The numbers are those that `parse` finds, by the same readers.

package import BasicContainers
package import Records
import Synchronization
import SystemIO

/// Consecutive records of an input, with the texts of their numbers. Filled by a ``RecordLocator``.
package struct LocatedRecords: ~Copyable {
  package struct Record {
    package enum RecordKind {
      /// A record with a number, whose text is the next one of ``texts``.
      case number
      /// A record without a number that can be used.
      case reject
      case header
      /// What is copied as it is: blank lines, comments, titles, parts of long lines.
      case other
    }

    package var kind: RecordKind
    /// The index of the reason in ``reasons``.
    package var reason: UInt8 = 0
    /// The number of cells that it lacks; in JSON, 1 for an object without members.
    package var missing: Int32 = 0
    /// The index in the window at which its text ends: cells and members are added there.
    package var end: Int32
    /// The index after its line end, where the next record starts.
    package var next: Int32

    init(_ kind: RecordKind, end: Int, next: Int, missing: Int = 0, reason: UInt8 = 0) {
      self.kind = kind
      self.end = Int32(end)
      self.next = Int32(next)
      self.missing = Int32(clamping: missing)
      self.reason = reason
    }
  }

  /// The records, one after another, without gaps.
  package private(set) var records = RigidArray<Record>(capacity: RawRowBatch.rowsMax)
  /// The texts of the numbers.
  package private(set) var texts = RawRowBatch()
  /// The codes of the reasons why records have no number.
  package private(set) var reasons: [String] = []
  private let noFields: Int

  package init() { noFields = texts.fieldsTable.intern(ContiguousArray<UInt8>().span) ?? 0 }

  package mutating func removeAll() {
    records.removeAll()
    texts.removeAll()
    _ = texts.fieldsTable.intern(ContiguousArray<UInt8>().span)
  }

  /// Whether any record fits.
  var hasCapacity: Bool {
    records.freeCapacity > 0 && texts.hasCapacity(forText: RawRowBatch.textBytesMax)
  }

  mutating func append(_ record: Record) { records.append(record) }

  @inline(__always)
  mutating func append(number: Span<UInt8>, end: Int, next: Int, missing: Int) {
    texts.append(text: number, fieldsIndex: noFields)
    records.append(Record(.number, end: end, next: next, missing: missing))
  }

  /// Adds a record without a number.
  mutating func append(reason code: String, end: Int, next: Int, missing: Int = 0) {
    let index = reasons.firstIndex(of: code) ?? reasons.count
    // There are fewer codes than values of a byte.
    if index == reasons.count { reasons.append(code) }
    records.append(Record(.reject, end: end, next: next, missing: missing, reason: UInt8(index)))
  }
}

/// Finds the records in the windows of an input.
package protocol RecordLocator: AnyObject {
  /// Finds records at the start of the window until there is no capacity for more, and returns the number of bytes that
  /// they have; 0 if more bytes are needed. The first window has at least the bytes that the format was recognised by.
  func locate(_ window: Span<UInt8>, isEnd: Bool, into found: inout LocatedRecords) throws(Failure) -> Int
  /// The number of lines that can't be added to.
  var unusableLines: UInt64 { get }
}

/// What a reader makes of one record: the texts of its numbers, and the reason if something in it is left out.
struct RecordReading: ~Copyable {
  /// Counts the rows of full batches.
  private final class Overflow: RawRowSink {
    var rows = 0

    func receive(_ batch: inout RawRowBatch) {
      rows += batch.count
      batch.removeAll()
    }

    func finish() {}
  }

  private final class FirstReason: Sendable {
    private let value = Mutex<String?>(nil)

    func note(_ reason: String) { value.withLock { $0 = $0 ?? reason } }
    func take() -> String? { value.withLock { $0.take() } }
  }

  /// What the reader writes to.
  var rows: RowWriter
  private let overflow = Overflow()
  private let reason = FirstReason()
  private var rowsBefore = 0

  init(_ options: ParseOptions, input: String) throws(Failure) {
    let log = try RejectLog { [reason] reject, _ in reason.note(reject.reason.code) }
    rows = RowWriter(
      options: options, input: input, context: StageContext(meter: StageMeter(.parse), rejects: log),
      downstream: overflow)
  }

  /// Begins a record.
  mutating func begin() {
    // The table of record fields is not emptied for each record.
    if !rows.batch.hasCapacity(forText: RawRowBatch.textsBytesMax / 2) { rows.batch.removeAll() }
    overflow.rows = 0
    rowsBefore = rows.batch.count
    _ = reason.take()
  }

  /// Adds the record that was read: with its number, if it has exactly one and nothing in it is left out.
  mutating func end(_ end: Int, next: Int, missing: Int, into found: inout LocatedRecords) {
    let count = overflow.rows + rows.batch.count - rowsBefore
    if let reason = reason.take() {
      found.append(reason: reason, end: end, next: next, missing: missing)
    } else if count == 1 {
      found.append(number: rows.batch[textAt: rows.batch.count - 1], end: end, next: next, missing: missing)
    } else {
      let reason = count == 0 ? ParseReject.missingNumber : .severalNumbers
      found.append(reason: reason.code, end: end, next: next, missing: missing)
    }
  }

  /// The reason of a record whose end is not known yet.
  mutating func takeReason() -> String { reason.take() ?? ParseReject.unexpectedText.code }
}

// MARK: - Tables

/// What precedes the rows of a table: titles and comments, the header, the line below it.
struct TableHead {
  /// The number of its bytes.
  var bytes = 0
  var headerEnd: Int?
  /// The number of fields of the header, or of the first record.
  var fieldCount: Int
  /// Whether all fields of that record are quoted.
  var isQuoted: Bool

  init(_ start: TableStart) {
    (bytes, headerEnd) = (start.skippedBytes, start.headerEnd)
    (fieldCount, isQuoted) = (start.fieldCount, start.isQuoted)
  }

  /// Without anything before the first record, whatever it has. Nil if the start ends inside it, and more may follow.
  init?(firstRecordOf start: InputStart, _ grammar: TableGrammar) {
    let bytes = start.bytes.span
    var fields: [TableField] = []
    let end = grammar.record(
      bytes, from: 0, atEnd: start.isWhole, mayHaveLines: true, fieldsMax: bytes.count, into: &fields)
    if case .cut = end, !start.isWhole, bytes.count < ParseLimits.startBytesMax { return nil }
    fieldCount = max(1, fields.count)
    isQuoted = !fields.isEmpty && fields.allSatisfy(\.isQuoted)
  }
}

/// Finds the records of a table.
final class TableLocator: RecordLocator {
  private var machine: TableMachine
  private var reading: RecordReading
  private let fieldCount: Int
  /// What precedes the rows; nil once it was located.
  private var head: TableHead?
  /// Why the record that is being skipped up to its line end is broken.
  private var brokenReason = ""

  /// `width` is the number of fields that a record may have; 0 for any number. Without a `head`, all records are rows.
  init(
    _ start: TableStart, _ head: TableHead?, _ options: ParseOptions, width: Int, quotesMayBeText: Bool,
    input: String
  ) throws(Failure) {
    machine = TableMachine(
      start.grammar, start.columns.ofNumbers, options, skip: 0, header: start.header, width: width,
      quotesMayBeText: quotesMayBeText, keepsPlaces: true)
    reading = try RecordReading(options, input: input)
    fieldCount = head?.fieldCount ?? start.fieldCount
    self.head = head
  }

  var unusableLines: UInt64 { 0 }

  func locate(
    _ window: Span<UInt8>, isEnd: Bool, into found: inout LocatedRecords
  ) throws(Failure) -> Int {
    var at = 0
    if let head = head.take() { at = locateHead(window, head, &found) }
    while at < window.count, found.hasCapacity {
      if machine.isSkipping {
        let next = locateRest(window, at, isEnd, &found)
        if next == at { break }
        at = next
        continue
      }
      if machine.hasFastPath {
        at = machine.fastRecords(window, from: at, fieldCount: fieldCount, &found)
        if at == window.count || !found.hasCapacity { break }
      }
      reading.begin()
      let next = try machine.record(window, at, isEnd, &reading.rows)
      if next < 0 { break }
      if machine.isSkipping {
        brokenReason = reading.takeReason()
      } else {
        add(window, at, next, &found)
        at = next
      }
    }
    machine.base += UInt64(at)
    return at
  }

  private func locateHead(
    _ window: Span<UInt8>, _ head: TableHead, _ found: inout LocatedRecords
  ) -> Int {
    if let end = head.headerEnd {
      var next = end
      if next < window.count, window[next] == Byte.carriageReturn { next += 1 }
      if next < window.count, window[next] == Byte.lineFeed { next += 1 }
      found.append(LocatedRecords.Record(.header, end: end, next: next))
    }
    found.append(LocatedRecords.Record(.other, end: head.bytes, next: head.bytes))
    return head.bytes
  }

  private func add(_ window: Span<UInt8>, _ start: Int, _ next: Int, _ found: inout LocatedRecords) {
    let record = machine.lastRecord
    let columnCount = machine.width > 0 ? machine.width : fieldCount
    let missing = max(0, columnCount - record.fields)
    switch record.kind {
    case .row: reading.end(record.end, next: next, missing: missing, into: &found)
    case .header: found.append(LocatedRecords.Record(.header, end: record.end, next: next))
    case .blank:
      // In a table of one column, a blank line is a row with an empty cell.
      guard record.fields > 1 || columnCount == 1 else {
        return found.append(LocatedRecords.Record(.other, end: next, next: next))
      }
      found.append(
        reason: ParseReject.missingNumber.code, end: record.end, next: next, missing: missing)
    case .broken: reading.end(Self.lineEnd(window, start, next), next: next, missing: 0, into: &found)
    }
  }

  /// The index of the line end before `next`.
  private static func lineEnd(_ window: Span<UInt8>, _ start: Int, _ next: Int) -> Int {
    var end = next
    if end > start, window[end - 1] == Byte.lineFeed { end -= 1 }
    if end > start, window[end - 1] == Byte.carriageReturn { end -= 1 }
    return end
  }

  /// Locates the rest of a broken record, up to its line end; returns `start` if that requires a longer window.
  private func locateRest(
    _ window: Span<UInt8>, _ start: Int, _ isEnd: Bool, _ found: inout LocatedRecords
  ) -> Int {
    if let next = machine.grammar.lineEnd(window, from: start) ?? (isEnd ? window.count : nil) {
      found.append(reason: brokenReason, end: Self.lineEnd(window, start, next), next: next)
      machine.isSkipping = false
      return next
    }
    // A carriage return may belong to the line end.
    let stop = window[window.count - 1] == Byte.carriageReturn ? window.count - 1 : window.count
    if stop > start { found.append(LocatedRecords.Record(.other, end: stop, next: stop)) }
    return stop
  }
}

extension TableMachine {
  /// Locates records of one line from `start` on, and returns the index after the last one. Like ``fastRows(_:from:_:)``,
  /// it stops before any record that it does not read.
  mutating func fastRecords(
    _ window: Span<UInt8>, from start: Int, fieldCount: Int, _ found: inout LocatedRecords
  ) -> Int {
    var scan = RecordScan(grammar, fieldsMax: columns.number + 1, countsAll: true)
    let separatorsMax = width > 0 ? width - 1 : Int.max
    let columnCount = width > 0 ? width : fieldCount
    var at = start
    while found.hasCapacity {
      let next = scan.read(window, from: at)
      guard next >= 0, scan.end - at <= recordBytesMax, scan.separators >= columns.number,
        scan.separators <= separatorsMax
      else { break }
      let missing = columnCount - scan.separators - 1
      let number = scan.field(columns.number, window)
      if number.start < number.end {
        guard isOneNumber(window, number) else { break }
        found.append(
          number: window.extracting(number.start..<number.end), end: scan.end, next: next,
          missing: max(0, missing))
      } else {
        guard scan.separators > 0, section(window, from: at, to: scan.end) == nil
        else { break }
        found.append(
          reason: ParseReject.missingNumber.code, end: scan.end, next: next, missing: max(0, missing))
      }
      at = next
    }
    return at
  }
}

// MARK: - JSON lines

/// Finds the objects of JSON lines: members can be added before the last brace of each line.
final class JSONLineLocator: RecordLocator {
  private var machine: JSONMachine
  private var reading: RecordReading
  private let lineBytesMax: Int
  /// Whether the rest of a line that is too long is being copied.
  private var isSkipping = false
  private(set) var unusableLines: UInt64 = 0

  init(_ options: ParseOptions, parties: JSONCallParties?, input: String) throws(Failure) {
    machine = JSONMachine(options, parties: parties)
    reading = try RecordReading(options, input: input)
    lineBytesMax = options.recordBytesMax
  }

  func locate(
    _ window: Span<UInt8>, isEnd: Bool, into found: inout LocatedRecords
  ) throws(Failure) -> Int {
    var at = 0
    while at < window.count, found.hasCapacity {
      let lineFeed = LineScan.lineFeed(in: window, from: at)
      let isWhole = lineFeed < window.count || isEnd
      let next = min(lineFeed + 1, window.count)
      if isSkipping || next - at > lineBytesMax {
        if isWhole { unusableLines += 1 }
        isSkipping = !isWhole
        found.append(LocatedRecords.Record(.other, end: next, next: next))
      } else if isWhole {
        try add(window, at, next, &found)
      } else {
        break
      }
      at = next
    }
    return at
  }

  private func add(
    _ window: Span<UInt8>, _ start: Int, _ next: Int, _ found: inout LocatedRecords
  ) throws(Failure) {
    let first = window.skippingSpace(from: start, to: next)
    let end = window.trimmedEnd(from: first, to: next)
    guard end - first >= 2, window[first] == JSONMachine.object, window[end - 1] == UInt8(ascii: "}") else {
      if first < end { unusableLines += 1 }
      return found.append(LocatedRecords.Record(.other, end: next, next: next))
    }
    reading.begin()
    machine.reset()
    _ = try machine.read(window.extracting(first..<end), true, &reading.rows)
    let isEmpty = window.skippingSpace(from: first + 1, to: end) == end - 1
    reading.end(end - 1, next: next, missing: isEmpty ? 1 : 0, into: &found)
  }
}
