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

import Hashing
import Records
import SystemIO
import SystemPackage

final class ResourceCache {
  /// The body of an earlier run, open but not checked yet.
  private(set) var stored: (metadata: BodyMetadata, file: BodyFile)?
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

  func isStoredWhole() -> Bool { stored.map { $0.file.isWhole($0.metadata) } ?? false }
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
      let isLeft = Leftovers.target(of: other) == name
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

/// A file that holds a body or its beginning. It owns its descriptor and closes it.
final class BodyFile {
  private(set) var path: String
  /// The hash and number of the bytes written.
  private(set) var hash = SHA256Hasher()

  private let calls: any SystemCalls
  private let descriptor: FileDescriptor
  /// Set for a file that must be removed at the end of the run.
  private var ticket: Int?

  private init(path: String, descriptor: FileDescriptor, calls: any SystemCalls, ticket: Int? = nil) {
    self.path = path
    self.descriptor = descriptor
    self.calls = calls
    self.ticket = ticket
  }

  deinit {
    try? calls.close(descriptor)
    if ticket != nil { remove() }
  }

  var count: UInt64 { hash.byteCount }

  /// A file of this run; it is removed when the value is destroyed, or when a signal ends the process.
  static func temporary(beside path: String, calls: any SystemCalls) throws(SystemError) -> BodyFile {
    let name = UnpublishedFiles.name(beside: FilePath(path))
    let (ticket, descriptor) = try asSystemError(.createOutput, path) { () throws(Errno) in
      try UnpublishedFiles.shared.add(name, calls: calls) { () throws(Errno) in
        try calls.open(name, .readWrite, [.create, .exclusiveCreate], [.ownerReadWrite])
      }
    }
    return BodyFile(path: name.string, descriptor: descriptor, calls: calls, ticket: ticket)
  }

  /// A file that is kept, so that a later run can resume; nil if another run has locked it.
  static func resumable(_ path: String, calls: any SystemCalls) throws(SystemError) -> BodyFile? {
    // Another run may rename the file while it holds the lock; then this lock is on a different file, so try again.
    for _ in 0..<3 {
      let descriptor = try asSystemError(.createOutput, path) { () throws(Errno) in
        try calls.open(FilePath(path), .readWrite, [.create, .noFollow], [.ownerReadWrite])
      }
      let file = BodyFile(path: path, descriptor: descriptor, calls: calls)
      guard (try? calls.lock(file.descriptor)) != nil else { return nil }
      if file.hasItsName { return file }
    }
    return nil
  }

  static func stored(_ path: String, calls: any SystemCalls) -> BodyFile? {
    guard let descriptor = try? calls.open(FilePath(path), .readOnly, [.noFollow], []) else { return nil }
    return BodyFile(path: path, descriptor: descriptor, calls: calls)
  }

  private var hasItsName: Bool {
    guard let own = try? calls.status(descriptor),
      let named = try? calls.status(FilePath(path), followsLinks: false)
    else { return false }
    return own.inode == named.inode && own.device == named.device
  }

  func append(_ chunk: borrowing ByteChunk) throws(SystemError) {
    try asSystemError(.writeOutput, path) { () throws(Errno) in
      try calls.writeAll(descriptor, chunk.span, at: Int64(clamping: count))
    }
    hash.update(chunk.span)
  }

  func restart() throws(SystemError) { try truncate(to: SHA256Hasher()) }

  private func truncate(to kept: SHA256Hasher) throws(SystemError) {
    try asSystemError(.writeOutput, path) { () throws(Errno) in
      try calls.truncate(descriptor, to: Int64(clamping: kept.byteCount))
    }
    hash = kept
  }

  /// Reuses what an earlier run wrote, up to the length in its metadata, if the bytes are unchanged. The last byte of a
  /// complete body is dropped, so that the range request is not empty.
  func adopt(_ metadata: BodyMetadata) -> Bool {
    let kept = metadata.total == metadata.length ? metadata.length &- 1 : metadata.length
    guard metadata.length > 1 else { return false }
    var found = SHA256Hasher()
    var prefix = SHA256Hasher()
    do throws(SystemError) {
      var chunk = ByteChunk()
      while found.byteCount < metadata.length {
        chunk.removeAll()
        let next = found.byteCount < kept ? kept : metadata.length
        let count = try read(into: &chunk, at: found.byteCount, limit: next - found.byteCount)
        if count == 0 { return false }
        found.update(chunk.span)
        if found.byteCount == kept { prefix = found }
      }
      guard found.hex == metadata.sha256 else { return false }
      try truncate(to: prefix)
      return true
    } catch {
      return false
    }
  }

  /// Reads at most `limit` bytes at an offset, and returns their number: 0 at the end.
  func read(into chunk: inout ByteChunk, at offset: UInt64, limit: UInt64) throws(SystemError) -> Int {
    try asSystemError(.readInput, path) { () throws(Errno) in
      try calls.read(descriptor, at: Int64(clamping: offset), limit: Int(clamping: limit), into: &chunk)
    }
  }

  /// Whether the file's content matches its metadata. Reads the whole file.
  func isWhole(_ metadata: BodyMetadata) -> Bool {
    var found = SHA256Hasher()
    do throws(SystemError) {
      var chunk = ByteChunk()
      while try read(into: &chunk, at: found.byteCount, limit: .max) > 0 {
        found.update(chunk.span)
        chunk.removeAll()
        if found.byteCount > metadata.length { return false }
      }
    } catch {
      return false
    }
    return found.byteCount == metadata.length && found.hex == metadata.sha256
  }

  func rename(to path: String) throws(SystemError) {
    try asSystemError(.publishOutput, path) { () throws(Errno) in
      try calls.rename(FilePath(self.path), to: FilePath(path))
    }
    self.path = path
    if let ticket = ticket.take() { UnpublishedFiles.shared.remove(ticket) }
  }

  func remove() {
    try? calls.unlink(FilePath(path))
    if let ticket = ticket.take() { UnpublishedFiles.shared.remove(ticket) }
  }
}

/// The metadata of a body that is kept on disk: a small text file next to the body.
///
///     cdpipe-download 1
///     url: https://example.org/marked.zip
///     from: https://cdn.example.org/7/marked.zip
///     etag: "5e9f-60a1"
///     last-modified: Sat, 07 Nov 2026 03:12:00 GMT
///     body: 0f3a…-9c51….body
///     length: 173461
///     sha256: …
///
/// The hash comes last, so that a truncated file is invalid. Unknown lines are ignored.
struct BodyMetadata: Equatable {
  var url: String
  /// The URL that answered, after all redirects.
  var from: String
  var validators = Validators()
  /// The name of the body's file in the same directory; empty for a part, which has a fixed name.
  var body = ""
  var length: UInt64 = 0
  /// For a part, the length of the whole body, if known.
  var total: UInt64?
  var sha256 = ""

  private static let firstLine = "cdpipe-download 1"
  /// The maximum size in bytes: a few lines, each with the content of one HTTP header.
  private static let bytesMax = 64 * 1024

  var text: String {
    var lines = [Self.firstLine, "url: \(url)", "from: \(from)"]
    if let etag = validators.etag { lines.append("etag: \(etag)") }
    if let date = validators.lastModified { lines.append("last-modified: \(date)") }
    if validators.isDateStrong { lines.append("date-is-strong: yes") }
    if !body.isEmpty { lines.append("body: \(body)") }
    if let total { lines.append("total: \(total)") }
    lines += ["length: \(length)", "sha256: \(sha256)"]
    return lines.joined(separator: "\n") + "\n"
  }

  init(url: String, from: String) {
    self.url = url
    self.from = from
  }

  init?(text: String) {
    var fields: [Substring: String] = [:]
    let lines = text.split(separator: "\n")
    guard let first = lines.first, first == Self.firstLine, text.hasSuffix("\n") else { return nil }
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      fields[line[..<colon]] = String(line[colon...].dropFirst(2))
    }
    guard let url = fields["url"], let from = fields["from"],
      let length = fields["length"].flatMap({ UInt64($0) }),
      let sha256 = fields["sha256"].flatMap({ Hexadecimal.normalizedSHA256($0) })
    else { return nil }
    self.url = url
    self.from = from
    self.length = length
    self.sha256 = sha256
    if let etag = fields["etag"] {
      guard Validators.isETag(etag) else { return nil }
      validators.etag = etag
    }
    validators.lastModified = fields["last-modified"]
    validators.isDateStrong = fields["date-is-strong"] == "yes"
    body = fields["body"] ?? ""
    // The name must not leave the directory.
    guard !body.contains("/"), !body.utf8.contains(0) else { return nil }
    if let text = fields["total"] {
      guard let total = UInt64(text), total >= length else { return nil }
      self.total = total
    }
  }

  init?(at path: String, calls: any SystemCalls) {
    guard var file = try? InputFile(path, calls: calls), let size = file.size, size <= Self.bytesMax else {
      return nil
    }
    var chunk = ByteChunk(capacity: Self.bytesMax)
    while chunk.freeCapacity > 0, let count = try? file.read(into: &chunk), count > 0 {}
    guard let text = String(validating: [UInt8](copying: chunk.span), as: UTF8.self) else { return nil }
    self.init(text: text)
  }

  /// Writes the file atomically. Only the owner may read it: a URL may be a secret.
  func write(to path: String, calls: any SystemCalls) throws(SystemError) {
    let temporary = UnpublishedFiles.name(beside: FilePath(path))
    try asSystemError(.writeOutput, path) { () throws(Errno) in
      let (ticket, file) = try UnpublishedFiles.shared.add(temporary, calls: calls) { () throws(Errno) in
        try calls.open(temporary, .writeOnly, [.create, .exclusiveCreate], [.ownerReadWrite])
      }
      defer { UnpublishedFiles.shared.remove(ticket) }
      do throws(Errno) {
        do {
          defer { try? calls.close(file) }
          try calls.writeAll(file, Array(text.utf8).span)
        }
        // Not synced: metadata that is lost or wrong after a crash only costs a download, since the hash is checked.
        try calls.rename(temporary, to: FilePath(path))
      } catch {
        try? calls.unlink(temporary)
        throw error
      }
    }
  }
}
