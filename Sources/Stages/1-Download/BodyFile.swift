// The file of a response body: written while the body is streamed, or read from an earlier run.
//
// Not for: which bodies are stored under which names (ResourceCache).

import Hashing
import SystemIO
import SystemPackage

/// A file that holds a body or its beginning. It owns its descriptor and closes it.
final class BodyFile {
  /// The file's path.
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
    removeIfTemporary()
  }

  /// The number of bytes written.
  var count: UInt64 { hash.byteCount }

  /// A unique name in the same directory. It contains the process ID, so that files of killed runs can be removed.
  static func temporaryName(beside path: String) -> String {
    let slash = path.lastIndex(of: "/")
    let directory = slash.map { path[...$0] } ?? ""
    let last = slash.map { path[path.index(after: $0)...] } ?? path[...]
    let tag = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    return "\(directory).\(last.prefix(100)).\(RunningProcess.identifier)-\(tag).tmp"
  }

  /// The process that made a temporary file for `path`'s last name, if the name is of such a file.
  static func owner(ofTemporary name: String, for last: String) -> Int32? {
    guard name.hasPrefix(".\(last)."), name.hasSuffix(".tmp") else { return nil }
    return Int32(name.dropFirst(last.utf8.count + 2).prefix { $0 != "-" })
  }

  /// A file of this run; it is removed when the value is destroyed, or when a signal ends the process.
  static func temporary(beside path: String, calls: any SystemCalls) throws(SystemError) -> BodyFile {
    let name = temporaryName(beside: path)
    let ticket = UnpublishedFiles.shared.add(FilePath(name), calls: calls)
    do throws(Errno) {
      let descriptor = try calls.open(
        FilePath(name), .readWrite, [.create, .exclusiveCreate], [.ownerReadWrite])
      return BodyFile(path: name, descriptor: descriptor, calls: calls, ticket: ticket)
    } catch {
      UnpublishedFiles.shared.remove(ticket)
      throw SystemError(.createOutput, path, error)
    }
  }

  /// A file that is kept, so that a later run can resume; nil if another run has locked it.
  static func resumable(_ path: String, calls: any SystemCalls) throws(SystemError) -> BodyFile? {
    // Another run may rename the file while it holds the lock; then this lock is on a different file, so try again.
    for _ in 0..<3 {
      let file: BodyFile
      do throws(Errno) {
        let descriptor = try calls.open(
          FilePath(path), .readWrite, [.create, .noFollow], [.ownerReadWrite])
        file = BodyFile(path: path, descriptor: descriptor, calls: calls)
      } catch {
        throw SystemError(.createOutput, path, error)
      }
      guard (try? calls.lock(file.descriptor)) != nil else { return nil }
      if file.hasItsName { return file }
    }
    return nil
  }

  /// A read-only file.
  static func stored(_ path: String, calls: any SystemCalls) -> BodyFile? {
    guard let descriptor = try? calls.open(FilePath(path), .readOnly, [.noFollow], []) else { return nil }
    return BodyFile(path: path, descriptor: descriptor, calls: calls)
  }

  /// Whether the path still refers to this file.
  private var hasItsName: Bool {
    guard let own = try? calls.status(descriptor),
      let named = try? calls.status(FilePath(path), followsLinks: false)
    else { return false }
    return own.inode == named.inode && own.device == named.device
  }

  // MARK: Writing

  /// Appends a chunk.
  func append(_ chunk: borrowing ByteChunk) throws(SystemError) {
    do throws(Errno) {
      try calls.writeAll(descriptor, chunk.span, at: Int64(clamping: count))
    } catch {
      throw SystemError(.writeOutput, path, error)
    }
    hash.update(chunk.span)
  }

  /// Discards everything that was written.
  func restart() throws(SystemError) {
    try truncate(to: SHA256Hasher())
  }

  private func truncate(to kept: SHA256Hasher) throws(SystemError) {
    do throws(Errno) {
      try calls.truncate(descriptor, to: Int64(clamping: kept.byteCount))
    } catch {
      throw SystemError(.writeOutput, path, error)
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

  // MARK: Reading

  /// Reads at most `limit` bytes at an offset, and returns their number: 0 at the end.
  func read(into chunk: inout ByteChunk, at offset: UInt64, limit: UInt64) throws(SystemError) -> Int {
    do throws(Errno) {
      return try unsafe chunk.fill { (target) throws(Errno) in
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: target.prefix(Int(clamping: limit)))
        return try unsafe calls.read(descriptor, at: Int64(clamping: offset), into: part)
      }
    } catch {
      throw SystemError(.readInput, path, error)
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

  // MARK: Names

  /// Renames the file, replacing an existing one.
  func rename(to path: String) throws(SystemError) {
    do throws(Errno) {
      try calls.rename(FilePath(self.path), to: FilePath(path))
    } catch {
      throw SystemError(.publishOutput, path, error)
    }
    self.path = path
    if let ticket = ticket.take() { UnpublishedFiles.shared.remove(ticket) }
  }

  /// Removes the file.
  func remove() {
    try? calls.unlink(FilePath(path))
    if let ticket = ticket.take() { UnpublishedFiles.shared.remove(ticket) }
  }

  private func removeIfTemporary() {
    if ticket != nil { remove() }
  }
}
