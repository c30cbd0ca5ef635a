// The destination of a download's bytes: chunks, which go downstream, and a copy in the cache. The body of an error
// response is discarded.

import Hashing
import Records
import SystemIO

final class ResponseBody {
  enum Role {
    /// Not part of the resource, such as an error page.
    case none
    case whole(expected: UInt64?)
    /// The rest of the resource, after what has been received.
    case rest
    /// The resource from its start again; the bytes received before are skipped.
    case repeated
  }

  /// The bytes received of the current resource, without those of attempts that were started over.
  private(set) var received: UInt64 = 0
  /// Whether bytes of this resource were sent downstream, so that it can't be started over.
  private(set) var hasSent = false
  private(set) var error: Failure?
  /// The bytes of this response that are still to be skipped.
  private(set) var toSkip: UInt64 = 0
  private(set) var hash: SHA256Hasher?
  /// Cached bodies that are sent only if a later resource has changed.
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

  /// Starts a resource; `name` is for messages, and `cache` receives a copy.
  func startResource(_ name: String, cache: ResourceCache? = nil) {
    resource = name
    self.cache = cache
    received = 0
    hasSent = false
    isAnnounced = false
    startOver()
  }

  /// Starts the resource over.
  ///
  /// - Precondition: nothing of it was sent downstream.
  func startOver() {
    precondition(!hasSent, "output can't be taken back")
    total -= received
    received = 0
    chunk.removeAll()
    startRequest()
  }

  /// Starts another request for the resource, such as after a redirect.
  func startRequest() {
    discarded = 0
    toSkip = 0
    isReceivingBody = false
  }

  func begin(_ role: Role) {
    toSkip = 0
    isReceivingBody = true
    switch role {
    case .none: isReceivingBody = false
    case .whole(let expected):
      self.expected = expected
      if let maxBytes, let expected, expected > maxBytes - min(total, maxBytes) {
        self.error = .tooLarge(url: resource, limit: maxBytes)
      }
    case .rest: break
    case .repeated: toSkip = received
    }
    guard isReceivingBody, error == nil, !deferred.isEmpty else { return }
    recordingError { () throws(Failure) in try sendDeferred() }
  }

  private func recordingError(_ work: () throws(Failure) -> Void) {
    do throws(Failure) {
      try work()
    } catch {
      self.error = error
    }
  }

  func receive(_ bytes: Span<UInt8>) -> Bool {
    guard error == nil else { return false }
    guard isReceivingBody else {
      discarded += bytes.count
      return discarded <= DownloadLimits.discardedBytesMax
    }
    let skipped = min(toSkip, UInt64(bytes.count))
    toSkip -= skipped
    let rest = bytes.extracting(droppingFirst: Int(skipped))
    do throws(Failure) {
      try keep(rest)
      return true
    } catch {
      self.error = error
      return false
    }
  }

  private func keep(_ bytes: Span<UInt8>) throws(Failure) {
    var rest = bytes
    while !rest.isEmpty {
      if chunk.freeCapacity == 0 { try sendChunk(isNew: true) }
      let part = rest.extracting(first: min(rest.count, chunk.freeCapacity))
      try count(part.count)
      chunk.append(part)
      rest = rest.extracting(droppingFirst: part.count)
    }
  }

  /// Lets `read` fill the chunk, sends it, and returns the number of bytes.
  func read(_ read: (inout ByteChunk) throws(SystemError) -> Int) throws(Failure) -> Int {
    let read = try asFailure(context.stage) { () throws(SystemError) in try read(&chunk) }
    try count(read)
    if read > 0 { try sendChunk(isNew: false) }
    return read
  }

  private func count(_ bytes: Int) throws(Failure) {
    received += UInt64(bytes)
    total += UInt64(bytes)
    if let maxBytes, total > maxBytes { throw .tooLarge(url: resource, limit: maxBytes) }
  }

  func finishResource() throws(Failure) {
    announce()
    if !chunk.isEmpty { try sendChunk(isNew: true) }
  }

  /// `isNew`: the bytes are not in the cache yet.
  private func sendChunk(isNew: Bool) throws(Failure) {
    announce()
    hasSent = true
    context.meter.bytesIn.add(chunk.count)
    hash?.update(chunk.span)
    if isNew, let cache { cache.append(chunk) }
    try downstream.receive(&chunk)
    chunk.removeAll()
    // A sink may have swapped the chunk for one of its own.
    if chunk.freeCapacity == 0 { chunk = ByteChunk() }
  }

  /// Copies bytes that were not sent to the cache, so that a later run need not fetch them again.
  func saveUnsentBytes() {
    guard let cache, let copied = cache.copy?.count, received > copied else { return }
    // There are fewer if downstream failed and kept the chunk, whose bytes had been copied before.
    if received - copied == UInt64(chunk.count) { cache.append(chunk) }
  }

  /// Reports the expected size, once the attempt can no longer be started over.
  private func announce() {
    guard !isAnnounced, let bytes = expected else { return }
    isAnnounced = true
    context.meter.bytesExpected.add(Int(clamping: bytes))
  }

  func sendPart(_ length: UInt64) {
    recordingError { () throws(Failure) in
      guard let file = cache?.copy else { return }
      try send(file, length)
    }
  }

  func sendStored(_ cache: ResourceCache) throws(Failure) {
    guard let (metadata, file) = cache.stored else { return }
    expected = metadata.length
    if let maxBytes, metadata.length > maxBytes - min(total, maxBytes) {
      throw .tooLarge(url: resource, limit: maxBytes)
    }
    let sent = try send(file, metadata.length)
    // It was checked just before.
    guard sent.byteCount == metadata.length, sent.hex == metadata.sha256 else {
      throw .cacheDamaged(path: file.path)
    }
  }

  @discardableResult
  private func send(_ file: BodyFile, _ length: UInt64) throws(Failure) -> SHA256Hasher {
    var sent = SHA256Hasher()
    while sent.byteCount < length {
      let count = try asFailure(context.stage) { () throws(SystemError) in
        try file.read(into: &chunk, at: sent.byteCount, limit: length - sent.byteCount)
      }
      if count == 0 { break }
      sent.update(chunk.span)
      try self.count(count)
      try sendChunk(isNew: false)
    }
    return sent
  }

  var hasDeferred: Bool { !deferred.isEmpty }
  func deferBody(_ cache: ResourceCache) { deferred.append(cache) }

  /// Sends the deferred bodies, because the current resource has changed. Nothing of it has been received yet.
  private func sendDeferred() throws(Failure) {
    let now = (received, hasSent, expected, isAnnounced)
    for cache in deferred {
      isAnnounced = false
      try sendStored(cache)
    }
    deferred = []
    (received, hasSent, expected, isAnnounced) = now
  }
}
