// One list of a set operation, whatever it is kept in, with the record at its front.

import BasicContainers
import CallRecord
import CallStoreReader
import PipeStage
import ShardDirectories
import SystemIO
import SystemPackage

/// A sorted list: a text, a store, the shards of a directory, or what the stage before gives.
///
/// `advance` comes before the first look at the front. It holds one read buffer and one batch.
struct SortedList: ~Copyable {
  /// What the user calls the list.
  let name: String
  private let context: StageContext
  private var text: TextList?
  private var store: StoreRecords?
  /// The paths of the shards that were not opened yet, the next one last.
  private var shards: [String]
  /// What messages call the file that is being read: the list, or one of its shards.
  private var part: String
  private var order: ListOrder
  /// Whether the records come from the stage before.
  let isFed: Bool
  /// Whether the first bytes of a file have told what it is.
  private var isKindKnown = false
  private let counts: Bool
  /// The records read last.
  private(set) var batch: RecordBatch
  /// The place of the front in the batch.
  private(set) var at = 0
  /// How many records of the part were read before the batch.
  private var recordsBefore: UInt64 = 0

  /// The first number of the record at the front; `.max` behind the last record.
  private(set) var first: UInt64 = 0
  /// The last number of the record at the front; `.max` behind the last record.
  private(set) var last: UInt64 = 0
  /// Whether the stage before has to give more, and the front is not known until then.
  private(set) var isDry = false

  /// Opens a list, or makes one that is fed. With `counts` its records count as what came in.
  init(
    _ name: String, _ context: StageContext, _ demand: ListOrder.Demand, _ badLines: TextList.BadLines,
    counts: Bool, isFed: Bool = false
  ) throws(StageError) {
    // What can fail comes before the first property is set; OutputFile says why.
    var paths: [String] = []
    var opened: TextList?
    if !isFed {
      if name != SetOptions.standardInput, FileKind(of: FilePath(name)) == .directory {
        paths = try Self.stores(inDirectory: name, context).reversed()
      } else {
        opened = try TextList(name, context, badLines)
      }
    }
    self.name = name
    self.context = context
    part = name
    order = ListOrder(context.stage, demand)
    self.isFed = isFed
    self.counts = counts
    shards = paths
    store = nil
    batch = RecordBatch()
    text = consume opened
  }

  /// The paths of the stores in a directory of shards, in the order of their numbers, after their headers were checked
  /// against the manifest.
  private static func stores(
    inDirectory path: String, _ context: StageContext
  ) throws(StageError) -> [String] {
    guard ShardDirectory.hasManifest(path) else {
      throw StageError(context.stage, SetError.noManifest(directory: path))
    }
    do throws(ShardDirectoryError) {
      return try ShardDirectory(path, calls: context.calls).checkHeaders()
    } catch {
      throw StageError(context.stage, error)
    }
  }

  /// The record fields of the record at the front.
  var recordFields: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get { batch[fieldsAt: at] }
  }

  /// Goes on to the next record.
  @inline(__always)
  mutating func advance() throws(StageError) {
    at += 1
    if at < batch.count {
      first = batch.firsts[at]
      last = batch.lasts[at]
    } else {
      try refill()
    }
  }

  /// Goes on to the first record of the next batch: for who has looked at all of this one.
  mutating func nextBatch() throws(StageError) { try refill() }

  /// Takes the next batch of the stage before, which gets an empty one for it.
  mutating func feed(_ more: inout RecordBatch) throws(StageError) {
    recordsBefore += UInt64(batch.count)
    batch.removeAll()
    swap(&batch, &more)
    try order.check(batch, of: name, from: recordsBefore + 1)
    count()
    isDry = batch.isEmpty
    show()
  }

  /// The stage before has no more.
  mutating func endFeeding() {
    batch.removeAll()
    isDry = false
    end()
  }

  private mutating func refill() throws(StageError) {
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

  /// Fills the batch from wherever the list is kept; false at its end.
  private mutating func fill() throws(StageError) -> Bool {
    if !isKindKnown {
      isKindKnown = true
      if try text?.begins(with: StoreRecords.magic) == true { try openStore() }
    }
    if text != nil {
      guard try text?.fill(&batch) == true else {
        // A list of which nothing can be read is no empty list.
        if recordsBefore == 0, let rejects = text?.rejects, rejects > 0 {
          throw StageError(context.stage, RejectLimitError.nothingUsable(count: rejects, source: name))
        }
        return false
      }
      try order.check(batch, of: part, from: text?.firstLine ?? 1)
      return true
    }
    while true {
      if store != nil {
        if try fillFromStore() {
          try order.check(batch, of: part, from: recordsBefore + 1)
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
        throw StageError(context.stage, SetError.store(error, list: shard))
      }
    }
  }

  private mutating func fillFromStore() throws(StageError) -> Bool {
    do throws(CallStoreError) {
      return try store?.fill(&batch) == true
    } catch {
      throw StageError(context.stage, SetError.store(error, list: part))
    }
  }

  /// What was taken for a text is a store.
  private mutating func openStore() throws(StageError) {
    guard let taken = text.take() else { return }
    do throws(CallStoreError) {
      store = try StoreRecords(descriptor: taken.descriptor.rawValue)
    } catch {
      throw StageError(context.stage, SetError.store(error, list: name))
    }
  }
}
