// What is kept of one URL between runs: the body that came last (the cache), and the beginning of one that broke
// off (to resume).
//
//     DIR/KEY.meta              the record, which names the body
//     DIR/KEY-CONTENT.body      the body; KEY is the URL's hash, CONTENT the body's
//     DIR/KEY.part, .part.meta  the beginning of a body, with --resume
//     FILE.cdpipe-part, .meta   the same beside an output, without a cache
//
// Runs at the same time can't tear an entry: a body never changes under its name, a record is replaced by a rename,
// a part belongs to the run that holds its lock, and no body is believed without its hash. Nothing is synced,
// because all a crash can do is to make a hash wrong.
//
// Not for: what to ask a server, and what its answers mean (WebFetch).

import ContentHash
import PipeStage
import SystemIO
import SystemPackage

/// What is kept of one URL.
final class ResourceCache {
  /// The body of an earlier run, opened, and not yet checked.
  private(set) var stored: (metadata: BodyMetadata, file: BodyFile)?
  /// The beginning that an earlier run left, checked.
  private(set) var partial: BodyMetadata?
  /// Where this run's body is copied to; nil when it can't be or need not be.
  private(set) var copy: BodyFile?

  private let calls: any SystemCalls
  private let observe: (DownloadEvent) -> Void
  /// The entry's place in the cache without an ending; nil without a cache.
  private let entry: String?
  /// Where a part stays; nil unless it is to be resumed.
  private let partPath: String?
  private let url: WebURL
  private var ownsPart = false
  /// The record of the body that `copy` holds whole.
  private var completed: BodyMetadata?
  private var mayBeStored = true
  private var checkpoint = (bytes: UInt64(0), seconds: MonotonicClock.seconds())

  /// How many hex digits of a hash go into a name: none that differ will ever meet.
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
      // A header such as Accept may choose between versions that share a URL.
      let key = ([url.withoutFragment] + options.headers.sorted()).joined(separator: "\n")
      let name = SHA256Hasher.hex(of: key).prefix(Self.keyDigits)
      return directory.hasSuffix("/") ? "\(directory)\(name)" : "\(directory)/\(name)"
    }
    partPath = options.resumes ? entry.map { $0 + ".part" } ?? options.partialPath : nil
  }

  private var metadataPath: String { (entry ?? "") + ".meta" }
  private var partMetadataPath: String { (partPath ?? "") + ".meta" }

  /// Looks what is there, and makes room for this run's body. A body that was kept with another hash than `sha256`
  /// is of no use.
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

  // MARK: While the body streams by

  /// Adds a chunk to the copy. One that can't be written costs nothing but the copy.
  func append(_ chunk: borrowing ByteChunk) {
    do throws(SystemError) {
      try copy?.append(chunk)
    } catch {
      dropCopy(error)
    }
  }

  /// The body begins anew.
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

  /// Whether the part has got further and its record is old.
  var isCheckpointDue: Bool {
    guard ownsPart, let copy, copy.count > checkpoint.bytes else { return false }
    return MonotonicClock.seconds() - checkpoint.seconds >= DownloadLimits.checkpointSeconds
  }

  /// Notes how far the part has got, so that a later run can go on from there.
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

  /// The stored body has the bytes that it should have.
  func isStoredWhole() -> Bool { stored.map { $0.file.isWhole($0.metadata) } ?? false }

  /// The stored body is damaged: as if there were none.
  func dropStored() { stored = nil }

  /// The copy is whole. `mayBeStored`: the server allows it, and it is metadata that nothing is missing.
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

  /// Whether the body that came is the one that was there.
  var isSameAsStored: Bool {
    guard let completed, let metadata = stored?.metadata else { return false }
    return completed.length == metadata.length && completed.sha256 == metadata.sha256
  }

  /// Everything went well: the body is put into the cache, and the part is gone.
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

  /// The run failed. What came so far may be resumed, or is forgotten.
  func abandon(keepingPart: Bool) {
    if !keepingPart { removePart() }
    copy = nil
  }

  /// Whether a later run finds something to go on with.
  var hasResumablePart: Bool { ownsPart && copy.map { $0.count > 1 } ?? false }

  private func removePart() {
    guard ownsPart else { return }
    ownsPart = false
    partial = nil
    // The record first: without one, a part is not believed.
    try? calls.unlink(FilePath(partMetadataPath))
    copy?.remove()
  }

  /// Removes older bodies of the same URL, and what runs that were killed left.
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
