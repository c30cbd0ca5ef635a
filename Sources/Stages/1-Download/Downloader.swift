// The download stage: outputs resources in order, completely or with an error.

import Hashing
package import Records
import SystemIO
import SystemPackage

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
/// A transfer that ends early is always an error, though some of its bytes may have been sent downstream already. One
/// that failed temporarily (no connection, an overloaded server) is retried, with waits that double and are at least
/// as long as the server's `Retry-After`. Since output can't be taken back, an attempt resumes after the last byte
/// received (`Range`, `If-Range`), which requires a strong ETag or date from the server. Without one, only the first
/// ``SystemIO/ByteChunk/defaultBytes`` bytes, which have not been sent yet, can be fetched again.
///
/// With a cache, bodies are kept between runs (``DownloadOptions/cacheDirectory``). A wrong hash
/// (``DownloadOptions/sha256``) is detected at the end: the bytes have been sent downstream, but the stream is not
/// finished, so that an output that waits for the end is not published.
///
/// Proxies are taken from the environment by libcurl (`http_proxy`, `https_proxy`, `no_proxy`). Memory use does not
/// depend on the size. Files don't need libcurl.
package final class Downloader {
  private let options: DownloadOptions
  private let context: StageContext
  private let downstream: any ByteSink
  private let body: ResponseBody
  private var client: WebClient?
  private var finishedCaches: [ResourceCache] = []
  private var hasChanges = false

  var sleep: (Double) -> Void = Downloader.sleep

  package init(options: DownloadOptions, context: StageContext, downstream: any ByteSink) {
    self.options = options
    self.context = context
    self.downstream = downstream
    body = ResponseBody(context: context, options: options, downstream: downstream)
  }

  /// Whether every resource is the same as in the cache, according to the server or byte by byte. Set when a run ends
  /// without error or because of ``DownloadOptions/failsUnchanged``; always false without a cache.
  package private(set) var isUnchanged = false

  /// Runs the download. Call it once.
  ///
  /// Rethrows errors from downstream.
  package func run() throws(Failure) {
    let resources = try prepare()
    do throws(Failure) {
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
        throw .downloadUnchanged
      }
      try downstream.finish()
    } catch {
      for cache in finishedCaches { cache.abandon(keepingPart: !error.isWrongHash) }
      throw error
    }
    // Committed only now, so that a body that downstream could not use is requested again in the next run.
    for cache in finishedCaches { cache.commit() }
    context.meter.finish()
  }

  /// Checks all options before anything is fetched, so that a mistake in the last URL is reported immediately.
  private func prepare() throws(Failure) -> [Resource] {
    for header in options.headers where !HeaderLines.isHeader(header) { throw .malformedHeader(header) }
    if let hash = options.sha256, Hexadecimal.normalizedSHA256(hash) == nil { throw .malformedHash(hash) }
    if options.failsUnchanged, options.cacheDirectory == nil { throw .failUnchangedNeedsCache }
    if options.resumes, options.cacheDirectory == nil {
      guard options.partialPath != nil, options.resources.count == 1 else { throw .resumeNeedsCache }
    }
    let resources = try options.resources.map { text throws(Failure) in try Resource(text) }
    let calls = context.calls
    let secrets = try asFailure(context.stage) { () throws(SystemError) in
      // libcurl ignores a missing file, or reports it poorly.
      if let path = options.caFile { _ = try InputFile(path, calls: calls) }
      if let directory = options.cacheDirectory { try Directory.make(directory, calls: calls) }
      return try [options.headerFile, options.netrcFile].map { path throws(SystemError) in
        try path.map { path throws(SystemError) in
          try InputFile.bytes(of: path, limit: DownloadLimits.secretFileBytesMax, calls: calls)
        }
      }
    }
    let deadline = options.timeoutSeconds.map { MonotonicClock.seconds() + $0 }
    if let bytes = secrets[1] { try NetrcFile.check(bytes, file: options.netrcFile ?? "") }
    let lines = try secrets[0].map { bytes throws(Failure) in
      try HeaderLines.lines(bytes, file: options.headerFile ?? "")
    }
    client = WebClient(options: options, secretHeaders: lines ?? [], deadline: deadline)
    return resources
  }

  private func readFile(_ path: String) throws(Failure) {
    hasChanges = true
    let name = URLRedaction.resource(path)
    options.observe?(.opening(name: name))
    var file = try openFile(path, name: name)
    body.startResource(name)
    body.begin(.whole(expected: file.size))
    if let error = body.error { throw error }
    while try body.read({ (chunk) throws(SystemError) in
      do throws(SystemError) {
        return try file.read(into: &chunk)
      } catch {
        throw SystemError(error.operation, name, error.code)
      }
    }) > 0 {
      if let client, client.isPastDeadline { throw client.timedOut(name, .total, received: body.received) }
    }
    try body.finishResource()
  }

  /// Opens a file; errors contain `name`, which is without what may be a secret.
  private func openFile(_ path: String, name: String) throws(Failure) -> InputFile {
    do throws(SystemError) {
      return try InputFile(path, calls: context.calls)
    } catch {
      if error.code == .noSuchFileOrDirectory, Resource.looksLikeURL(path) { throw .notFound(name: name) }
      throw Failure(context.stage, SystemError(error.operation, name, error.code))
    }
  }

  private func fetch(_ url: WebURL) throws(Failure) {
    guard let client else { return }
    options.observe?(.opening(name: url.redacted))
    var cache: ResourceCache?
    if options.cacheDirectory != nil || options.resumes {
      cache = ResourceCache(url, options: options, calls: context.calls) { [options] in options.observe?($0) }
      // The hash is of all resources together, so it identifies a single resource only.
      cache?.open(sha256: options.resources.count == 1 ? expectedHash : nil)
    }
    body.startResource(url.redacted, cache: cache)
    let fetch = WebFetch(url, client: client, body: body, cache: cache)
    do throws(Failure) {
      let result = try fetch.run(sleep: sleep)
      guard let cache else { return }
      if result == .whole {
        if !cache.isSameAsStored { hasChanges = true }
        finishedCaches.append(cache)
        return
      }
      // Nothing was received, so no part needs to be kept.
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

  private func checkHash() throws(Failure) {
    guard let expectedHash, let hash = body.hash else { return }
    // Deferred bodies were not sent; for a single one, the hash was checked when it was loaded.
    if body.hasDeferred { return }
    guard hash.hex == expectedHash else {
      throw .wrongHash(expected: expectedHash, actual: hash.hex, bytes: hash.byteCount)
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
      // A signal may interrupt the call, so check the clock.
      unsafe nanosleep(&wait, nil)
    }
  }
}
