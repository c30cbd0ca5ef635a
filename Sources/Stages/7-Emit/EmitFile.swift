// The file of an output in a format other than stores.

import CallManifest
import Records
import SystemIO
import SystemPackage

/// Writes bytes to a file, which gets its name when it is published, and counts them.
final class EmitFile: ByteSink {
  /// The number of pending bytes at which targets write them.
  static var flushBytes: Int { ByteChunk.defaultBytes }

  private let stage: StageName
  private let output: String
  private let calls: any SystemCalls
  private var file: OutputFile?
  private(set) var bytes: UInt64 = 0

  /// Opens the file, or standard output for `-`.
  init(_ output: String, _ context: StageContext) throws(Failure) {
    stage = context.stage
    self.output = output
    calls = context.calls
    file = try asFailure(context.stage) { () throws(SystemError) in
      try OutputFile(output, calls: context.calls)
    }
  }

  /// The descriptor of a file that was made for this output, for a library that writes it; nil for an output that is
  /// written in place.
  var newFile: FileDescriptor? {
    guard let isNew = file?.isNew, isNew else { return nil }
    return file?.descriptor
  }

  /// The size in bytes of a file that a library wrote.
  func size() throws(Failure) -> UInt64 {
    guard let newFile else { return bytes }
    let status = try asFailure(stage) { () throws(SystemError) in
      try asSystemError(.writeOutput, output) { () throws(Errno) in try calls.status(newFile) }
    }
    return UInt64(max(status.size, 0))
  }

  /// Writes pending bytes, and empties them.
  func drain(_ pending: inout [UInt8]) throws(Failure) {
    try write(pending.span)
    pending.removeAll(keepingCapacity: true)
  }

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    try write(chunk.span)
    chunk.removeAll()
  }

  /// Nothing: ``publish()`` ends the file.
  func finish() throws(Failure) {}

  private func write(_ span: Span<UInt8>) throws(Failure) {
    bytes &+= UInt64(span.count)
    try asFailure(stage) { () throws(SystemError) in try file?.write(span) }
  }

  /// Writes the bytes to the disk, so that a disk without space is an error before any of several files has its name.
  func sync() throws(Failure) {
    guard let newFile else { return }
    try asFailure(stage) { () throws(SystemError) in
      try asSystemError(.writeOutput, output) { () throws(Errno) in try calls.sync(newFile) }
    }
  }

  func publish() throws(Failure) {
    try asFailure(stage) { () throws(SystemError) in try file.take()?.publish() }
  }
}

// The directory that shards are written to: locks it for one emit, and removes files left by emits that were
// killed.
//
// Two concurrent emits would each remove files that the other's manifest names. Readers need no lock, because
// the manifest is replaced in one step.

struct OutputHolder: Equatable {
  var process: Int
  /// The time at which it locked the directory, such as `2026-03-31T04:30:00Z`.
  var since: String

  /// Parses the note in the lock's file: `PID TIME TAG`. Nil if it has another form.
  init?(_ note: String) {
    let words = note.split(whereSeparator: { $0 == " " || $0.isNewline })
    guard words.count == 3, let process = Int(words[0]) else { return nil }
    self.process = process
    since = String(words[1])
  }
}

/// A directory that is locked until ``release()`` is called or the value is released. The lock file exists for as long.
final class OutputFolder {
  static let lockName = ".lock"
  /// The maximum number of attempts to take the lock. An attempt fails when another emit has just ended and removed the
  /// lock file.
  private static let attemptsMax = 100

  private let path: String
  private let calls: any SystemCalls
  private var lock: FileLock?
  private var ticket = 0

  /// Acquires the lock, and removes files left by runs that were killed. The directory must exist.
  ///
  /// Throws `locked` if another emit holds the lock.
  init(_ path: String, calls: any SystemCalls) throws(Failure) {
    let acquired = try Self.acquire(Self.lockPath(path), path, calls)
    self.path = path
    self.calls = calls
    lock = consume acquired
    ticket = UnpublishedFiles.shared.add(FilePath(Self.lockPath(path)), calls: calls)
    removeLeftovers()
  }

  deinit {
    release()
  }

  func release() {
    guard lock != nil else { return }
    // The file is removed while the lock is held, and after the signal handler has stopped tracking it: once the lock
    // is released, the file may belong to another emit.
    UnpublishedFiles.shared.remove(ticket)
    try? calls.unlink(FilePath(Self.lockPath(path)))
    lock = nil
  }

  private static func lockPath(_ directory: String) -> String {
    FilePath(directory).appending(lockName).string
  }

  /// Acquires the lock. It is valid only if its file still has its name, because the former holder may have removed the
  /// file in the meantime. Either the file's identity or its unique note proves that.
  private static func acquire(
    _ file: String, _ directory: String, _ calls: any SystemCalls
  ) throws(Failure) -> FileLock {
    let tag = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let note = "\(RunningProcess.identifier) \(WallClock.text(WallClock.seconds())) \(tag)\n"
    for _ in 0..<attemptsMax {
      do throws(SystemError) {
        guard let held = try FileLock.acquire(file, note: note, calls: calls) else { break }
        if try held.isFile(at: file) || FileLock.note(in: file, calls: calls) == note { return held }
      } catch {
        removeUnnoted(file, calls)
        throw Failure(.emit, error)
      }
    }
    let holder = OutputHolder(FileLock.note(in: file, calls: calls))
    throw Failure(
      .emit, .tryLater, "locked",
      "'\(directory)' is locked by "
        + (holder.map { "process \($0.process), since \($0.since)" } ?? "another cdpipe"),
      hint: "try again when it has finished; nothing was changed")
  }

  /// Removes a lock file whose note could not be written, for example on a full disk. Taking the lock with an empty
  /// note needs no disk space. A real holder has a note, or checks whether its file still exists after writing the
  /// note.
  private static func removeUnnoted(_ file: String, _ calls: any SystemCalls) {
    do throws(SystemError) {
      guard let held = try FileLock.acquire(file, note: "", calls: calls) else { return }
      if FileLock.note(in: file, calls: calls).isEmpty { try? calls.unlink(FilePath(file)) }
      _ = consume held
    } catch {
      // The file can't be created at all, so there is nothing to remove.
    }
  }

  /// Removes temporary files of runs that were killed. Errors are ignored: leftovers do no harm.
  private func removeLeftovers() {
    for name in (try? Directory.names(path, calls: calls)) ?? [] {
      guard let target = Leftovers.target(of: name), Self.isWrittenHere(target) else { continue }
      try? calls.unlink(FilePath(path).appending(name))
    }
  }

  private static func isWrittenHere(_ name: String) -> Bool {
    name == ShardTarget.unnamed || name == ManifestNames.bootstrapPrefix || name == Manifest.fileName
      || ManifestNames.isGenerated(name)
  }
}
