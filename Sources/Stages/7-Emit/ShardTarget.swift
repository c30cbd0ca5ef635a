// Writes records to a directory of shards, one for each extension, and the manifest that names them.
//
// A shard's name contains its content hash, so new shards coexist with the old ones until the manifest is
// replaced: one rename switches from the old state to the new.

import BasicContainers
import CallManifest
import CallStoreFormat
import Hashing
import HeapModule
import Records
import StoreWriting
import SystemIO
import SystemPackage

/// Writes shards of at most `maxEntries` single numbers, and the manifest.
final class ShardTarget: EmitTarget {
  /// The name of a shard in messages until its own name is known.
  static let unnamed = "shard"

  private let folder: OutputFolder
  private let options: EmitOptions
  private let context: StageContext
  private let provenance: (@Sendable () throws(Failure) -> RunProvenance?)?
  private let countries: @Sendable () -> CountryCounts?
  private let files: DeltaFiles
  private let placed: PlacedFiles
  private let finisher: ShardFinisher
  private let baseline: Baseline?
  private let older: [Baseline]
  private var plan: ShardBoundaries
  private var labels: StoreLabels
  private var tally = ShardLabelCounter()
  private var strongest: StrongestEntries?
  private var bootstrap: Manifest.Store?
  private var published: Manifest?
  private var slot: ShardBoundaries.Slot?
  private var shard: StoreFile?
  private var entries: UInt64 = 0
  /// The number of single numbers in all shards before the current one.
  private var entriesBefore: UInt64 = 0
  private var row: UInt64 = 0
  private var previousLast: UInt64 = 0

  init(
    _ options: EmitOptions, _ context: StageContext,
    provenance: (@Sendable () throws(Failure) -> RunProvenance?)?,
    countries: @escaping @Sendable () -> CountryCounts?
  ) throws(Failure) {
    if case .lookup? = try? ListInput(options.output, calls: context.calls) {
      throw .unusableDirectory(
        "'\(options.output)' is a Live Caller ID Lookup directory",
        hint: "choose another directory for the shards")
    }
    // The directory is locked before the baseline is read, because it may be in the same directory.
    let held = try OutputFolder(options.output, calls: context.calls)
    var kept: Baseline?
    if let path = options.shards.baseline, path != ShardOptions.noBaseline {
      kept = try Baseline(path, calls: context.calls)
    }
    var before: [Baseline] = []
    for path in options.shards.olderBaselines {
      before.append(try Baseline(path, calls: context.calls))
    }
    let planned = try ShardBoundaries(options, kept)
    folder = held
    plan = planned
    baseline = kept
    older = before
    self.options = options
    self.context = context
    self.provenance = provenance
    self.countries = countries
    placed = PlacedFiles(calls: context.calls)
    files = DeltaFiles(
      directory: options.output, entriesMax: options.shards.deltaEntries ?? options.maxEntries,
      placed: placed,
      calls: context.calls)
    finisher = ShardFinisher(threads: options.threads, writer: files, placed: placed)
    labels = StoreLabels(options.blockGlobs)
    strongest = options.shards.bootstrap.map { StrongestEntries(count: $0) }
  }

  deinit {
    // Otherwise the thread could publish a shard after the files were removed.
    try? finisher.wait()
    shard = nil
    placed.removeAll()
    folder.release()
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) {
    labels.prepare(batch.fieldsTable)
    tally.begin(count: batch.fieldsTable.count)
    if batch.isSingles { try writeSingles(batch) } else { try writeRecords(batch) }
    tally.addPending(labels, batch.fieldsTable)
    try strongest?.select(from: batch, labels)
  }

  private func writeRecords(_ batch: borrowing RecordBatch) throws(Failure) {
    for index in 0..<batch.count {
      row += 1
      var first = batch.firsts[index]
      let last = batch.lasts[index]
      let recordFields = Int(batch.fieldsIndices[index])
      var isCut = false
      while true {
        let slot = try enter(first, batch, row: row)
        let end = min(last, slot.last, first.addingSaturated(slot.capacity - entries - 1))
        try labels.append(first: first, last: end, batch.fieldsTable, recordFields, row: row, to: &shard!)
        tally.add(recordFields, entries: end - first + 1)
        try count(end - first + 1)
        if isCut { context.meter.splits.add(1) }
        if entries == slot.capacity { try endShard(batch) }
        if end == last { break }
        first = end + 1
        isCut = true
      }
    }
  }

  /// Writes a batch in which every record is a single number, up to the shard's capacity at once.
  private func writeSingles(_ batch: borrowing RecordBatch) throws(Failure) {
    var start = 0
    while start < batch.count {
      let slot = try enter(batch.firsts[start], batch, row: row + 1)
      var end = start + Int(min(UInt64(batch.count - start), slot.capacity - entries))
      if plan.isKept { end = batch.firsts.span.end(of: slot.last, in: start..<end) }
      try labels.append(singles: batch, start..<end, row: row + 1, to: &shard!)
      tally.add(singles: batch.fieldsIndices.span.extracting(start..<end))
      row += UInt64(end - start)
      try count(UInt64(end - start))
      if entries == slot.capacity { try endShard(batch) }
      start = end
    }
  }

  private func count(_ added: UInt64) throws(Failure) {
    entries += added
    if entries > plan.entriesMax { throw plan.tooMany(entries: entriesBefore + entries) }
  }

  /// Opens the shard that a number belongs to, unless it is open. Shards before it without records are written empty.
  private func enter(
    _ number: UInt64, _ batch: borrowing RecordBatch, row: UInt64
  ) throws(Failure) -> ShardBoundaries.Slot {
    while true {
      if let slot, number <= slot.last { return slot }
      if slot != nil { try endShard(batch) }
      if shard == nil {
        guard number > previousLast else {
          throw StoreEncodingError.notAscending(previous: previousLast, first: number).failure(
            .emit, row: row)
        }
        if let next = plan.nextKept() {
          try openShard(next)
        } else {
          try openShard(plan.next(from: number, entries: entriesBefore))
        }
      }
    }
  }

  private func openShard(_ next: ShardBoundaries.Slot) throws(Failure) {
    shard = try StoreFile(
      files.path(of: Self.unnamed), removesLeftovers: false, threads: options.threads,
      calls: context.calls)
    slot = next
    labels.resetNames()
  }

  private func endShard(_ batch: borrowing RecordBatch) throws(Failure) {
    tally.addPending(labels, batch.fieldsTable)
    try endShard()
  }

  private func endShard() throws(Failure) {
    guard var file = shard.take(), let ended = slot.take() else { return }
    let summary = try file.seal()
    entriesBefore += entries
    entries = 0
    previousLast = max(previousLast, summary.last ?? 0)
    let pieces = plan.isKept ? plan.pieces(of: summary.entries) : 1
    if pieces == 1 {
      try finish(file, summary, id: ended.id, from: ended.from, baseline: ended.baseline)
    } else {
      _ = tally.take()
      try split(file, ended, entries: summary.entries, pieces: pieces)
    }
  }

  private func split(
    _ file: consuming StoreFile, _ ended: ShardBoundaries.Slot, entries: UInt64, pieces: UInt64
  ) throws(Failure) {
    let path = files.path(of: Self.unnamed)
    var split = ShardSplit(try ShardSplit.open(file, path: path), path: path)
    for piece in 0..<pieces {
      let isFirst = piece == 0
      let begins = try split.nextNumber()
      let from = isFirst ? ended.from : begins ?? ended.last
      var id = ended.id
      if !isFirst { id = try plan.nextID(entries: entriesBefore) }
      var store = try StoreFile(files.path(of: Self.unnamed), removesLeftovers: false, calls: context.calls)
      let size = entries / pieces + (piece < entries % pieces ? 1 : 0)
      context.meter.splits.add(try split.write(size, to: &store, &tally))
      let summary = try store.seal()
      try finish(store, summary, id: id, from: from, baseline: isFirst ? ended.baseline : nil)
    }
  }

  private func finish(
    _ file: consuming StoreFile, _ summary: StoreSummary, id: Int, from: UInt64, baseline: ManifestStore?
  ) throws(Failure) {
    let store = Manifest.Store(name: ManifestNames.shard(id, summary.contentHash), summary)
    let entry = Manifest.Shard(id: id, from: from, store: store, labels: tally.take())
    try finisher.finish(file, entry, baselines: states(of: id, baseline))
  }

  private func states(of id: Int, _ baseline: ManifestStore?) -> [ManifestStore] {
    if options.shards.leavesOutDeltas { return [] }
    var states = baseline.map { [$0] } ?? []
    for older in older {
      guard let store = older.shards.first(where: { $0.id == id })?.store,
        !states.contains(where: { $0.contentHash == store.contentHash })
      else { continue }
      states.append(store)
    }
    return states
  }

  func seal() throws(Failure) {
    try endShard()
    // The remaining shards of the baseline have no records. They are written empty and keep their ids.
    while let next = plan.nextKept() {
      try openShard(next)
      try endShard()
    }
    try finisher.wait()
    try writeBootstrap()
  }

  private func writeBootstrap() throws(Failure) {
    guard let records = strongest?.takeRecords() else { return }
    strongest = nil
    var file = try StoreFile(
      files.path(of: ManifestNames.bootstrapPrefix), removesLeftovers: false, calls: context.calls)
    for record in records {
      try file.append(
        first: record.first, last: record.last, kind: record.kind, label: record.label.span, row: 0)
    }
    let summary = try file.seal()
    try file.verify()
    let name = ManifestNames.bootstrap(summary.contentHash)
    placed.add(files.path(of: name))
    try file.publish(as: files.path(of: name))
    bootstrap = Manifest.Store(name: name, summary)
  }

  func publish() throws(Failure) {
    let manifest = try manifest()
    let text = manifest.json
    guard text.count <= Manifest.bytesMax else {
      throw Failure(
        .emit, .badData, "manifest-too-large",
        "the manifest would have \(Figures.bytes(text.count)); the maximum is \(Figures.bytes(Manifest.bytesMax))",
        hint: "use a larger \(option: "delta-entries")")
    }
    let before = Manifest.fileNames(
      inManifestAt: files.path(of: Manifest.fileName), context.calls)
    var isReplacing = false
    do throws(SystemError) {
      var file: OutputFile? = try OutputFile(
        files.path(of: Manifest.fileName), removesLeftovers: false, calls: context.calls)
      try file?.write(text.span)
      isReplacing = true
      // After a signal, the directory has the former list or this one.
      try UnpublishedFiles.shared.publishing { () throws(SystemError) in
        try file.take()?.publish()
        placed.keep()
      }
      published = manifest
      // No manifest names these files of an earlier state any more.
      for name in before.subtracting(manifest.fileNames) {
        try? context.calls.unlink(FilePath(files.path(of: name)))
      }
      folder.release()
    } catch {
      // The manifest may have been replaced even if its directory could not be synced.
      if isReplacing, isInPlace(text) { placed.keep() }
      throw Failure(.emit, error)
    }
  }

  func outcome(_ output: inout EmittedOutput) {
    guard let published else { return }
    output.set(published)
    guard let baseline, let directory = try? ShardFolder(options.output, calls: context.calls) else {
      return
    }
    output.changes = try? directory.changes(since: baseline.shards)
  }

  /// Whether the manifest in the directory is the new one. True also if it can't be read: it may be.
  private func isInPlace(_ text: [UInt8]) -> Bool {
    let path = files.path(of: Manifest.fileName)
    do throws(Failure) {
      return try Manifest.bytes(of: path, context.calls) == text
    } catch {
      return Directory.holdsFile(path, calls: context.calls)
    }
  }

  private func manifest() throws(Failure) -> Manifest {
    var manifest = Manifest(shards: finisher.finished, maxEntries: options.maxEntries)
    manifest.date = options.shards.date
    manifest.bootstrap = bootstrap
    manifest.baseline =
      options.shards.leavesOutDeltas ? nil : baseline.map { Manifest.Baseline(contentID: $0.contentID) }
    manifest.countries = countries()?.countries.map { country in
      Manifest.Country(callingCode: country.callingCode, region: country.region, entries: country.entries)
    }
    if let known = try provenance?() {
      manifest.sources = known.sources.map { source in
        let hash = options.shards.leavesOutSourceHashes ? nil : source.sha256
        return Manifest.Source(
          name: source.name, bytes: source.bytes, sha256: hash.map { Hexadecimal.text($0) })
      }
      manifest.rows = Manifest.RowCounts(
        read: known.rowsRead, rejects: known.rejects, duplicates: known.duplicates, leftOut: known.leftOut,
        removed: known.removed)
      manifest.now = known.now?.text
    }
    return manifest
  }
}

extension Span<UInt64> {
  /// The end of the numbers in `range` that come before the first one above `last`.
  fileprivate func end(of last: UInt64, in range: Range<Int>) -> Int {
    var at = range.lowerBound
    while at < range.upperBound, self[at] <= last { at += 1 }
    return at
  }
}

// MARK: - The labels of a shard and their counts, for the manifest

/// Counts a shard's labels in bounded memory. Beyond its limits it only records that there are too many labels.
struct ShardLabelCounter: ~Copyable {
  /// The maximum number of distinct labels that are counted: that of a store's table.
  static let labelsMax = 4096
  /// The maximum total size of the counted labels in bytes.
  static let bytesMax = 256 * 1024
  /// The maximum number of labels that a manifest lists. Most lists have a few dozen; more would hide the rest of the
  /// manifest.
  static let listedMax = 50
  /// The maximum total size of the labels that a manifest lists for one shard, in bytes.
  static let listedBytesMax = 4096

  /// The records and the single numbers with a label.
  struct Count {
    var records: UInt64 = 0
    var entries: UInt64 = 0
  }

  private var counts: [[UInt8]: Count] = [:]
  private var bytes = 0
  private(set) var isOver = false
  /// The counts of the current batch, by the indices of its record fields. The counts after those, and all counts
  /// between batches, are 0.
  private var pending: ContiguousArray<Count> = []
  /// Counts like ``pending`` for single numbers, which nearly all records are.
  private var singles: ContiguousArray<UInt32> = []
  private var fieldsCount = 0

  /// Starts a batch with `count` record fields. The counts of the last batch were added to the totals.
  mutating func begin(count: Int) {
    fieldsCount = count
    let more = max(0, count - pending.count)
    pending.append(contentsOf: repeatElement(Count(), count: more))
    singles.append(contentsOf: repeatElement(0, count: more))
  }

  /// Counts a record with `entries` single numbers.
  mutating func add(_ recordFields: Int, entries: UInt64) {
    guard !isOver else { return }
    pending[recordFields].records += 1
    pending[recordFields].entries += entries
  }

  mutating func add(singles fieldsTable: Span<UInt32>) {
    guard !isOver else { return }
    if fieldsCount == 1 {
      singles[0] += UInt32(fieldsTable.count)
      return
    }
    // A batch has a few thousand records: the counts can't overflow.
    var counts = singles.mutableSpan
    for index in 0..<fieldsTable.count { counts[Int(fieldsTable[index])] &+= 1 }
  }

  /// Adds the counts of the current batch to the totals of its labels, and resets them.
  mutating func addPending(_ labels: borrowing StoreLabels, _ table: borrowing RecordFieldsTable) {
    // After too many labels, nothing is counted.
    guard !isOver else { return }
    for index in 0..<fieldsCount where pending[index].records > 0 || singles[index] > 0 {
      var count = pending[index]
      count.records += UInt64(singles[index])
      count.entries += UInt64(singles[index])
      pending[index] = Count()
      singles[index] = 0
      if !isOver { add(labels.bytes(at: index, in: table), count) }
    }
  }

  mutating func add(_ label: [UInt8], _ count: Count) {
    guard !isOver else { return }
    if counts[label] == nil { bytes += label.count }
    counts[label, default: Count()].records += count.records
    counts[label, default: Count()].entries += count.entries
    guard counts.count > Self.labelsMax || bytes > Self.bytesMax else { return }
    isOver = true
    counts = [:]
  }

  mutating func take() -> Manifest.Labels {
    defer {
      counts = [:]
      bytes = 0
      isOver = false
    }
    if isOver { return Manifest.Labels() }
    guard counts.count <= Self.listedMax, bytes <= Self.listedBytesMax else {
      return Manifest.Labels(count: counts.count)
    }
    let sorted = counts.sorted { one, other in
      if one.value.entries != other.value.entries { return one.value.entries > other.value.entries }
      return one.key.lexicographicallyPrecedes(other.key)
    }
    return Manifest.Labels(
      count: counts.count,
      list: sorted.map { label, count in
        Manifest.Labels.LabelCount(
          label: String(decoding: label, as: UTF8.self), records: count.records, entries: count.entries)
      })
  }
}

// MARK: - Selects the N strongest entries of a stream in memory, for a bootstrap store
//
// Entries are ranked by score, which is 0 for a record without one, then by number, smaller numbers first. A
// range counts as many entries as it has numbers; the weakest selected range is cut to those that fit.

/// Selects the strongest entries. It holds at most one record for each of them, about 40 bytes each.
struct StrongestEntries {
  /// The maximum total size of the distinct labels in bytes. Labels usually repeat; a list of distinct labels of a
  /// kilobyte each must not fill the memory.
  static let labelBytesMax = 16 << 20

  private struct LabelKey: Hashable {
    var bytes: [UInt8]
    var kind: StoreKind
  }

  /// A label with its kind, and the number of selected records that have it.
  private final class Label {
    let key: LabelKey
    var uses = 0

    init(_ key: LabelKey) { self.key = key }
  }

  /// A selected record. The weakest comes first in the heap.
  private struct Candidate: Comparable {
    var score: Int64
    var first: UInt64
    var last: UInt64
    var label: Label
    var entries: UInt64 { last - first + 1 }

    static func == (one: Candidate, other: Candidate) -> Bool { one.first == other.first }
    static func < (one: Candidate, other: Candidate) -> Bool {
      one.score != other.score ? one.score < other.score : one.first > other.first
    }
  }

  struct Record {
    var first: UInt64
    var last: UInt64
    var kind: StoreKind
    var label: [UInt8]
  }

  private let count: UInt64
  private var heap = Heap<Candidate>()
  private var entries: UInt64 = 0
  /// The labels in use.
  private var labels: [LabelKey: Label] = [:]
  private var labelBytes = 0
  private var scores: [Int64] = []
  /// The current batch's labels, by the indices of its record fields. One that is not in use any more was dropped.
  private var held: [Label?] = []

  init(count: Int) {
    self.count = UInt64(clamping: count)
  }

  /// Selects from a batch. `storeLabels` was prepared with the batch's record fields.
  ///
  /// - Complexity: O(records), and O(log count) for each record that is selected, even if it is dropped later.
  mutating func select(
    from batch: borrowing RecordBatch, _ storeLabels: borrowing StoreLabels
  ) throws(Failure) {
    scores.removeAll(keepingCapacity: true)
    held.removeAll(keepingCapacity: true)
    for index in 0..<batch.fieldsTable.count {
      scores.append(RecordFields.fields(batch.fieldsTable[index]).score ?? 0)
      held.append(nil)
    }
    for index in 0..<batch.count {
      let recordFields = Int(batch.fieldsIndices[index])
      // Numbers ascend, so among equal scores the records already selected are stronger.
      if entries >= count, let weakest = heap.min, scores[recordFields] <= weakest.score { continue }
      let label = try label(of: recordFields, batch.fieldsTable, storeLabels)
      label.uses += 1
      let candidate = Candidate(
        score: scores[recordFields], first: batch.firsts[index], last: batch.lasts[index], label: label)
      heap.insert(candidate)
      entries += candidate.entries
      while let weakest = heap.min, entries - weakest.entries >= count { drop(heap.removeMin()) }
    }
  }

  /// Returns the selected records in ascending order, and releases them.
  mutating func takeRecords() -> [Record] {
    var records: [Record] = []
    records.reserveCapacity(heap.count)
    let weakest = heap.min
    for candidate in heap.unordered {
      var last = candidate.last
      if let weakest, weakest == candidate, entries > count { last -= entries - count }
      let label = candidate.label.key
      records.append(Record(first: candidate.first, last: last, kind: label.kind, label: label.bytes))
    }
    heap = Heap()
    entries = 0
    labels = [:]
    return records.sorted { $0.first < $1.first }
  }

  private mutating func drop(_ candidate: Candidate) {
    entries -= candidate.entries
    let label = candidate.label
    label.uses -= 1
    guard label.uses == 0 else { return }
    labels[label.key] = nil
    labelBytes -= label.key.bytes.count
  }

  private mutating func label(
    of recordFields: Int, _ table: borrowing RecordFieldsTable, _ storeLabels: borrowing StoreLabels
  ) throws(Failure) -> Label {
    if let known = held[recordFields], known.uses > 0 { return known }
    let key = LabelKey(
      bytes: storeLabels.bytes(at: recordFields, in: table), kind: storeLabels.kind(at: recordFields))
    if let known = labels[key] {
      held[recordFields] = known
      return known
    }
    labelBytes += key.bytes.count
    guard labelBytes <= Self.labelBytesMax else {
      throw Failure(
        .emit, .badData, "bootstrap-labels-too-large",
        "the labels of the bootstrap store exceed \(Figures.bytes(Self.labelBytesMax))",
        hint: "use a smaller \(option: "bootstrap")")
    }
    let label = Label(key)
    labels[key] = label
    held[recordFields] = label
    return label
  }
}
