// A lock that one process at a time holds, and that goes with the process, however that ends.
//
// Not for: what is written into the file, beyond that the next one may read it.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An exclusive lock on a file, held until the value goes.
///
/// It is the kernel's (`flock`): a process that was killed holds nothing, whatever its file says. The file stays, since
/// to remove it would let two processes lock two files of one name.
public struct FileLock: ~Copyable {
  /// The most bytes of a note that are read.
  private static let noteBytesMax = 1024

  private let descriptor: FileDescriptor
  private let calls: any SystemCalls

  private init(_ descriptor: FileDescriptor, _ calls: any SystemCalls) {
    self.descriptor = descriptor
    self.calls = calls
  }

  deinit {
    try? calls.close(descriptor)
  }

  /// Takes the lock and leaves a note about the holder in the file; nil while another process has it.
  public static func take(
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
    if flock(file.rawValue, LOCK_EX | LOCK_NB) != 0 {
      let code = Errno(rawValue: errno)
      if code == .wouldBlock || code == .resourceTemporarilyUnavailable { return nil }
      throw SystemError(.createOutput, path, code)
    }
    do throws(Errno) {
      if ftruncate(file.rawValue, 0) != 0 { throw Errno(rawValue: errno) }
      try calls.writeAll(file, Array(note.utf8).span, at: 0)
    } catch {
      throw SystemError(.writeOutput, path, error)
    }
    return lock
  }

  /// The note in a lock's file; empty when it can't be read.
  public static func note(in path: String) -> String {
    guard var file = try? InputFile(path) else { return "" }
    var chunk = ByteChunk(capacity: noteBytesMax)
    _ = try? file.read(into: &chunk)
    var bytes: [UInt8] = []
    for index in 0..<chunk.count { bytes.append(chunk.span[index]) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
