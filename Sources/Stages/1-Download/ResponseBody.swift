// Where the bytes of a download go: into chunks, those downstream, and a copy on the cache. The body of a response
// that is no success goes nowhere.
//
// Not for: why a transfer ended, or what a response means (WebFetch).

import ContentHash
import PipeStage
import SystemIO

/// Collects bytes in chunks and hands them on.
final class ResponseBody {
  /// What a response's body is to this download.
  enum Role {
    /// A page that came in its place.
    case none
    /// The resource from its start.
    case whole(expected: UInt64?)
    /// The resource from where it broke off.
    case rest
    /// The resource from its start once more: what is there already is read over.
    case repeated
  }

  /// What one resource has brought so far; bytes of an attempt that began anew don't count.
  private(set) var received: UInt64 = 0
  /// Whether anything of this resource was handed on, so that it can't be begun anew.
  private(set) var hasSent = false
  /// Why the bytes were refused.
  private(set) var error: StageError?
  /// How many bytes of this response are still to be read over.
  private(set) var toSkip: UInt64 = 0
  /// The hash of all that was handed on, if it is wanted.
  private(set) var hash: SHA256Hasher?
  /// Cached bodies that are only sent when something changed behind them.
  private var deferred: [ResourceCache] = []

  private let downstream: any ByteSink
  private let context: StageContext
  private let maxBytes: UInt64?
  private var cache: ResourceCache?
  private var resource = ""
  private var chunk = ByteChunk()
  private var total: UInt64 = 0
  private var discarded = 0
  private var isReceivingBody = false
  private var expected: UInt64?
  private var isAnnounced = false

  init(context: StageContext, options: DownloadOptions, downstream: any ByteSink) {
    self.context = context
    maxBytes = options.maxBytes
    self.downstream = downstream
    if options.sha256 != nil { hash = SHA256Hasher() }
  }

  /// A further resource begins; `name` is for messages, and `cache` gets a copy.
  func startResource(_ name: String, cache: ResourceCache? = nil) {
    resource = name
    self.cache = cache
    received = 0
    hasSent = false
    isAnnounced = false
    startOver()
  }

  /// The resource begins anew.
  ///
  /// - Precondition: nothing of it was handed on.
  func startOver() {
    precondition(!hasSent, "what was handed on can't be taken back")
    total -= received
    received = 0
    chunk.removeAll()
    startRequest()
  }

  /// A further request begins, as after a redirect.
  func startRequest() {
    discarded = 0
    toSkip = 0
    isReceivingBody = false
  }

  /// The body of a response begins.
  func begin(_ role: Role) {
    toSkip = 0
    isReceivingBody = true
    switch role {
    case .none: isReceivingBody = false
    case .whole(let expected):
      self.expected = expected
      if let maxBytes, let expected, expected > maxBytes - min(total, maxBytes) {
        self.error = StageError(context.stage, DownloadError.tooLarge(url: resource, limit: maxBytes))
      }
    case .rest: break
    case .repeated: toSkip = received
    }
    guard isReceivingBody, error == nil, !deferred.isEmpty else { return }
    recordingError { () throws(StageError) in try sendDeferred() }
  }

  private func recordingError(_ work: () throws(StageError) -> Void) {
    do throws(StageError) {
      try work()
    } catch {
      self.error = error
    }
  }

  /// Takes bytes; false to get no more.
  func receive(_ bytes: Span<UInt8>) -> Bool {
    guard error == nil else { return false }
    guard isReceivingBody else {
      discarded += bytes.count
      return discarded <= DownloadLimits.discardedBytesMax
    }
    let skipped = min(toSkip, UInt64(bytes.count))
    toSkip -= skipped
    let rest = bytes.extracting(droppingFirst: Int(skipped))
    do throws(StageError) {
      try keep(rest)
      return true
    } catch {
      self.error = error
      return false
    }
  }

  private func keep(_ bytes: Span<UInt8>) throws(StageError) {
    var rest = bytes
    while !rest.isEmpty {
      if chunk.freeCapacity == 0 { try sendChunk(isNew: true) }
      let part = rest.extracting(first: min(rest.count, chunk.freeCapacity))
      try count(part.count)
      chunk.append(part)
      rest = rest.extracting(droppingFirst: part.count)
    }
  }

  /// Lets `read` fill the chunk, hands it on, and returns how many bytes there were.
  func read(
    _ read: (inout ByteChunk) throws(SystemError) -> Int
  ) throws(StageError) -> Int {
    let read = try asStageError(context.stage) { () throws(SystemError) in try read(&chunk) }
    try count(read)
    if read > 0 { try sendChunk(isNew: false) }
    return read
  }

  private func count(_ bytes: Int) throws(StageError) {
    received += UInt64(bytes)
    total += UInt64(bytes)
    if let maxBytes, total > maxBytes {
      throw StageError(context.stage, DownloadError.tooLarge(url: resource, limit: maxBytes))
    }
  }

  /// The resource is complete: hands on what is left of it.
  func finishResource() throws(StageError) {
    announce()
    if !chunk.isEmpty { try sendChunk(isNew: true) }
  }

  /// `isNew`: the bytes are not on the cache yet.
  private func sendChunk(isNew: Bool) throws(StageError) {
    announce()
    hasSent = true
    context.meter.bytesIn.add(chunk.count)
    hash?.update(chunk.span)
    if isNew, let cache { cache.append(chunk) }
    try downstream.receive(&chunk)
    chunk.removeAll()
    // A sink may have swapped the chunk for one it had.
    if chunk.freeCapacity == 0 { chunk = ByteChunk() }
  }

  /// Puts what was received and not handed on onto the cache, so that a later run need not fetch it again.
  func saveUnsentBytes() {
    guard let cache, let copied = cache.copy?.count, received > copied else { return }
    // Fewer when downstream failed and took the chunk: then it was copied before.
    if received - copied == UInt64(chunk.count) { cache.append(chunk) }
  }

  /// Says how much there is to come in all, once an attempt has got so far that it will not be repeated.
  private func announce() {
    guard !isAnnounced, let bytes = expected else { return }
    isAnnounced = true
    context.meter.bytesExpected.add(Int(clamping: bytes))
  }

  // MARK: From the cache

  /// Sends the beginning that an earlier run left.
  func sendPart(_ length: UInt64) {
    recordingError { () throws(StageError) in
      guard let file = cache?.copy else { return }
      try send(file, length)
    }
  }

  /// Sends the cached body.
  func sendStored(_ cache: ResourceCache) throws(StageError) {
    guard let (metadata, file) = cache.stored else { return }
    expected = metadata.length
    if let maxBytes, metadata.length > maxBytes - min(total, maxBytes) {
      throw StageError(context.stage, DownloadError.tooLarge(url: resource, limit: maxBytes))
    }
    let sent = try send(file, metadata.length)
    // It was whole when it was checked a moment ago.
    guard sent.byteCount == metadata.length, sent.hex == metadata.sha256 else {
      throw StageError(context.stage, DownloadError.cacheDamaged(path: file.path))
    }
  }

  @discardableResult
  private func send(_ file: BodyFile, _ length: UInt64) throws(StageError) -> SHA256Hasher {
    var sent = SHA256Hasher()
    while sent.byteCount < length {
      let count = try asStageError(context.stage) { () throws(SystemError) in
        try file.read(into: &chunk, at: sent.byteCount, limit: length - sent.byteCount)
      }
      if count == 0 { break }
      sent.update(chunk.span)
      try self.count(count)
      try sendChunk(isNew: false)
    }
    return sent
  }

  /// Whether a body is deferred back.
  var hasDeferred: Bool { !deferred.isEmpty }

  /// Holds a cached body back until something changed.
  func deferBody(_ cache: ResourceCache) { deferred.append(cache) }

  /// Sends the bodies that were deferred back: the resource that comes now has changed. It has brought nothing yet.
  private func sendDeferred() throws(StageError) {
    let now = (received, hasSent, expected, isAnnounced)
    for cache in deferred {
      isAnnounced = false
      try sendStored(cache)
    }
    deferred = []
    (received, hasSent, expected, isAnnounced) = now
  }
}
