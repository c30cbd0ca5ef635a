// A lock that one process holds at a time, released by the kernel however the process ends.
//
// Not for: the meaning of the note in the file; only that the next process can read it.

import SystemPackage

/// An exclusive lock on a file, held until the value is destroyed.
///
/// The kernel keeps the lock (`flock`), so a killed process holds nothing, whatever its file contains. The file is
/// never removed here: otherwise two processes could lock two files of one name.
package struct FileLock: ~Copyable {
  /// The most bytes of a note that are read.
  private static let noteBytesMax = 1024

  private let descriptor: FileDescriptor
  private let calls: any SystemCalls

  private init(_ descriptor: FileDescriptor, _ calls: any SystemCalls) {
    self.descriptor = descriptor
    self.calls = calls
  }

  deinit {
    // Closing is not enough: a child process that was just started holds the file open, too, until it runs its program.
    try? calls.unlock(descriptor)
    try? calls.close(descriptor)
  }

  /// Acquires the lock and writes a note about the holder into the file; returns nil while another process holds the
  /// lock.
  package static func acquire(
    _ path: String, note: String, calls: any SystemCalls = KernelCalls()
  ) throws(SystemError) -> FileLock? {
    let file: FileDescriptor
    do throws(Errno) {
      file = try calls.open(
        FilePath(path), .readWrite, [.create, .noFollow], [.ownerReadWrite, .groupRead, .otherRead])
    } catch {
      throw SystemError(.createOutput, path, error)
    }
    let lock = FileLock(file, calls)
    do throws(Errno) {
      try calls.lock(file)
    } catch {
      if error == .wouldBlock || error == .resourceTemporarilyUnavailable { return nil }
      throw SystemError(.createOutput, path, error)
    }
    do throws(Errno) {
      try calls.truncate(file, to: 0)
      try calls.writeAll(file, Array(note.utf8).span, at: 0)
    } catch {
      throw SystemError(.writeOutput, path, error)
    }
    return lock
  }

  /// Whether a path names the file that is locked. False if the file was removed or replaced.
  package func isFile(at path: String) throws(SystemError) -> Bool {
    do throws(Errno) {
      guard let named = try calls.statusIfPresent(FilePath(path), followsLinks: false) else { return false }
      let own = try calls.status(descriptor)
      return named.device == own.device && named.inode == own.inode
    } catch {
      throw SystemError(.createOutput, path, error)
    }
  }

  /// The note in a lock's file; empty when it can't be read.
  package static func note(in path: String, calls: any SystemCalls = KernelCalls()) -> String {
    guard var file = try? InputFile(path, calls: calls) else { return "" }
    var chunk = ByteChunk(capacity: noteBytesMax)
    _ = try? file.read(into: &chunk)
    return String(decoding: [UInt8](copying: chunk.span), as: UTF8.self)
  }
}
