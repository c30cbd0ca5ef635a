// The sizes and SHA-256 hashes of a run's sources, for a manifest.
//
// A file is hashed in its own thread during the run, a download while its bytes pass through. Not for checking a
// download against an expected hash (the download stage's --sha256).

import ContentHash
import PipeStage
import Synchronization
import SystemIO

/// The sources of a run, with their sizes and hashes.
final class SourceHashes: Sendable {
  private let sources: Mutex<[RunProvenance.Source]>
  /// The thread that hashes a file; at most one at a time, so that the number of sources does not matter.
  private let thread = Mutex<WorkerThread?>(nil)
  private let isStopped = Atomic<Bool>(false)
  /// The machine's first error, which left a source without a hash.
  private let failure = Mutex<StageError?>(nil)
  private let calls: any SystemCalls

  init(names: [String], calls: any SystemCalls) {
    sources = Mutex(names.map { RunProvenance.Source(name: $0) })
    self.calls = calls
  }

  /// Waits for the last hash and returns the sources.
  ///
  /// - Throws: the machine's error that left a source without a hash.
  func all() throws(StageError) -> [RunProvenance.Source] {
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

  /// Hashes a regular file, in its own thread if `inThread`, after the file before it. Other files can be read only
  /// once, so they are skipped.
  func hash(_ index: Int, path: String, inThread: Bool) {
    guard path != InputFile.standardInput, Directory.holdsFile(path) else { return }
    guard inThread else { return read(index, path) }
    join()
    guard let started = try? WorkerThread(name: "hash", { self.read(index, path) }) else {
      return read(index, path)
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

  /// Reads and hashes a file. A file that was removed or closed to us after the run opened it gets no hash.
  private func read(_ index: Int, _ path: String) {
    do throws(SystemError) {
      var file = try InputFile(path, calls: calls)
      var chunk = ByteChunk()
      var hash = SHA256Hasher()
      var bytes: UInt64 = 0
      while !isStopped.load(ordering: .relaxed) {
        let count = try file.read(into: &chunk)
        if count == 0 { return note(index, bytes: bytes, sha256: hash.digest) }
        hash.update(chunk.span)
        bytes += UInt64(count)
        chunk.removeAll()
      }
    } catch {
      guard error.code.blamesMachine else { return }
      failure.withLock { $0 = $0 ?? StageError(nil, error) }
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

  func receive(_ chunk: inout ByteChunk) throws(StageError) {
    hash.update(chunk.span)
    bytes += UInt64(chunk.count)
    try downstream.receive(&chunk)
  }

  func finish() throws(StageError) {
    sourceHashes.note(index, bytes: bytes, sha256: hash.digest)
    try downstream.finish()
  }
}
