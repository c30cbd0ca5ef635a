// The sizes and SHA-256 hashes of a run's sources, for a manifest.
//
// A file is hashed in its own thread during the run, a download while its bytes pass through. Not for checking a
// download against an expected hash (the download stage's --sha256).

import Hashing
import Records
import Synchronization
import SystemIO

/// The sources of a run, with their sizes and hashes.
final class SourceHashes: Sendable {
  private let sources: Mutex<[RunProvenance.Source]>
  /// The thread that hashes a file; at most one at a time, so that the number of sources does not matter.
  private let thread = Mutex<WorkerThread?>(nil)
  private let isStopped = Atomic<Bool>(false)
  /// The machine's first error, which left a source without a hash.
  private let failure = Mutex<Failure?>(nil)
  private let calls: any SystemCalls

  init(names: [String], calls: any SystemCalls) {
    sources = Mutex(names.map { RunProvenance.Source(name: $0) })
    self.calls = calls
  }

  /// Waits for the last hash and returns the sources.
  ///
  /// - Throws: the machine's error that left a source without a hash.
  func all() throws(Failure) -> [RunProvenance.Source] {
    join()
    if let failure = failure.withLock({ $0 }) { throw failure }
    return sources.withLock { $0 }
  }

  /// Stores the size and hash of a source.
  func note(_ index: Int, bytes: UInt64, sha256: [UInt8]) {
    sources.withLock { sources in
      sources[index].bytes = bytes
      sources[index].sha256 = sha256
    }
  }

  /// Hashes regular files one after another, as if they were one; in its own thread if `inThread`, after the source
  /// before. Other files can be read only once: a source with such a file gets no hash.
  func hash(_ index: Int, paths: [String], inThread: Bool) {
    let areFiles = paths.allSatisfy { $0 != InputFile.standardInput && Directory.holdsFile($0) }
    guard areFiles else { return }
    guard inThread else { return read(index, paths) }
    join()
    guard let started = try? WorkerThread(name: "hash", { self.read(index, paths) }) else {
      return read(index, paths)
    }
    thread.withLock { $0 = started }
  }

  /// Stops hashing after the run has failed.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    join()
  }

  private func join() {
    thread.withLock { $0.take() }?.join()
  }

  /// Reads and hashes files. A source with a file that was removed or closed to us after the run opened it gets no hash.
  private func read(_ index: Int, _ paths: [String]) {
    do throws(SystemError) {
      var chunk = ByteChunk()
      var hash = SHA256Hasher()
      var bytes: UInt64 = 0
      for path in paths {
        var file = try InputFile(path, calls: calls)
        while true {
          if isStopped.load(ordering: .relaxed) { return }
          let count = try file.read(into: &chunk)
          if count == 0 { break }
          hash.update(chunk.span)
          bytes += UInt64(count)
          chunk.removeAll()
        }
      }
      note(index, bytes: bytes, sha256: hash.digest)
    } catch {
      guard error.code.blamesMachine else { return }
      failure.withLock { $0 = $0 ?? Failure(nil, error) }
    }
  }
}

/// Forwards bytes and hashes them.
final class HashingSink: ByteSink {
  private let downstream: any ByteSink
  private let sourceHashes: SourceHashes
  private let index: Int
  private var hash = SHA256Hasher()
  private var bytes: UInt64 = 0

  init(_ downstream: any ByteSink, _ sourceHashes: SourceHashes, source index: Int) {
    self.downstream = downstream
    self.sourceHashes = sourceHashes
    self.index = index
  }

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    hash.update(chunk.span)
    bytes += UInt64(chunk.count)
    try downstream.receive(&chunk)
  }

  func finish() throws(Failure) {
    sourceHashes.note(index, bytes: bytes, sha256: hash.digest)
    try downstream.finish()
  }
}
