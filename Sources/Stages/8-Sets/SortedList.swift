// One list of a set operation, read from any kind of input, with its current record.

import BasicContainers
import CallStoreReader
import Records
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
  /// The number of records of `part` before the batch.
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
      do throws(ShardDirectoryError) {
        switch try ListInput(name, calls: context.calls) {
        // The headers are checked before the first record is read.
        case .shards(let directory): paths = try directory.checkHeaders().reversed()
        case .lookup(let found): directory = found
        case .file: isFile = true
        }
      } catch {
        throw Failure(context.stage, error)
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

  /// The fields of the current record.
  var recordFields: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { batch[fieldsAt: at] }
  }

  /// Advances to the next record.
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
        throw Failure(context.stage, SetError.store(error, list: shard))
      }
    }
  }

  private mutating func fillFromStore() throws(Failure) -> Bool {
    do throws(CallStoreError) {
      return try store?.fill(&batch) == true
    } catch {
      throw Failure(context.stage, SetError.store(error, list: part))
    }
  }

  private mutating func fillFromLookup() throws(Failure) -> Bool {
    do throws(LookupDirectoryError) {
      guard try lookup?.fill(&batch) == true else { return false }
    } catch {
      throw Failure(context.stage, error)
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
      throw Failure(context.stage, SetError.store(error, list: name))
    }
  }
}
