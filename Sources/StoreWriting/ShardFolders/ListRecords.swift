// The records of a list of any kind: the one place that opens lists whose records are read one after another.

import BasicContainers
import CallStoreFormat
import CallStoreReader
package import Records
package import SystemIO
package import SystemPackage

/// Reads a list of any kind: text or the packed form, a store, the shards of a directory, or a Live Caller ID Lookup
/// directory.
///
/// Memory: one read buffer; for a Live Caller ID Lookup directory, the buffers of its shards.
package struct ListRecords: RecordSource, ~Copyable {
  private let stage: StageName?
  /// The directory of shards that is read; nil for other lists.
  private let shards: ShardFolder?
  /// A file whose first bytes were not read yet: it may be a store.
  private var file: TextRecords?
  private var source: (any RecordSource & ~Copyable)?

  package private(set) var part = ""
  package private(set) var firstRow: UInt64 = 1
  package private(set) var areBlocked: [Bool] = []

  /// Opens a list as the user named it. A file is recognised when the first record is read. With `expectsSize`, the bytes
  /// of a file count as bytes that are expected.
  package init(
    _ name: String, _ context: StageContext, _ badLines: TextRecords.BadLines, expectsSize: Bool = true
  ) throws(Failure) {
    // Everything that can fail comes before the first property is set; see OutputFile.
    let input = try ListInput(name, of: context.stage, calls: context.calls)
    var file: TextRecords?
    var source: (any RecordSource & ~Copyable)?
    if case .file = input {
      file = try TextRecords(name, context, badLines, expectsSize: expectsSize)
    } else {
      source = try Self.source(input, name, context.stage, keepsKinds: false, context.calls)
    }
    stage = context.stage
    shards = if case .shards(let directory) = input { directory } else { nil }
    self.file = consume file
    self.source = consume source
  }

  /// Reads the records that a merge has spooled.
  package init(_ spool: SpooledText, _ context: StageContext) {
    stage = context.stage
    shards = nil
    file = nil
    source = TextRecords(spool, context)
  }

  /// Opens a store or a directory. The headers of shards are checked at once, a store is opened when its first record is
  /// read. With `keepsKinds`, ``areBlocked`` is known.
  package init(
    stores input: ListInput, name: String? = nil, _ stage: StageName?, keepsKinds: Bool = false,
    calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    let opened = try Self.source(input, name, stage, keepsKinds: keepsKinds, calls)
    self.stage = stage
    shards = if case .shards(let directory) = input { directory } else { nil }
    file = nil
    source = consume opened
  }

  private static func source(
    _ input: ListInput, _ name: String?, _ stage: StageName?, keepsKinds: Bool, _ calls: any SystemCalls
  ) throws(Failure) -> any RecordSource & ~Copyable {
    if case .lookup(let directory) = input { return CallerIDRecords(directory, name: name, calls: calls) }
    do throws(Failure) {
      return StoreRecords(paths: try input.storePaths(), stage, keepsKinds: keepsKinds)
    } catch {
      throw error.of(stage)
    }
  }

  package mutating func next(_ batch: inout RecordBatch) throws(Failure) -> Bool {
    if var text = file.take() {
      if try text.begins(with: StoreRecords.magic), let descriptor = text.descriptor {
        source = try StoreRecords(descriptor: descriptor, of: text.part, stage)
        // The descriptor must stay open until here.
        _ = consume text
      } else {
        try text.checkContent()
        source = consume text
      }
    }
    defer {
      part = source?.part ?? part
      firstRow = source?.firstRow ?? 1
      areBlocked = source?.areBlocked ?? []
    }
    do throws(Failure) {
      return try source?.next(&batch) == true
    } catch {
      // A file of a directory that was replaced is missing.
      throw (shards?.explained(error) ?? error).of(stage)
    }
  }
}

extension ListInput {
  /// Finds out what a path names, on behalf of a stage.
  package init(
    _ path: String, of stage: StageName?, calls: any SystemCalls = KernelCalls()
  ) throws(Failure) {
    do throws(Failure) {
      self = try ListInput(path, calls: calls)
    } catch {
      throw error.of(stage)
    }
  }
}

/// Reads stores, one after another. Both kinds of entries come in one ascending sequence, without sources and scores.
package struct StoreRecords: RecordSource, ~Copyable {
  private let stage: StageName?
  private let keepsKinds: Bool
  /// The paths of the stores that have not been opened yet; the next one is last.
  private var paths: [String]
  private var open: OpenStore?
  package private(set) var part = ""
  package private(set) var firstRow: UInt64 = 1
  package private(set) var areBlocked: [Bool] = []
  private var nextRow: UInt64 = 1

  /// Prepares reading. No store is opened.
  package init(paths: [String], _ stage: StageName?, keepsKinds: Bool = false) {
    self.stage = stage
    self.keepsKinds = keepsKinds
    self.paths = paths.reversed()
    open = nil
  }

  /// Opens a store by its descriptor. The caller may close it.
  package init(descriptor: FileDescriptor, of name: String, _ stage: StageName?) throws(Failure) {
    self.init(paths: [], stage)
    part = name
    let store = try readingStore(InputName.plain(name), stage) { () throws(CallStoreError) in
      try CallStore(descriptor: descriptor.rawValue)
    }
    open = OpenStore(store, keepsKinds)
  }

  /// The eight bytes that every store begins with.
  package static let magic: [UInt8] = (0..<8).map { UInt8(truncatingIfNeeded: HeadLayout.magic >> (8 * $0)) }

  package mutating func next(_ batch: inout RecordBatch) throws(Failure) -> Bool {
    defer { areBlocked = open?.areBlocked ?? [] }
    while true {
      let hasMore = try readingStore(InputName.plain(part), stage) { () throws(CallStoreError) in
        try open?.fill(&batch) == true
      }
      if hasMore { break }
      guard let path = paths.popLast() else { return false }
      part = path
      nextRow = 1
      let store = try readingStore(path, stage) { () throws(CallStoreError) in try CallStore(path: path) }
      open = OpenStore(store, keepsKinds)
    }
    firstRow = nextRow
    nextRow += UInt64(batch.count)
    return true
  }
}

/// A store that is read sequentially.
private struct OpenStore: ~Copyable {
  private let store: CallStore
  private var cursor: StoreCursor
  private var records = StoreBatch()
  private var at = 0
  private var labels = LabelIndices()
  private var batches = 0
  private let keepsKinds: Bool
  private(set) var areBlocked: [Bool] = []

  /// The batches after which the store's pages are released: about a mebibyte. Doing so costs as much as reading a few
  /// hundred records.
  private static let batchesResident = 64

  init(_ store: consuming CallStore, _ keepsKinds: Bool) {
    cursor = StoreCursor(store)
    self.keepsKinds = keepsKinds
    self.store = store
  }

  /// Fills an empty batch; false if there are no more records. When it throws, the batch holds the records before the
  /// damage.
  mutating func fill(_ batch: inout RecordBatch) throws(CallStoreError) -> Bool {
    labels.removeAll()
    areBlocked.removeAll(keepingCapacity: true)
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
    if keepsKinds { for index in at..<labelled { areBlocked.append(records.kinds[index] == .blocking) } }
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
