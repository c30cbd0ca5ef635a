// The download stage: resources in order, whole or with a failure.
//
// Not for: one resource from the web (WebFetch).

import ContentHash
public import PipeStage
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Streams files and URLs downstream.
///
///     let options = DownloadOptions(["https://example.org/marked.zip"])
///     try Downloader(options: options, context: context, downstream: sink).run()
///
/// A transfer that ends early is never passed off as whole: it is a failure, though bytes of it may have gone
/// downstream already. One that failed for a passing reason (no connection, a server that is overloaded) is
/// tried again, with waits that double and at least what the server asks for in `Retry-After`. What went
/// downstream can't be taken back, so an attempt goes on from the byte that was reached (`Range`, `If-Range`), which
/// the server must have made possible by a strong ETag or a date; without one, only the first
/// ``SystemIO/ByteChunk/defaultBytes`` bytes, which are not handed on yet, can be fetched again.
///
/// With a cache, bodies stay between runs (``DownloadOptions/cacheDirectory``). A wrong hash
/// (``DownloadOptions/sha256``) is found at the end: the bytes have gone downstream, but the stream has no end,
/// so that an output which waits for it is not put in place.
///
/// Proxies are taken from the environment as libcurl does (`http_proxy`, `https_proxy`, `no_proxy`). Memory
/// stays the same whatever the size. Files need no libcurl.
public final class Downloader {
  private let options: DownloadOptions
  private let context: StageContext
  private let downstream: any ByteSink
  private let body: ResponseBody
  private var client: WebClient?
  /// Of the web resources that are done.
  private var finishedCaches: [ResourceCache] = []
  private var hasChanges = false

  /// Waits, in seconds; a test has no time for that.
  var sleep: (Double) -> Void = Downloader.sleep

  /// Makes a download.
  public init(options: DownloadOptions, context: StageContext, downstream: any ByteSink) {
    self.options = options
    self.context = context
    self.downstream = downstream
    body = ResponseBody(context: context, options: options, downstream: downstream)
  }

  /// Whether every resource is what the cache had: by the server's word, or byte by byte. True once a run has
  /// ended well or with ``DownloadError/unchanged``; always false without a cache.
  public private(set) var isUnchanged = false

  /// Runs the download to its end. Call it once.
  ///
  /// Throws what downstream throws as it was, a `SystemError` for a file, a ``DownloadError`` for the
  /// rest.
  public func run() throws(StageError) {
    let resources = try prepare()
    do throws(StageError) {
      for resource in resources {
        switch resource {
        case .file(let path): try readFile(path)
        case .web(let url): try fetch(url)
        }
      }
      try checkHash()
      isUnchanged = options.cacheDirectory != nil && !hasChanges
      if isUnchanged, options.failsUnchanged {
        for cache in finishedCaches { cache.commit() }
        finishedCaches = []
        options.observe?(.unchanged)
        throw StageError(context.stage, DownloadError.unchanged)
      }
      try downstream.finish()
    } catch {
      let isWrongHash = if case .wrongHash = error.cause as? DownloadError { true } else { false }
      for cache in finishedCaches { cache.abandon(keepingPart: !isWrongHash) }
      throw error
    }
    // Only now: a body that downstream could not use is asked for again next time.
    for cache in finishedCaches { cache.commit() }
    context.meter.finish()
  }

  /// Everything is read before anything is fetched: a slip in the last URL shows at once.
  private func prepare() throws(StageError) -> [Resource] {
    let resources: [Resource]
    do throws(DownloadError) {
      for header in options.headers where !HeaderLines.isHeader(header) { throw .malformedHeader(header) }
      if let hash = options.sha256, Hexadecimal.normalizedSHA256(hash) == nil { throw .malformedHash(hash) }
      if options.failsUnchanged, options.cacheDirectory == nil { throw .failUnchangedNeedsCache }
      if options.resumes, options.cacheDirectory == nil {
        guard options.partialPath != nil, options.resources.count == 1 else { throw .resumeNeedsCache }
      }
      var found: [Resource] = []
      for text in options.resources { found.append(try Resource(text)) }
      resources = found
    } catch {
      throw StageError(context.stage, error)
    }
    let calls = context.calls
    let secrets = try asStageError(context.stage) { () throws(SystemError) in
      // libcurl passes over a file that is not there, or says little.
      if let path = options.caFile { _ = try InputFile(path, calls: calls) }
      if let directory = options.cacheDirectory { try Directory.make(directory, calls: calls) }
      return try [options.headerFile, options.netrcFile].map { path throws(SystemError) in
        try path.map { path throws(SystemError) in try HeaderLines.bytes(ofFile: path, calls: calls) }
      }
    }
    let deadline = options.timeoutSeconds.map { MonotonicClock.seconds() + $0 }
    do throws(DownloadError) {
      if let bytes = secrets[1] { try NetrcFile.check(bytes, file: options.netrcFile ?? "") }
      let lines = try secrets[0].map { bytes throws(DownloadError) in
        try HeaderLines.lines(bytes, file: options.headerFile ?? "")
      }
      client = WebClient(options: options, secretHeaders: lines ?? [], deadline: deadline)
    } catch {
      throw StageError(context.stage, error)
    }
    return resources
  }

  private func readFile(_ path: String) throws(StageError) {
    hasChanges = true
    var file = try asStageError(context.stage) { () throws(SystemError) in
      try InputFile(path, calls: context.calls)
    }
    body.startResource(path)
    body.begin(.whole(expected: file.size))
    if let error = body.error { throw error }
    while try body.read({ (chunk) throws(SystemError) in try file.read(into: &chunk) }) > 0 {
      if let client, client.isPastDeadline {
        throw StageError(context.stage, client.timedOut(path, .total, received: body.received))
      }
    }
    try body.finishResource()
  }

  private func fetch(_ url: WebURL) throws(StageError) {
    guard let client else { return }
    var cache: ResourceCache?
    if options.cacheDirectory != nil || options.resumes {
      cache = ResourceCache(url, options: options, calls: context.calls) { [options] in options.observe?($0) }
      // The hash is of everything together: of one resource it is known before.
      cache?.open(sha256: options.resources.count == 1 ? expectedHash : nil)
    }
    body.startResource(url.redacted, cache: cache)
    let fetch = WebFetch(url, client: client, body: body, cache: cache)
    do throws(StageError) {
      let result = try fetch.run(stage: context.stage, sleep: sleep)
      guard let cache else { return }
      if result == .whole {
        if !cache.isSameAsStored { hasChanges = true }
        finishedCaches.append(cache)
        return
      }
      // Nothing came, so nothing is to be kept.
      cache.abandon(keepingPart: false)
      if options.failsUnchanged, !hasChanges {
        body.deferBody(cache)
      } else {
        try body.sendStored(cache)
      }
    } catch {
      fetch.abandon(after: error)
      throw error
    }
  }

  private var expectedHash: String? { options.sha256.flatMap { Hexadecimal.normalizedSHA256($0) } }

  private func checkHash() throws(StageError) {
    guard let expectedHash, let hash = body.hash else { return }
    // Bodies that are deferred back were not sent; of a single one, the hash was known when it was taken.
    if body.hasDeferred { return }
    guard hash.hex == expectedHash else {
      throw StageError(
        context.stage,
        DownloadError.wrongHash(expected: expectedHash, actual: hash.hex, bytes: hash.byteCount))
    }
  }

  private static func sleep(_ seconds: Double) {
    let end = MonotonicClock.seconds() + seconds
    while true {
      let left = end - MonotonicClock.seconds()
      guard left > 0 else { return }
      var wait = timespec()
      wait.tv_sec = Int(left)
      wait.tv_nsec = Int((left - left.rounded(.down)) * 1e9)
      // A signal may cut it short: the clock tells.
      unsafe nanosleep(&wait, nil)
    }
  }
}
