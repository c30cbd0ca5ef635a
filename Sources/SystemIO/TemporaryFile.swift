// A nameless file for spilled runs and spooled input: unlinked as soon as it is made, so that it survives neither a
// crash nor a kill.

package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file without a name, written at its end and read anywhere.
package struct TemporaryFile: ~Copyable, Sendable {
  /// The directory that contains it, for messages.
  package let directory: String
  /// The number of bytes written so far.
  package private(set) var size: Int64 = 0
  /// The descriptor, for a library that needs one. This value owns it.
  package let descriptor: FileDescriptor

  private let calls: any SystemCalls

  /// The default directory of temporary files: `TMPDIR`, else `/var/tmp`, which is on a disk, while `/tmp` may be
  /// memory.
  package static var defaultDirectory: String {
    if let named = RunningProcess.environment("TMPDIR"), !named.isEmpty { return named }
    return "/var/tmp"
  }

  /// Makes a file in `directory`.
  package init(in directory: String, calls: any SystemCalls = KernelCalls()) throws(SystemError) {
    let name = FilePath(directory).appending(
      "cdpipe-\(RunningProcess.identifier)-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))")
    let opened: FileDescriptor
    do throws(Errno) {
      opened = try Self.openNameless(in: FilePath(directory), orAs: name, calls)
    } catch {
      throw SystemError(.createSpill, directory, error)
    }
    self.directory = directory
    self.calls = calls
    descriptor = opened
  }

  private static func openNameless(
    in directory: FilePath, orAs name: FilePath, _ calls: any SystemCalls
  ) throws(Errno) -> FileDescriptor {
    #if os(Linux)
      // With O_TMPFILE the file never has a name. On file systems without it, the file has one for a moment.
      let nameless = FileDescriptor.OpenOptions(rawValue: 0o20000000 | O_DIRECTORY)
      do throws(Errno) {
        return try calls.open(directory, .readWrite, nameless, [.ownerReadWrite])
      } catch {
        guard error == .notSupported || error == .isDirectory || error == .invalidArgument else {
          throw error
        }
      }
    #endif
    let file = try calls.open(name, .readWrite, [.create, .exclusiveCreate], [.ownerReadWrite])
    do throws(Errno) {
      try calls.unlink(name)
    } catch {
      try? calls.close(file)
      throw error
    }
    return file
  }

  deinit {
    try? calls.close(descriptor)
  }

  /// Adds bytes at the end.
  package mutating func append(_ bytes: Span<UInt8>) throws(SystemError) {
    do throws(Errno) {
      try calls.writeAll(descriptor, bytes, at: size)
    } catch {
      throw SystemError(.writeSpill, directory, error)
    }
    size += Int64(bytes.count)
  }

  /// Adds a chunk's bytes at the end.
  package mutating func append(_ chunk: borrowing ByteChunk) throws(SystemError) {
    try append(chunk.span)
  }

  /// Reads bytes at an offset into the chunk's free capacity, at most `limit` of them, and returns how many: 0 at
  /// the end.
  package func read(
    into chunk: inout ByteChunk, at offset: Int64, limit: Int = .max
  ) throws(SystemError) -> Int {
    do throws(Errno) {
      return try unsafe chunk.fill { (buffer) throws(Errno) in
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(limit))
        return try unsafe calls.read(descriptor, at: offset, into: part)
      }
    } catch {
      throw SystemError(.readSpill, directory, error)
    }
  }
}
