// Where the bytes of a download go: into chunks, and those downstream. The body of a response that is no
// success goes nowhere.
//
// Not for: why a transfer ended.

import PipeStage
import SystemIO

/// Collects bytes in chunks and hands them on.
final class ResponseBody {
  /// What one resource has brought so far; bytes of an attempt that is tried again don't count.
  private(set) var received: UInt64 = 0
  /// Whether anything of this resource was handed on, so that it can't be tried again from its start.
  private(set) var hasHandedOn = false
  /// Why the bytes were refused.
  private(set) var failure: PipeFailure?

  private let downstream: any ByteSink
  private let context: StageContext
  private let maxBytes: UInt64?
  private var resource = ""
  private var chunk = ByteChunk()
  private var total: UInt64 = 0
  private var discarded = 0
  private var isWanted = false
  private var expected: UInt64?

  init(context: StageContext, maxBytes: UInt64?, downstream: any ByteSink) {
    self.context = context
    self.maxBytes = maxBytes
    self.downstream = downstream
  }

  /// Whether a status is that of a response whose body is the whole resource. 206 is a part nobody asked for.
  static func isSuccess(_ status: Int) -> Bool {
    (200..<300).contains(status) && status != 206
  }

  /// A further resource begins; `name` is for messages.
  func startResource(_ name: String) {
    resource = name
    received = 0
    hasHandedOn = false
    startAttempt()
  }

  /// The resource begins anew.
  ///
  /// - Precondition: nothing of it was handed on.
  func startAttempt() {
    precondition(!hasHandedOn, "what was handed on can't be taken back")
    total -= received
    received = 0
    chunk.removeAll()
    startRequest()
  }

  /// A further request begins, as after a redirect.
  func startRequest() {
    discarded = 0
    isWanted = false
    expected = nil
  }

  /// The first bytes are there; `isWanted` says whether they are of the resource or of a page that came in
  /// its place, and `expected` how many were announced.
  func begin(isWanted: Bool, expected: UInt64?) {
    self.isWanted = isWanted
    guard isWanted else { return }
    self.expected = expected
    if let maxBytes, let expected, expected > maxBytes - min(total, maxBytes) {
      failure = PipeFailure(context.stage, DownloadFailure.tooLarge(url: resource, limit: maxBytes))
    }
  }

  /// Takes bytes; false to get no more.
  func receive(_ bytes: Span<UInt8>) -> Bool {
    guard failure == nil else { return false }
    guard isWanted else {
      discarded += bytes.count
      return discarded <= DownloadLimits.discardedBytesMax
    }
    do throws(PipeFailure) {
      try keep(bytes)
      return true
    } catch {
      failure = error
      return false
    }
  }

  private func keep(_ bytes: Span<UInt8>) throws(PipeFailure) {
    var rest = bytes
    while !rest.isEmpty {
      if chunk.freeCapacity == 0 { try handOn() }
      let part = rest.extracting(first: min(rest.count, chunk.freeCapacity))
      try count(part.count)
      chunk.append(part)
      rest = rest.extracting(droppingFirst: part.count)
    }
  }

  /// Lets `read` fill the chunk, hands it on, and returns how many bytes there were.
  func read(
    _ read: (inout ByteChunk) throws(SystemFailure) -> Int
  ) throws(PipeFailure) -> Int {
    let read = try asPipeFailure(context.stage) { () throws(SystemFailure) in try read(&chunk) }
    try count(read)
    if read > 0 { try handOn() }
    return read
  }

  private func count(_ bytes: Int) throws(PipeFailure) {
    received += UInt64(bytes)
    total += UInt64(bytes)
    if let maxBytes, total > maxBytes {
      throw PipeFailure(context.stage, DownloadFailure.tooLarge(url: resource, limit: maxBytes))
    }
  }

  /// The resource is complete: hands on what is left of it.
  func finishResource() throws(PipeFailure) {
    announce()
    if !chunk.isEmpty { try handOn() }
  }

  private func handOn() throws(PipeFailure) {
    announce()
    hasHandedOn = true
    context.meter.bytesIn.add(chunk.count)
    try downstream.receive(&chunk)
    chunk.removeAll()
    // A sink may have swapped the chunk for one it had.
    if chunk.freeCapacity == 0 { chunk = ByteChunk() }
  }

  /// Says how much there is to come in all, once an attempt has got so far that it will not be repeated.
  private func announce() {
    guard let known = expected.take() else { return }
    context.meter.bytesExpected.add(Int(clamping: known))
  }
}
