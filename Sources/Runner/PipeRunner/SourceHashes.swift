// What a manifest says of a run's sources: how many bytes they had, and their SHA-256.
//
// A file is hashed beside the run in a thread of its own, what is downloaded while it goes through. Not for: whether
// what was downloaded is what it should be (the download stage's --sha256).

import ContentHash
import EmitStage
import PipeStage
import Synchronization
import SystemIO

/// The sources of a run, and what was found out about them.
final class SourceHashes: Sendable {
  private let sources: Mutex<[EmitProvenance.Source]>
  private let threads = Mutex<[WorkerThread]>([])
  private let isStopped = Atomic<Bool>(false)
  private let calls: any SystemCalls

  init(names: [String], calls: any SystemCalls) {
    sources = Mutex(names.map { EmitProvenance.Source(name: $0) })
    self.calls = calls
  }

  /// What is known, once all that is under way is done.
  func all() -> [EmitProvenance.Source] {
    join()
    return sources.withLock { $0 }
  }

  /// Notes what a source's bytes were.
  func note(_ index: Int, bytes: UInt64, sha256: [UInt8]) {
    sources.withLock { sources in
      sources[index].bytes = bytes
      sources[index].sha256 = sha256
    }
  }

  /// Hashes a regular file, in a thread of its own if there may be one; anything else is read only once.
  func hash(_ index: Int, path: String, inThread: Bool) {
    guard path != InputFile.standardInput, Directory.holdsFile(path) else { return }
    guard inThread else { return read(index, path) }
    let thread = try? WorkerThread(name: "hash") { self.read(index, path) }
    if let thread { threads.withLock { $0.append(thread) } }
  }

  /// The run has failed: nobody wants to know any more.
  func stop() {
    isStopped.store(true, ordering: .relaxed)
    join()
  }

  private func join() {
    let running = threads.withLock { threads in
      defer { threads = [] }
      return threads
    }
    for thread in running { thread.join() }
  }

  /// A file that can't be read fails the run that reads it as well; here it only has no hash.
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
    } catch {}
  }
}

/// Hashes bytes on their way.
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
