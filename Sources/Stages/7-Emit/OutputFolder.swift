// The directory that shards are written into: one emit at a time, and without what killed ones left.
//
// Two that write at once would each remove what the other's manifest names. Who reads needs no lock: the manifest is
// replaced in one step. Not for: what is in the directory (ShardTarget).

import CallManifest
import PipeStage
import SystemIO
import SystemPackage

/// Who writes into a directory.
public struct OutputHolder: Equatable, Sendable {
  /// The process.
  public var process: Int
  /// Since when, as `2026-03-31T04:30:00Z`.
  public var since: String

  /// What the lock's file says: `PID TIME TAG`.
  init?(_ note: String) {
    let words = note.split(whereSeparator: { $0 == " " || $0.isNewline })
    guard words.count == 3, let process = Int(words[0]) else { return nil }
    self.process = process
    since = String(words[1])
  }
}

/// A directory that is held until ``release()``, or until the value goes. The lock's file is there as long.
final class OutputFolder {
  static let lockName = ".lock"
  /// So often a lock is taken on a file that has just lost its name; each time some other emit came to its end.
  private static let attemptsMax = 100

  private let path: String
  private let calls: any SystemCalls
  private var lock: FileLock?
  private var ticket = 0

  /// Takes the lock, and removes what dead runs left. The directory must be there.
  ///
  /// Throws ``EmitError/locked(directory:holder:)`` when another emit has it.
  init(_ path: String, calls: any SystemCalls) throws(StageError) {
    let taken = try Self.take(Self.lockPath(path), path, calls)
    self.path = path
    self.calls = calls
    lock = consume taken
    ticket = UnpublishedFiles.shared.add(FilePath(Self.lockPath(path)))
    removeLeftovers()
  }

  deinit {
    release()
  }

  /// Lets the next one write.
  func release() {
    guard lock != nil else { return }
    // While the lock is held, and when no signal would remove it any more: behind it the file may be another's.
    UnpublishedFiles.shared.remove(ticket)
    try? calls.unlink(FilePath(Self.lockPath(path)))
    lock = nil
  }

  private static func lockPath(_ directory: String) -> String {
    FilePath(directory).appending(lockName).string
  }

  /// A lock counts only while its file still has its name: the former holder may have removed it in between. Both the
  /// file's identity and its note, which is unique, prove it.
  private static func take(
    _ file: String, _ directory: String, _ calls: any SystemCalls
  ) throws(StageError) -> FileLock {
    let tag = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let note = "\(RunningProcess.identifier) \(WallClock.text(WallClock.seconds())) \(tag)\n"
    for _ in 0..<attemptsMax {
      let taken: FileLock?
      do throws(SystemError) {
        taken = try FileLock.acquire(file, note: note, calls: calls)
      } catch {
        removeUnnoted(file, calls)
        throw StageError(.emit, error)
      }
      guard let held = taken else { break }
      if held.isFile(at: file) || FileLock.note(in: file, calls: calls) == note { return held }
    }
    throw StageError(
      .emit,
      EmitError.locked(directory: directory, holder: OutputHolder(FileLock.note(in: file, calls: calls))))
  }

  /// A note that could not be written, on a full disk, leaves a lock's file that nobody needs. No note needs no room; and
  /// who holds the lock in earnest has one, or looks whether his file is still there once it is written.
  private static func removeUnnoted(_ file: String, _ calls: any SystemCalls) {
    do throws(SystemError) {
      guard let held = try FileLock.acquire(file, note: "", calls: calls) else { return }
      if FileLock.note(in: file, calls: calls).isEmpty { try? calls.unlink(FilePath(file)) }
      _ = consume held
    } catch {
      // Nor can it be made.
    }
  }

  /// What was to become a file of shards, and never will. Not there, not removable: no harm.
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

/// Directories that were missing and were made. They go again, as far as they are empty, unless they are kept.
final class MadeDirectories {
  private var paths: [String] = []
  private let calls: any SystemCalls

  init(calls: any SystemCalls) { self.calls = calls }

  /// Makes a directory and those above it.
  func make(_ path: String) throws(SystemError) {
    try Directory.make(path, noting: &paths, calls: calls)
  }

  /// What was written into them is in place.
  func keep() {
    paths = []
  }

  /// It is not.
  func removeEmpty() {
    for path in paths.reversed() { Directory.removeEmpty(path, calls: calls) }
    paths = []
  }
}
