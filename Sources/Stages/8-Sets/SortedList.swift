// One list of a set operation, read from any kind of input, with its current record.

import BasicContainers
import CallStoreFormat
package import CallStoreReader
package import Records
import StoreWriting
import SystemIO
import SystemPackage

/// A sorted list: a text file, a store, a directory (see ``ListInput``), the output of the previous stage, or records that
/// a merge has spooled.
///
/// Call `advance` before reading the first record. Memory: one read buffer and one batch; for a Live Caller ID Lookup
/// directory, the buffers of its shards.
struct SortedList: ~Copyable {
  /// The list's name as the user typed it.
  let name: String
  private let context: StageContext
  private var text: TextList?
  private var store: StoreRecords?
  private var lookup: LookupRecords?
  /// The paths of the shards that have not been opened yet; the next one is last.
  private var shards: [String]
  /// The name in messages of the file that is being read: the list, or one of its shards.
  private var part: String
  /// The order check; nil for spooled records, which may be in any order that a merge outputs.
  private var order: ListOrder?
  /// Whether the records come from the previous stage.
  let isFed: Bool
  /// Whether the file's first bytes were checked for a store.
  private var isKindKnown = false
  private let counts: Bool
  /// The batch that was read last.
  private(set) var batch: RecordBatch
  /// The index of the current record in the batch.
  private(set) var at = 0
  private var recordsBefore: UInt64 = 0

  /// The first number of the current record; `.max` after the last record.
  private(set) var first: UInt64 = 0
  /// The last number of the current record; `.max` after the last record.
  private(set) var last: UInt64 = 0
  /// Whether a fed list needs the next batch of the previous stage; until then there is no current record.
  private(set) var isDry = false

  /// Opens a list, or creates one that is fed by the previous stage. With `counts`, its records count as rows in; with
  /// `expectsSize`, the bytes of a file count as bytes that are expected.
  init(
    _ name: String, _ context: StageContext, _ demand: ListOrder.Demand, _ badLines: TextList.BadLines,
    counts: Bool, isFed: Bool = false, expectsSize: Bool = true
  ) throws(Failure) {
    // Everything that can fail comes before the first property is set; see OutputFile.
    var paths: [String] = []
    var isFile = false
    var directory: LookupDirectory?
    var opened: TextList?
    if !isFed {
      do throws(Failure) {
        switch try ListInput(name, calls: context.calls) {
        // The headers are checked before the first record is read.
        case .shards(let directory): paths = try directory.checkHeaders().reversed()
        case .lookup(let found): directory = found
        case .file: isFile = true
        }
      } catch {
        throw error.of(context.stage)
      }
      if isFile { opened = try TextList(name, context, badLines, expectsSize: expectsSize) }
    }
    self.name = name
    self.context = context
    part = name
    order = ListOrder(context.stage, demand)
    self.isFed = isFed
    self.counts = counts
    shards = paths
    store = nil
    lookup = nil
    batch = RecordBatch()
    text = consume opened
    if let directory { lookup = LookupRecords(directory, calls: context.calls) }
  }

  /// Reads the records that a merge has spooled. They were counted when their lists were read.
  init(_ spool: SpooledText, _ context: StageContext) {
    name = spool.directory
    self.context = context
    part = name
    order = nil
    isFed = false
    isKindKnown = true
    counts = false
    shards = []
    store = nil
    lookup = nil
    batch = RecordBatch()
    text = TextList(spool, context)
  }

  var recordFields: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { batch[fieldsAt: at] }
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
    recordsBefore += UInt64(batch.count)
    batch.removeAll()
    swap(&batch, &more)
    try order?.check(batch, of: name, from: recordsBefore + 1)
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
    recordsBefore += UInt64(batch.count)
    batch.removeAll()
    guard try fill() else { return end() }
    count()
    show()
  }

  private func count() {
    if counts { context.meter.rowsIn.add(batch.count) }
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

  /// Fills the batch from the text, store, shard or directory; false at the end of the list.
  private mutating func fill() throws(Failure) -> Bool {
    if !isKindKnown {
      isKindKnown = true
      if try text?.begins(with: StoreRecords.magic) == true { try openStore() }
      try text?.checkContent()
    }
    if text != nil {
      guard try text?.fill(&batch) == true else {
        // A list without a single valid line is an error, not an empty list.
        if recordsBefore == 0, let rejects = text?.rejects, rejects > 0 {
          throw .nothingUsable(context.stage, rejects: rejects, source: name)
        }
        return false
      }
      try order?.check(batch, of: part, from: text?.firstLine ?? 1)
      return true
    }
    if lookup != nil { return try fillFromLookup() }
    while true {
      if store != nil {
        if try fillFromStore() {
          try order?.check(batch, of: part, from: recordsBefore + 1)
          return true
        }
        store = nil
        recordsBefore = 0
      }
      guard let shard = shards.popLast() else { return false }
      part = shard
      do throws(CallStoreError) {
        store = try StoreRecords(path: shard)
      } catch {
        throw .unreadableStore(error, path: InputName.plain(shard), context.stage)
      }
    }
  }

  private mutating func fillFromStore() throws(Failure) -> Bool {
    do throws(CallStoreError) {
      return try store?.fill(&batch) == true
    } catch {
      throw .unreadableStore(error, path: InputName.plain(part), context.stage)
    }
  }

  private mutating func fillFromLookup() throws(Failure) -> Bool {
    do throws(Failure) {
      guard try lookup?.fill(&batch) == true else { return false }
    } catch {
      throw error.of(context.stage)
    }
    try order?.check(batch, of: name, from: recordsBefore + 1)
    return true
  }

  /// Reopens the file as a store, once its first bytes show that it is one.
  private mutating func openStore() throws(Failure) {
    guard let taken = text.take(), let descriptor = taken.descriptor else { return }
    do throws(CallStoreError) {
      store = try StoreRecords(descriptor: descriptor.rawValue)
    } catch {
      throw .unreadableStore(error, path: InputName.plain(name), context.stage)
    }
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

// MARK: - Reads a store's records as batches, the form that all stages use

/// Reads a store sequentially. Both kinds of entries come in one ascending sequence, without sources, scores and kinds.
package struct StoreRecords: ~Copyable {
  private let store: CallStore
  private var cursor: StoreCursor
  private var records = StoreBatch()
  private var at = 0
  private var labels = LabelIndices()
  private var batches = 0

  /// The batches after which the store's pages are released: about a mebibyte. Doing so costs as much as reading a few
  /// hundred records.
  private static let batchesResident = 64

  package init(path: String) throws(CallStoreError) {
    try self.init(CallStore(path: path))
  }

  /// Opens a store by its descriptor. The caller keeps the descriptor and closes it.
  package init(descriptor: Int32) throws(CallStoreError) {
    try self.init(CallStore(descriptor: descriptor))
  }

  private init(_ store: consuming CallStore) {
    cursor = StoreCursor(store)
    self.store = store
  }

  /// The eight bytes that every store begins with.
  package static let magic: [UInt8] = (0..<8).map { UInt8(truncatingIfNeeded: HeadLayout.magic >> (8 * $0)) }

  /// Fills an empty batch; false if there are no more records. When it throws, the batch holds the records before the
  /// damage.
  package mutating func fill(_ batch: inout RecordBatch) throws(CallStoreError) -> Bool {
    labels.removeAll()
    while !batch.isFull {
      if at == records.count {
        at = 0
        guard try cursor.nextRecords(of: store, into: &records) else { return !batch.isEmpty }
        batches += 1
        // The store is read once, so its pages need not stay in memory.
        if batches % Self.batchesResident == 0 { store.releasePages() }
      }
      // The batch has no capacity left for another label.
      guard append(to: &batch) > 0 else { return true }
    }
    return true
  }

  /// Appends the next records, as many as fit; returns how many.
  private mutating func append(to batch: inout RecordBatch) -> Int {
    let end = min(records.count, at + RecordBatch.recordsMax - batch.count)
    let labelled = Self.appendLabels(records, at..<end, of: store, to: &batch, &labels)
    batch.firsts.append(copying: records.firsts.extracting(at..<labelled))
    batch.lasts.append(copying: records.lasts.extracting(at..<labelled))
    defer { at = labelled }
    return labelled - at
  }

  /// Appends the labels of records; returns the index of the first one whose label does not fit.
  private static func appendLabels(
    _ records: borrowing StoreBatch, _ range: Range<Int>, of store: borrowing CallStore,
    to batch: inout RecordBatch, _ indices: inout LabelIndices
  ) -> Int {
    let labels = records.labels
    for at in range {
      guard let index = indices.index(of: labels[at], store, &batch.fieldsTable) else { return at }
      batch.fieldsIndices.append(index)
    }
    return range.upperBound
  }
}

private struct LabelIndices {
  private static let recentBits = 8

  /// A label and its index. Fewer comparisons than a dictionary needs, for most lists have few labels.
  private struct Recent {
    /// No label has this value, because no file is that long.
    static let none: UInt64 = .max
    var label = Recent.none
    var index: UInt32 = 0
  }

  private var recent = ContiguousArray(repeating: Recent(), count: 1 << recentBits)
  private var all: [UInt64: UInt32] = [:]

  mutating func removeAll() {
    guard !all.isEmpty else { return }
    for slot in recent.indices { recent[slot] = Recent() }
    all.removeAll(keepingCapacity: true)
  }

  /// The index of a label in the table, to which it is added if it is new; nil if the table is full.
  @inline(__always)
  mutating func index(
    of label: StoreLabel, _ store: borrowing CallStore, _ table: inout RecordFieldsTable
  ) -> UInt32? {
    let key = label.offsetAndCount
    let slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> UInt64(64 - Self.recentBits))
    if recent[slot].label == key { return recent[slot].index }
    return known(label, slot, store, &table)
  }

  /// The index of a label that is not among the recent ones.
  private mutating func known(
    _ label: StoreLabel, _ slot: Int, _ store: borrowing CallStore, _ table: inout RecordFieldsTable
  ) -> UInt32? {
    let key = label.offsetAndCount
    if let index = all[key] {
      recent[slot] = Recent(label: key, index: index)
      return index
    }
    let recordFields = RecordFields.bytes(RecordFields.Fields(label: store.text(of: label)))
    guard let added = table.intern(recordFields.span) else { return nil }
    let index = UInt32(added)
    all[key] = index
    recent[slot] = Recent(label: key, index: index)
    return index
  }
}
