// Writes records to a store: their labels and kinds, the blocks, the file. Threads encode blocks if there are
// several.

import BasicContainers
import CallStoreFormat
import Records
import StoreWriting
import SystemIO
import SystemPackage

extension EmitFormat {
  package static let store = EmitFormat(
    rawValue: "store", what: "stores that a phone loads", group: .store, extensions: ["cdstore"],
    fields: .label, ranges: .bounds, isBinary: true
  ) { (options, context) throws(Failure) in try StoreTarget(options, context) }
}

extension Failure {
  fileprivate static var isTerminal: Failure {
    Failure(
      .emit, .usage, "is-terminal", "a store is not written to a terminal",
      hint: "use \(option: "o", "FILE.cdstore")")
  }

  fileprivate static func tooManyEntries(_ count: UInt64, limit: UInt64, shards: UInt64) -> Failure {
    Failure(
      .emit, .badData, "too-many-entries",
      "\(Figures.grouped(count)) numbers exceed the capacity of one store (\(Figures.grouped(limit)))",
      hint: shards > EmitOptions.shardsMax
        ? "check the ranges: these numbers exceed \(Figures.grouped(UInt64(EmitOptions.shardsMax))) shards as well"
        : "use \(option: "format=", "store") \(option: "o", "DIRECTORY") to write \(Figures.grouped(shards)) shards"
    )
  }
}

final class StoreTarget: EmitTarget {
  private let maxEntries: UInt64
  private var labels: StoreLabels
  private var store: StoreFile?
  private var entries: UInt64 = 0
  private var row: UInt64 = 0
  private var summary: StoreSummary?

  init(_ options: EmitOptions, _ context: StageContext) throws(Failure) {
    if options.output == OutputFile.standardOutput, RunningProcess.isOutputTerminal {
      throw .isTerminal
    }
    maxEntries = options.maxEntries
    labels = StoreLabels(options.blockGlobs)
    store = try StoreFile(options.output, threads: options.threads, calls: context.calls)
  }

  func write(_ batch: borrowing RecordBatch) throws(Failure) {
    labels.prepare(batch.fieldsTable)
    if store != nil, batch.isSingles, entries + UInt64(batch.count) <= maxEntries {
      try labels.append(singles: batch, 0..<batch.count, row: row + 1, to: &store!)
      entries += UInt64(batch.count)
      row += UInt64(batch.count)
      return
    }
    for index in 0..<batch.count {
      let first = batch.firsts[index]
      let last = batch.lasts[index]
      row += 1
      entries &+= last - first + 1
      // Beyond the limit, numbers are only counted, for the error.
      if entries > maxEntries { store = nil }
      guard store != nil else { continue }
      try labels.append(
        first: first, last: last, batch.fieldsTable, Int(batch.fieldsIndices[index]), row: row,
        to: &store!)
    }
  }

  func seal() throws(Failure) {
    guard store != nil else {
      throw .tooManyEntries(entries, limit: maxEntries, shards: (entries + maxEntries - 1) / maxEntries)
    }
    summary = try store!.seal()
    try store!.verify()
  }

  func publish() throws(Failure) {
    try store.take()?.publish()
  }

  func outcome(_ output: inout EmittedOutput) {
    if let summary { output.set(summary) }
  }
}

// Writes one store to its file: fills, encodes and writes its blocks, verifies the file, and publishes it.
//
// Filling and encoding blocks cost about the same, so with threads each has its own.

struct StoreFile: ~Copyable {
  private var filler: BlockFiller
  private let writer: BlockWriter
  private let relay: BlockRelay?

  init(
    _ path: String, removesLeftovers: Bool = true, threads: Int = 1, calls: any SystemCalls
  ) throws(Failure) {
    // Everything that can throw runs before the first property is set; see OutputFile.
    let made = BlockWriter(
      try asFailure(.emit) { () throws(SystemError) in
        try OutputFile(path, removesLeftovers: removesLeftovers, calls: calls)
      })
    let started = threads > 1 ? try BlockRelay(made, threads: threads) : nil
    writer = made
    relay = started
    filler = BlockFiller()
  }

  /// Appends a record whose label is at `index` in a batch. `row` is for messages.
  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, at index: Int,
    _ names: inout StoreNames, row: UInt64
  ) throws(Failure) {
    do throws(StoreEncodingError) {
      if try filler.append(first: first, last: last, kind: kind, label: label, at: index, &names) { return }
    } catch {
      throw error.failure(.emit, row: row)
    }
    try endBlock(kind)
    try append(first: first, last: last, kind: kind, label: label, at: index, &names, row: row)
  }

  /// Appends a record whose label is not in a batch. `row` is for messages.
  mutating func append(
    first: UInt64, last: UInt64, kind: StoreKind, label: Span<UInt8>, row: UInt64
  ) throws(Failure) {
    do throws(StoreEncodingError) {
      if try filler.append(first: first, last: last, kind: kind, label: label) { return }
    } catch {
      throw error.failure(.emit, row: row)
    }
    try endBlock(kind)
    try append(first: first, last: last, kind: kind, label: label, row: row)
  }

  /// Appends the first single numbers whose labels have names, and returns how many were appended.
  mutating func append(numbers: Span<UInt64>, labels: Span<UInt32>, _ names: inout StoreNames) -> Int {
    filler.append(numbers: numbers, labels: labels, &names)
  }

  /// Appends the first single numbers, including those whose labels have no names yet, and returns how many were
  /// appended.
  mutating func append(
    numbers: Span<UInt64>, labels: Span<UInt32>, in texts: borrowing BatchLabels, _ names: inout StoreNames
  ) -> Int {
    filler.append(numbers: numbers, labels: labels, in: texts, &names)
  }

  private mutating func endBlock(_ kind: StoreKind) throws(Failure) {
    try filler.endBlock(kind) { [writer, relay] (block) throws(Failure) in
      if let relay { try relay.push(&block) } else { try writer.write(&block) }
    }
  }

  /// The file's descriptor, to read a sealed store back. This value keeps ownership.
  var descriptor: Int32 { writer.descriptor }

  mutating func seal() throws(Failure) -> StoreSummary {
    for kind in StoreKind.allCases { try endBlock(kind) }
    try relay?.finish()
    return try writer.seal(filler)
  }

  /// Reads a sealed store back and checks all of it, unless it was written in place: such an output can't be read
  /// back, or contains more than the store.
  func verify() throws(Failure) {
    try writer.verify()
  }

  /// Publishes a sealed store, under `name` if it was not known at the beginning.
  consuming func publish(as name: String? = nil) throws(Failure) {
    try writer.publish(as: name)
  }
}

// The labels and kinds of a batch's record fields in a store, and writing the batch to the store.

/// The labels of a batch's record fields in a store, without escapes, and their kinds.
struct StoreLabels: ~Copyable {
  private let globs: [LabelGlob]
  /// For each record fields of the batch: the position of its label, which may have escapes, and its kind.
  private var spans = UniqueArray<LabelSpan>()
  /// The labels that had escapes, without them, by the indices of their record fields.
  private var unescaped: [Int: [UInt8]] = [:]
  /// The names of the labels in the store that is being written.
  private var names = StoreNames()
  private var known: [String: StoreKind] = [:]
  private static let knownMax = 4096

  init(_ globs: [String]) {
    self.globs = globs.map(LabelGlob.init)
  }

  /// Finds the labels and kinds of a batch's record fields.
  mutating func prepare(_ table: borrowing RecordFieldsTable) {
    spans.removeAll(keepingCapacity: true)
    if !unescaped.isEmpty { unescaped.removeAll() }
    names.reset(count: table.count)
    let ends = table.textEnds
    if globs.isEmpty, Self.hasOnlyPlainLabels(table.text) {
      Self.setPlainSpans(&spans, ends)
      return
    }
    var start = 0
    for index in 0..<ends.count {
      spans.append(span(of: table[index], at: index, start: start))
      start = Int(ends[index])
    }
  }

  /// Sets the spans of labels without escapes, each from the end of the previous label to its own end.
  private static func setPlainSpans(_ spans: inout UniqueArray<LabelSpan>, _ ends: Span<UInt32>) {
    spans.append(addingCount: ends.count) { output in
      var start = 0
      for index in ends.indices {
        let count = Int(ends[index]) &- start
        output.append(LabelSpan(start: start, count: count, kind: kind(count: count), isPlain: true))
        start &+= count
      }
    }
  }

  /// The kind of a label with `count` bytes and no pattern: a number without a label is only blocked.
  private static func kind(count: Int) -> StoreKind { count == 0 ? .blocking : .identification }

  /// Whether record fields consist only of labels without escapes: the text has no tabs and no backslashes.
  private static func hasOnlyPlainLabels(_ text: Span<UInt8>) -> Bool {
    let wholeEnd = text.count & ~63
    var at = 0
    while at < wholeEnd {
      // In bounds: there are 64 bytes from `at` on. No branches, so that the compiler can vectorize the loop.
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

  private mutating func span(of recordFields: Span<UInt8>, at index: Int, start: Int) -> LabelSpan {
    let (count, isEscaped) = Self.label(of: recordFields)
    if count == 0 || !isEscaped && globs.isEmpty {
      return LabelSpan(start: start, count: count, kind: Self.kind(count: count), isPlain: true)
    }
    let label = RecordFields.fields(recordFields).label
    if isEscaped { unescaped[index] = Array(label.utf8) }
    return LabelSpan(start: start, count: count, kind: kind(of: label), isPlain: !isEscaped)
  }

  /// The length of the label at the start of a record's fields, and whether it has escapes.
  private static func label(of recordFields: Span<UInt8>) -> (count: Int, isEscaped: Bool) {
    let raw = unsafe recordFields.bytes
    var count = 0
    // Eight bytes at a time, as long as they have no tab and no backslash. The last eight overlap those before them.
    while recordFields.count >= 8, count < recordFields.count {
      let offset = min(count, recordFields.count - 8)
      let word = raw.u64(offset)
      if hasByte(word, UInt8(ascii: "\t")) || hasByte(word, UInt8(ascii: "\\")) { break }
      count = offset + 8
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

  /// Removes the names of the labels: another store begins.
  mutating func resetNames() {
    names.reset(count: spans.count)
  }

  /// The kind of the records with the record fields at `index`.
  func kind(at index: Int) -> StoreKind { spans[index].kind }

  /// The label of the record fields at `index`, without escapes. `table` is the one that ``prepare(_:)`` was called
  /// with.
  func bytes(at index: Int, in table: borrowing RecordFieldsTable) -> [UInt8] {
    let span = spans[index]
    if !span.isPlain, let label = unescaped[index] { return label }
    let label = table.text.extracting(span.start..<span.start + span.count)
    return unsafe label.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Appends a record with the record fields at `index`. `table` is the one that ``prepare(_:)`` was called with.
  mutating func append(
    first: UInt64, last: UInt64, _ table: borrowing RecordFieldsTable, _ index: Int, row: UInt64,
    to store: inout StoreFile
  ) throws(Failure) {
    let span = spans[index]
    if !span.isPlain, let label = unescaped[index] {
      try store.append(
        first: first, last: last, kind: span.kind, label: label.span, at: index, &names, row: row)
    } else {
      let label = table.text.extracting(span.start..<span.start + span.count)
      try store.append(
        first: first, last: last, kind: span.kind, label: label, at: index, &names, row: row)
    }
  }

  /// Appends the single numbers in `range` of the batch that ``prepare(_:)`` was called for. `row` is the row of the
  /// first one, for messages.
  mutating func append(
    singles batch: borrowing RecordBatch, _ range: Range<Int>, row: UInt64, to store: inout StoreFile
  ) throws(Failure) {
    let numbers = batch.firsts.span
    let labels = batch.fieldsIndices.span
    var at = range.lowerBound
    while at < range.upperBound {
      let rest = numbers.extracting(at..<range.upperBound)
      let restLabels = labels.extracting(at..<range.upperBound)
      // With distinct labels, the next label has no name yet.
      var appended =
        names.isNamed(Int(labels[at])) ? store.append(numbers: rest, labels: restLabels, &names) : 0
      if appended == 0 {
        appended = Self.append(rest, labels: restLabels, batch.fieldsTable, spans, &names, to: &store)
      }
      at += appended
      if appended > 0 { continue }
      try append(
        first: numbers[at], last: numbers[at], batch.fieldsTable, Int(labels[at]),
        row: row + UInt64(at - range.lowerBound), to: &store)
      at += 1
    }
  }

  private static func append(
    _ numbers: Span<UInt64>, labels: Span<UInt32>, _ table: borrowing RecordFieldsTable,
    _ spans: borrowing UniqueArray<LabelSpan>, _ names: inout StoreNames, to store: inout StoreFile
  ) -> Int {
    let texts = BatchLabels(text: table.text, spans: spans.span)
    return store.append(numbers: numbers, labels: labels, in: texts, &names)
  }
}

// MARK: - Encodes full blocks and writes them to a file, optionally in separate threads

/// Encodes blocks into a file. It belongs to one thread at a time.
final class BlockWriter {
  private var body = StoreBody()
  /// Nil after the file was published.
  private var file: OutputFile?

  init(_ file: consuming OutputFile) {
    self.file = consume file
  }

  /// Encodes a block that has records, and empties it. Writes the pending bytes when there are enough.
  func write(_ block: inout BlockBuilder) throws(Failure) {
    body.append(&block)
    if body.isDrainDue { try drain() }
  }

  /// Ends the store after its last block was written, and returns its totals.
  func seal(_ filler: borrowing BlockFiller) throws(Failure) -> StoreSummary {
    let summary = filler.finish(&body)
    try drain()
    return summary
  }

  var descriptor: Int32 { file?.descriptor.rawValue ?? -1 }

  func verify() throws(Failure) {
    guard let isNew = file?.isNew, isNew, let path = file?.path else { return }
    do throws(StoreVerificationError) {
      try StoreVerification.verify(descriptor: descriptor)
    } catch {
      throw .invalidStore(error, path: path)
    }
  }

  func publish(as name: String?) throws(Failure) {
    try asFailure(.emit) { () throws(SystemError) in try file.take()?.publish(as: name) }
  }

  private func drain() throws(Failure) {
    try asFailure(.emit) { () throws(SystemError) in
      try body.drain { (bytes) throws(SystemError) in try file?.write(bytes) }
    }
  }
}

/// Passes full blocks to threads: some encode their numbers, and one encodes their labels and writes them in order. The
/// threads stop when the relay is released.
final class BlockRelay {
  /// The number of blocks in transit if one thread writes them, about 100 KiB each, or 400 KiB where every record has a
  /// distinct label.
  private static let depth = 4
  /// The maximum number of threads that encode numbers, which takes about as long as the rest of the work.
  private static let encodersMax = 2

  private let thread: RelayThread<BlockBuilder>

  init(_ writer: BlockWriter, threads count: Int) throws(Failure) {
    let queue: RelayQueue<BlockBuilder>
    // Merging, deduping and verifying have threads, too.
    let encoders = min(count - 3, Self.encodersMax)
    if encoders > 0 {
      var blocks = RigidArray<BlockBuilder?>(capacity: Self.depth)
      for _ in 0..<Self.depth { blocks.append(BlockBuilder()) }
      queue = try OrderedWork(
        blocks,
        work: (0..<encoders).map { _ in
          let encoder = BlockEncoder()
          return { block in encoder.encode(&block) }
        })
    } else {
      queue = BoundedBuffer(count: Self.depth) { BlockBuilder() }
    }
    thread = try RelayThread(
      name: encoders > 0 ? "ordered" : "blocks", queue, BlockBuilder(),
      RelayThread.Consumer(
        receive: { (block) throws(Failure) in try writer.write(&block) }, finish: { () throws(Failure) in }))
  }

  deinit { thread.stop() }

  /// Exchanges a full block for an empty one. Throws the error of an earlier write.
  func push(_ block: inout BlockBuilder) throws(Failure) { try thread.push(&block) }

  /// Waits until all blocks are written.
  func finish() throws(Failure) { try thread.finish() }
}

/// Encodes numbers in one thread.
///
/// `@unchecked Sendable`: only its thread uses it.
private final class BlockEncoder: @unchecked Sendable {
  private var encoder = NumberEncoder()

  func encode(_ block: inout BlockBuilder) {
    encoder.encode(&block)
  }
}
