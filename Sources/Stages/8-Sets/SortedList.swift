// One list of a set operation, read from any kind of input, with its current record.

import BasicContainers
import Records
import StoreWriting
import SystemIO

/// A sorted list: a list of any kind (see ``ListRecords``), the output of the previous stage, or records that
/// a merge has spooled.
///
/// Call `advance` before reading the first record. Memory: one read buffer and one batch; for a Live Caller ID Lookup
/// directory, the buffers of its shards.
struct SortedList: ~Copyable {
  /// The list's name as the user typed it.
  let name: String
  private let meter: StageMeter
  /// The records; nil if they come from the previous stage.
  private var source: ListRecords?
  /// The order check; nil for spooled records, which may be in any order that a merge outputs.
  private var order: ListOrder?
  private let counts: Bool
  /// The batch that was read last.
  private(set) var batch = RecordBatch()
  /// The index of the current record in the batch.
  private(set) var at = 0
  /// The number of records that the previous stage has fed so far.
  private var recordsFed: UInt64 = 0

  /// The first number of the current record; `.max` after the last record.
  private(set) var first: UInt64 = 0
  /// The last number of the current record; `.max` after the last record.
  private(set) var last: UInt64 = 0
  /// Whether a fed list needs the next batch of the previous stage; until then there is no current record.
  private(set) var isDry = false

  /// Opens a list, or creates one that is fed by the previous stage. With `counts`, its records count as rows in; with
  /// `expectsSize`, the bytes of a file count as bytes that are expected.
  init(
    _ name: String, _ context: StageContext, _ demand: ListOrder.Demand, _ badLines: TextRecords.BadLines,
    counts: Bool, isFed: Bool = false, expectsSize: Bool = true
  ) throws(Failure) {
    // Everything that can fail comes before the first property is set; see OutputFile.
    var opened: ListRecords?
    if !isFed { opened = try ListRecords(name, context, badLines, expectsSize: expectsSize) }
    self.name = name
    meter = context.meter
    source = consume opened
    order = ListOrder(context.stage, demand)
    self.counts = counts
  }

  /// Reads the records that a merge has spooled. They were counted when their lists were read.
  init(_ spool: SpooledText, _ context: StageContext) {
    name = spool.directory
    meter = context.meter
    source = ListRecords(spool, context)
    order = nil
    counts = false
  }

  /// Whether the records come from the previous stage.
  var isFed: Bool { source == nil }

  var recordFields: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { batch[fieldsAt: at] }
  }

  /// Sends the record at the front.
  borrowing func send(to output: inout RecordOutput) throws(Failure) {
    try output.send(first: first, last: last, recordFields)
  }

  @inline(__always)
  mutating func advance() throws(Failure) {
    at += 1
    if at < batch.count {
      first = batch.firsts[at]
      last = batch.lasts[at]
    } else {
      try refill()
    }
  }

  /// Advances to the first record of the next batch. For callers that have processed the whole batch.
  mutating func nextBatch() throws(Failure) { try refill() }

  /// Swaps in the next batch of the previous stage, which gets an empty one back.
  mutating func feed(_ more: inout RecordBatch) throws(Failure) {
    recordsFed += UInt64(batch.count)
    batch.removeAll()
    swap(&batch, &more)
    try order?.check(batch, of: name, from: recordsFed + 1)
    count()
    isDry = batch.isEmpty
    show()
  }

  /// Ends a fed list: the previous stage has no more records.
  mutating func endFeeding() {
    batch.removeAll()
    isDry = false
    end()
  }

  private mutating func refill() throws(Failure) {
    if isFed {
      isDry = true
      return
    }
    batch.removeAll()
    guard try source?.next(&batch) == true else { return end() }
    try order?.check(batch, of: source?.part ?? name, from: source?.firstRow ?? 1)
    count()
    show()
  }

  private func count() {
    if counts { meter.rowsIn.add(batch.count) }
  }

  private mutating func show() {
    at = 0
    guard !batch.isEmpty else { return }
    first = batch.firsts[0]
    last = batch.lasts[0]
  }

  private mutating func end() {
    at = 0
    first = .max
    last = .max
  }
}

// Checks a list's order: ascending, in sort's order, or disjoint, as the operation requires.

/// The order check of one list; remembers the record before.
struct ListOrder {
  enum Demand {
    /// The records ascend by their first numbers; they may overlap.
    case ascending
    /// The records are in sort's order: if two start at the same number, the wider one comes first.
    case sorted
    /// The records ascend, and no number is in two of them.
    case disjoint
  }

  private let stage: StageName
  private let demand: Demand
  private var first: UInt64 = 0
  private var last: UInt64 = 0

  init(_ stage: StageName, _ demand: Demand) {
    self.stage = stage
    self.demand = demand
  }

  /// Checks the next records; the first of them is in line `line` of `list`.
  mutating func check(
    _ batch: borrowing RecordBatch, of list: String, from line: UInt64
  ) throws(Failure) {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    var first = self.first
    var last = self.last
    for index in 0..<firsts.count {
      if firsts[index] < first {
        throw disorder(
          list, line + UInt64(index), "not-sorted",
          "\(firsts[index]) comes after \(first): input is not sorted", remedy: "sort")
      }
      if demand == .sorted, firsts[index] == first, lasts[index] > last {
        throw disorder(
          list, line + UInt64(index), "wider-range-after",
          "a wider record that starts at \(firsts[index]) comes after a narrower one: input is not sorted",
          remedy: "sort")
      }
      if demand == .disjoint, firsts[index] <= last {
        throw disorder(
          list, line + UInt64(index), "overlaps-itself",
          "\(firsts[index]) is also in the previous record: the list must not overlap itself",
          remedy: "dedupe")
      }
      first = firsts[index]
      last = lasts[index]
    }
    self.first = first
    self.last = last
  }

  /// A record in a place where the operation does not allow it. `remedy`: the stage that makes a list that can be used,
  /// as a stage before this one, or as a command.
  private func disorder(
    _ list: String, _ line: UInt64, _ code: String, _ text: String, remedy: String
  ) -> Failure {
    Failure(
      stage, .badData, code, "\(InputName.plain(list)):\(line): \(text)",
      hint: list == "-"
        ? "add 'cdpipe \(remedy)' before this stage"
        : "run 'cdpipe \(remedy) \(ShellQuoting.quoted(list))' first")
  }
}
