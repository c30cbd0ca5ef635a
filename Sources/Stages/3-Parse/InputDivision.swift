// The parts of an input that several threads parse. It cuts the bytes at line ends, and passes the parts to the parser in
// order.

import BasicContainers
import Records
import Synchronization
import SystemIO

/// The head of an input, by which its format is recognised.
final class DividedHead: Sendable {
  let bytes: ContiguousArray<UInt8>
  let encoding: InputEncoding
  let input: String

  init(_ bytes: ContiguousArray<UInt8>, _ encoding: InputEncoding, _ input: String) {
    self.bytes = bytes
    self.encoding = encoding
    self.input = input
  }
}

/// Bytes of an input, and what a thread has made of them.
struct InputPart: ~Copyable {
  /// The size of a part: thousands of rows, and with its rows it stays in the second-level cache.
  static let bytesMax = 128 << 10

  var bytes = RigidArray<UInt8>(capacity: bytesMax)
  /// The offset in the input.
  var byte: UInt64 = 0
  /// The head of the input, and the position that is assumed; nil if the parser has to read the part.
  var head: DividedHead?
  var start: ReaderPosition?
  /// Where the part ended; nil if the parser has to read it.
  var end: PartEnd?
  var rows = RawRowBatches()
  var result = WorkerResult(.parse)

  /// Removes what a thread has made of the bytes: the parser reads the part, and counts for itself.
  mutating func discard() {
    end = nil
    rows.removeAll()
    result.discard()
  }
}

struct RawRowBatches: ~Copyable {
  /// The maximum number of batches: as many rows as short lines have, or long labels.
  static let batchesMax = 8

  /// The batches, of which only the first ``count`` are in use.
  private var batches = RigidArray<RawRowBatch>(capacity: batchesMax)
  private(set) var count = 0
  /// Whether there were more than fit.
  private(set) var isOverfull = false

  /// Exchanges a batch for an empty one.
  mutating func add(_ batch: inout RawRowBatch) {
    if count == Self.batchesMax {
      isOverfull = true
      return batch.removeAll()
    }
    if count == batches.count { batches.append(RawRowBatch()) }
    swap(&batches[count], &batch)
    count += 1
  }

  /// Passes the rows on, and removes them.
  mutating func pass(to writer: inout RowWriter) throws(Failure) {
    for index in 0..<count { try writer.pass(&batches[index]) }
    count = 0
  }

  mutating func removeAll() {
    for index in 0..<count { batches[index].removeAll() }
    count = 0
    isOverfull = false
  }
}

/// Divides the inputs of a parser.
final class InputDivision {
  /// The maximum number of threads: reading the input is then the longest part of the work.
  static let threadsMax = 6
  private static let headBytesMin = ParseLimits.startBytesMax + ByteOrderMark.bytesMax
  /// The size up to which the start of an input is kept as its head.
  fileprivate static let headBytesMax = 1 << 20

  /// What the thread that passes parts on shares with the one that cuts them.
  ///
  /// `@unchecked Sendable`: the stored properties after `lock` are accessed only while it is held.
  private final class Progress: @unchecked Sendable {
    let lock = ConditionLock()
    var passed = 0
    var hasFailed = false
    /// The start of the input, until it is a head.
    var first: ContiguousArray<UInt8>? = []
    var head: DividedHead?
    /// The position after the last part; nil if parts can't be read by other threads there.
    var position: ReaderPosition?

    func notePassed(_ bytes: Span<UInt8>, _ parser: RowParser) {
      let reached = parser.position
      lock.lock()
      defer { lock.unlock() }
      passed += 1
      position = reached
      lock.signal()
      guard head == nil, var first = first.take() else { return }
      first.append(copying: bytes)
      if first.count >= InputDivision.headBytesMin, reached != nil {
        head = DividedHead(first, parser.encoding, parser.input)
      } else if first.count <= InputDivision.headBytesMax {
        self.first = first
      }
    }

    /// Notes that no more parts will be passed on.
    func fail() {
      lock.lock()
      hasFailed = true
      lock.signal()
      lock.unlock()
    }
  }

  private let parser: RowParser
  private let threads: Int
  private let progress = Progress()
  private var relay: RelayThread<InputPart>?
  private var part = InputPart()
  private var tail: ContiguousArray<UInt8> = []
  private var pushed = 0
  /// The offset of the next part.
  private var byte: UInt64 = 0

  init(_ parser: RowParser, threads: Int) {
    self.parser = parser
    self.threads = threads
  }

  deinit {
    relay?.stop()
  }

  /// Adds bytes in UTF-8.
  func add(_ bytes: Span<UInt8>) throws(Failure) {
    var start = 0
    while start < bytes.count {
      let count = min(part.bytes.freeCapacity, bytes.count - start)
      part.bytes.append(copying: bytes.extracting(start..<start + count))
      start += count
      if part.bytes.isFull { try pushFull() }
    }
  }

  /// Passes all bytes to the parser, which the caller may use until it adds more.
  func drain() throws(Failure) {
    guard relay != nil else {
      var bytes = RigidArray<UInt8>(capacity: 0)
      swap(&bytes, &part.bytes)
      defer {
        bytes.removeAll()
        swap(&bytes, &part.bytes)
      }
      return try parser.parse(bytes.span)
    }
    if !part.bytes.isEmpty { try push() }
    progress.lock.lock()
    while progress.passed < pushed, !progress.hasFailed { progress.lock.wait() }
    let hasFailed = progress.hasFailed
    progress.lock.unlock()
    if hasFailed { try relay?.finish() }
  }

  func begin() {
    byte = 0
    progress.lock.lock()
    (progress.first, progress.head, progress.position) = ([], nil, nil)
    progress.lock.unlock()
  }

  /// Ends the threads. Call it after ``drain()``.
  func finish() throws(Failure) {
    try relay?.finish()
  }

  private func pushFull() throws(Failure) {
    if relay == nil { relay = try makeRelay() }
    Self.moveTail(of: &part.bytes, to: &tail)
    try push()
    Self.moveAll(of: &tail, to: &part.bytes)
  }

  /// Moves what follows the last line end. A line that is longer than a part is cut anywhere.
  private static func moveTail(of bytes: inout RigidArray<UInt8>, to tail: inout ContiguousArray<UInt8>) {
    var end = bytes.count
    while end > 0, bytes[end - 1] != 0x0A { end -= 1 }
    if end == 0 { return }
    tail.append(copying: bytes.span.extracting(end..<bytes.count))
    bytes.removeLast(bytes.count - end)
  }

  private static func moveAll(of tail: inout ContiguousArray<UInt8>, to bytes: inout RigidArray<UInt8>) {
    bytes.append(copying: tail.span)
    tail.removeAll(keepingCapacity: true)
  }

  private func push() throws(Failure) {
    part.byte = byte
    byte += UInt64(part.bytes.count)
    progress.lock.lock()
    (part.head, part.start) = (progress.head, progress.head == nil ? nil : progress.position)
    progress.lock.unlock()
    try relay?.push(&part)
    pushed += 1
    part.bytes.removeAll()
  }

  private func makeRelay() throws(Failure) -> RelayThread<InputPart> {
    var work: [OrderedWork<InputPart>.Work] = []
    for _ in 0..<threads {
      let worker = try PartParser(parser)
      work.append { part in worker.parse(&part) }
    }
    // Each thread has a part that it parses and one that waits.
    var parts = RigidArray<InputPart?>(capacity: 2 * threads)
    for _ in 0..<2 * threads { parts.append(InputPart()) }
    let target = PartTarget(parser)
    return try RelayThread(
      name: "ordered", OrderedWork(parts, work: work), InputPart(),
      RelayThread.Consumer(
        receive: { [progress] (part) throws(Failure) in
          do throws(Failure) {
            try target.parser.add(&part)
          } catch {
            progress.fail()
            throw error
          }
          progress.notePassed(part.bytes.span, target.parser)
        }, finish: {}))
  }
}

/// The parser in the thread that passes parts on.
///
/// `@unchecked Sendable`: only that thread uses it between a call of `push` and the end of ``InputDivision/drain()``.
private struct PartTarget: @unchecked Sendable {
  let parser: RowParser
  init(_ parser: RowParser) { self.parser = parser }
}

/// Parses parts in one thread.
///
/// `@unchecked Sendable`: only its thread uses it.
private final class PartParser: @unchecked Sendable {
  /// Receives the rows of the part that is being parsed.
  private final class Output: RawRowSink {
    var rows = RawRowBatches()
    func receive(_ batch: inout RawRowBatch) { rows.add(&batch) }
    func finish() {}
  }
  /// The maximum number of rejects of a part that wait. The parser reads a part with more.
  private static let rejectsMax = 1024

  private let options: ParseOptions
  private let context: WorkerContext
  private let output = Output()
  private var head: DividedHead?
  private var parser: RowParser?

  init(_ parser: RowParser) throws(Failure) {
    options = parser.options
    context = try WorkerContext(of: parser.context)
  }

  /// Parses a part. What can't be parsed here is left to the parser of the input, which also throws the errors.
  func parse(_ part: inout InputPart) {
    part.end = nil
    guard let start = part.start, let head = part.head else { return }
    if self.head !== head { begin(head) }
    guard let parser else { return }
    swap(&output.rows, &part.rows)
    part.end = try? parser.readPart(part.bytes.span, at: part.byte, from: start)
    swap(&output.rows, &part.rows)
    context.take(&part.result)
    if part.end == nil || part.rows.isOverfull || part.result.rejects.count > Self.rejectsMax {
      part.discard()
    }
  }

  private func begin(_ head: DividedHead) {
    self.head = head
    let parser = RowParser(
      options: options, input: head.input, context: context.context, downstream: output)
    self.parser = (try? parser.readHead(head)) == true ? parser : nil
    // The rows and rejects of the head are not those of a part.
    output.rows.removeAll()
    var result = WorkerResult(.parse)
    context.take(&result)
  }
}
