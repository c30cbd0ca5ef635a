// A nameless file for spilled runs and spooled input: unlinked as soon as it is made, so that no crash and
// no kill can leave it behind.

public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file without a name, written at its end and read anywhere.
public struct TemporaryFile: ~Copyable {
  /// The directory it lies in, for messages.
  public let directory: String
  /// The number of bytes written so far.
  public private(set) var size: Int64 = 0
  /// The descriptor, for a library that wants one. It stays owned by this value.
  public let descriptor: FileDescriptor

  private let calls: any SystemCalls

  /// Where temporary files go unless told otherwise: `TMPDIR`, else `/var/tmp`, which is on a disk where
  /// `/tmp` may be memory.
  public static var usualDirectory: String {
    if let named = unsafe getenv("TMPDIR"), unsafe named.pointee != 0 { return unsafe String(cString: named) }
    return "/var/tmp"
  }

  /// Makes a file in `directory`.
  public init(in directory: String, calls: any SystemCalls = KernelCalls()) throws(SystemError) {
    let name = FilePath(directory).appending(
      "cdpipe-\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))")
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
      // O_TMPFILE never has a name at all; file systems without it say so and get a name for a moment.
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
  public mutating func append(_ bytes: Span<UInt8>) throws(SystemError) {
    do throws(Errno) {
      try calls.writeAll(descriptor, bytes, at: size)
    } catch {
      throw SystemError(.writeSpill, directory, error)
    }
    size += Int64(bytes.count)
  }

  /// Adds a chunk's bytes at the end.
  public mutating func append(_ chunk: borrowing ByteChunk) throws(SystemError) {
    try append(chunk.span)
  }

  /// Reads bytes at an offset into the chunk's free room, at most `limit` of them, and returns how many: 0 at
  /// the end.
  public func read(
    into chunk: inout ByteChunk, at offset: Int64, limit: Int = .max
  ) throws(SystemError) -> Int {
    do throws(Errno) {
      return try unsafe chunk.fill { (room) throws(Errno) in
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: room.prefix(limit))
        return try unsafe calls.read(descriptor, at: offset, into: part)
      }
    } catch {
      throw SystemError(.readSpill, directory, error)
    }
  }
}
