// What is kept of one URL between runs: the last body (the cache), and the first part of an interrupted body (for
// resuming).
//
//     DIR/KEY.meta              the metadata, with the body's name
//     DIR/KEY-CONTENT.body      the body; KEY is the URL's hash, CONTENT the body's
//     DIR/KEY.part, .part.meta  the first part of a body, with --resume
//     FILE.cdpipe-part, .meta   the same next to an output, without a cache
//
// Concurrent runs can't corrupt an entry: a body never changes under its name, metadata is replaced by a rename, a
// part belongs to the run that holds its lock, and every body is checked against its hash. Nothing is synced, because
// a crash can at most cause a wrong hash.
//
// Not for: making requests, and interpreting responses (WebFetch).

import Hashing
import Records
import SystemIO
import SystemPackage

/// What is kept of one URL.
final class ResourceCache {
  /// The body of an earlier run, open but not checked yet.
  private(set) var stored: (metadata: BodyMetadata, file: BodyFile)?
  /// The part of an earlier run, checked.
  private(set) var partial: BodyMetadata?
  /// The file to which this run's body is copied; nil if that is impossible or unnecessary.
  private(set) var copy: BodyFile?

  private let calls: any SystemCalls
  private let observe: (DownloadEvent) -> Void
  /// The entry's path without extension; nil without a cache.
  private let entry: String?
  /// The path of the part; nil unless `resumes` is set.
  private let partPath: String?
  private let url: WebURL
  private var ownsPart = false
  /// The metadata of the complete body in `copy`.
  private var completed: BodyMetadata?
  private var mayBeStored = true
  private var checkpoint = (bytes: UInt64(0), seconds: MonotonicClock.seconds())

  /// The hex digits of a hash in a name: enough to make collisions impossible in practice.
  private static let keyDigits = 40
  private static let contentDigits = 16

  init(
    _ url: WebURL, options: DownloadOptions, calls: any SystemCalls,
    observe: @escaping (DownloadEvent) -> Void
  ) {
    self.url = url
    self.calls = calls
    self.observe = observe
    entry = options.cacheDirectory.map { directory in
      // A header such as Accept may select between versions of the same URL.
      let key = ([url.withoutFragment] + options.headers.sorted()).joined(separator: "\n")
      let name = SHA256Hasher.hex(of: key).prefix(Self.keyDigits)
      return directory.hasSuffix("/") ? "\(directory)\(name)" : "\(directory)/\(name)"
    }
    partPath = options.resumes ? entry.map { $0 + ".part" } ?? options.partialPath : nil
  }

  private var metadataPath: String { (entry ?? "") + ".meta" }
  private var partMetadataPath: String { (partPath ?? "") + ".meta" }

  /// Opens existing files, and creates the file for this run's body. A cached body with a hash other than `sha256` is
  /// not used.
  func open(sha256: String?) {
    if let entry, let metadata = BodyMetadata(at: metadataPath, calls: calls), metadata.url == url.text,
      sha256 == nil || sha256 == metadata.sha256,
      let file = BodyFile.stored(Self.directory(of: entry) + metadata.body, calls: calls)
    {
      stored = (metadata, file)
    }
    do throws(SystemError) {
      if let partPath {
        copy = try BodyFile.resumable(partPath, calls: calls)
        ownsPart = copy != nil
        if ownsPart { adoptPart() } else { observe(.partIsLocked(url: url.redacted)) }
      }
      if copy == nil, let entry { copy = try BodyFile.temporary(beside: entry, calls: calls) }
    } catch {
      observe(.cacheWriteFailed(error))
    }
  }

  private func adoptPart() {
    if let metadata = BodyMetadata(at: partMetadataPath, calls: calls), metadata.url == url.text,
      metadata.validators.strong != nil, copy?.adopt(metadata) == true
    {
      partial = metadata
      partial?.length = copy?.count ?? 0
    } else {
      restart()
    }
  }

  // MARK: While the body is received

  /// Appends a chunk to the copy. A write error only loses the copy.
  func append(_ chunk: borrowing ByteChunk) {
    do throws(SystemError) {
      try copy?.append(chunk)
    } catch {
      dropCopy(error)
    }
  }

  /// Discards the copy, because the body starts again.
  func restart() {
    partial = nil
    do throws(SystemError) {
      try copy?.restart()
      if ownsPart { try? calls.unlink(FilePath(partMetadataPath)) }
    } catch {
      dropCopy(error)
    }
  }

  private func dropCopy(_ error: SystemError) {
    removePart()
    copy = nil
    observe(.cacheWriteFailed(error))
  }

  /// Whether the part has grown and its metadata is old.
  var isCheckpointDue: Bool {
    guard ownsPart, let copy, copy.count > checkpoint.bytes else { return false }
    return MonotonicClock.seconds() - checkpoint.seconds >= DownloadLimits.checkpointSeconds
  }

  /// Saves the part's progress, so that a later run can resume there.
  func checkpoint(_ metadata: BodyMetadata) {
    guard ownsPart, let copy, metadata.validators.strong != nil else { return }
    var metadata = metadata
    metadata.length = copy.count
    metadata.sha256 = copy.hash.hex
    do throws(SystemError) {
      try metadata.write(to: partMetadataPath, calls: calls)
      checkpoint = (copy.count, MonotonicClock.seconds())
    } catch {
      dropCopy(error)
    }
  }

  // MARK: At the end

  /// Whether the stored body matches its metadata.
  func isStoredWhole() -> Bool { stored.map { $0.file.isWhole($0.metadata) } ?? false }

  /// Ignores the stored body, because it is damaged.
  func dropStored() { stored = nil }

  /// Marks the copy as complete.
  ///
  /// - Parameter mayBeStored: whether the server allows the body to be stored, and it is known to be complete.
  func complete(_ metadata: BodyMetadata, mayBeStored: Bool) {
    guard let copy else { return }
    var metadata = metadata
    metadata.length = copy.count
    metadata.total = copy.count
    checkpoint(metadata)
    metadata.total = nil
    metadata.sha256 = copy.hash.hex
    completed = metadata
    self.mayBeStored = mayBeStored
  }

  /// Whether the received body is the same as the stored one.
  var isSameAsStored: Bool {
    guard let completed, let metadata = stored?.metadata else { return false }
    return completed.length == metadata.length && completed.sha256 == metadata.sha256
  }

  /// Stores the body in the cache and removes the part, after a run without error.
  func commit() {
    defer { copy = nil }
    guard let entry, let copy, var metadata = completed else { return removePart() }
    guard mayBeStored else {
      removePart()
      try? calls.unlink(FilePath(metadataPath))
      return removeBodies(except: "")
    }
    metadata.body = "\(Self.name(of: entry))-\(metadata.sha256.prefix(Self.contentDigits)).body"
    do throws(SystemError) {
      try copy.rename(to: Self.directory(of: entry) + metadata.body)
      if ownsPart { try? calls.unlink(FilePath(partMetadataPath)) }
      try metadata.write(to: metadataPath, calls: calls)
      removeBodies(except: metadata.body)
    } catch {
      observe(.cacheWriteFailed(error))
    }
  }

  /// Ends a failed run: keeps the part for resuming, or discards it.
  func abandon(keepingPart: Bool) {
    if !keepingPart { removePart() }
    copy = nil
  }

  /// Whether a later run can resume.
  var hasResumablePart: Bool { ownsPart && copy.map { $0.count > 1 } ?? false }

  private func removePart() {
    guard ownsPart else { return }
    ownsPart = false
    partial = nil
    // The metadata first: without it, a part is ignored.
    try? calls.unlink(FilePath(partMetadataPath))
    copy?.remove()
  }

  /// Removes older bodies of the same URL, and the files of killed runs.
  private func removeBodies(except body: String) {
    guard let entry else { return }
    let directory = Self.directory(of: entry)
    let name = String(Self.name(of: entry))
    for other in (try? Directory.names(directory.isEmpty ? "." : directory, calls: calls)) ?? [] {
      let isBody = other.hasPrefix(name + "-") && other.hasSuffix(".body") && other != body
      let owner = BodyFile.owner(ofTemporary: other, for: name)
      let isLeft = owner.map { RunningProcess.hasEnded($0) } ?? false
      if isBody || isLeft { try? calls.unlink(FilePath(directory + other)) }
    }
  }

  private static func directory(of entry: String) -> String {
    entry.lastIndex(of: "/").map { String(entry[...$0]) } ?? ""
  }

  private static func name(of entry: String) -> Substring {
    entry.lastIndex(of: "/").map { entry[entry.index(after: $0)...] } ?? entry[...]
  }
}
