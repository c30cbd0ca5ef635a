// One input: a file by its path, or standard input as `-`.

package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An input that is read from front to back. It closes its descriptor when it is destroyed.
package struct InputFile: ~Copyable, Sendable {
  /// The name for standard input.
  package static let standardInput = "-"

  /// The path as the user gave it; `-` for standard input.
  package let path: String
  /// The size in bytes, if it is a regular file.
  package let size: UInt64?
  /// The descriptor, for a library that needs one. This value owns it.
  package let descriptor: FileDescriptor

  private let calls: any SystemCalls
  private let owns: Bool

  /// Opens `path`, or uses standard input for `-`. Opening a named pipe waits for its writer, unless `waits` is false;
  /// then call ``hasData(within:)`` before each read.
  ///
  /// Throws when the file is missing, can't be read or is a directory.
  package init(
    _ path: String, calls: any SystemCalls = KernelCalls(), waits: Bool = true
  ) throws(SystemError) {
    let (opened, status) = try Self.open(path, calls, waits: waits)
    self.path = path
    self.calls = calls
    owns = path != Self.standardInput
    descriptor = opened
    size = status?.type == .regular ? status.map { UInt64($0.size) } : nil
    if size == nil { PipeCapacity.raise(opened) }
  }

  deinit {
    if owns { try? calls.close(descriptor) }
  }

  /// Reads more bytes into the chunk's free capacity, and returns how many: 0 at the end.
  package mutating func read(into chunk: inout ByteChunk) throws(SystemError) -> Int {
    do throws(Errno) {
      return try unsafe chunk.fill { (buffer) throws(Errno) in unsafe try calls.read(descriptor, into: buffer)
      }
    } catch {
      throw SystemError(.readInput, path, error)
    }
  }

  /// Reads bytes at an offset into the chunk's free capacity, and returns how many: 0 at the end. For files, not pipes.
  package func read(into chunk: inout ByteChunk, at offset: Int64) throws(SystemError) -> Int {
    do throws(Errno) {
      return try unsafe chunk.fill { (buffer) throws(Errno) in
        unsafe try calls.read(descriptor, at: offset, into: buffer)
      }
    } catch {
      throw SystemError(.readInput, path, error)
    }
  }

  /// Reads a small file. Stops soon after `limit` bytes, so that a longer result means that the file is too long.
  package static func bytes(
    of path: String, limit: Int, calls: any SystemCalls = KernelCalls()
  ) throws(SystemError) -> [UInt8] {
    var file = try InputFile(path, calls: calls)
    var bytes: [UInt8] = []
    var chunk = ByteChunk()
    while try file.read(into: &chunk) > 0, bytes.count <= limit {
      bytes.append(copying: chunk.span)
      chunk.removeAll()
    }
    return bytes
  }

  /// Whether there is data or the end of the input; waits at most this many seconds for it.
  package func hasData(within seconds: Double) -> Bool {
    let end = MonotonicClock.seconds() + seconds
    while true {
      let left = end - MonotonicClock.seconds()
      guard left > 0 else { return false }
      var waited = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      let milliseconds = CInt((min(left, 3600) * 1000).rounded(.up))
      // An error other than an interruption shows in the next read.
      switch unsafe poll(&waited, 1, milliseconds) {
      case 0: continue
      case -1 where errno == EINTR: continue
      default: return true
      }
    }
  }

  /// Opens a file and looks up its status, which is nil for standard input if it is closed; reading fails then.
  private static func open(
    _ path: String, _ calls: any SystemCalls, waits: Bool
  ) throws(SystemError) -> (FileDescriptor, FileStatus?) {
    do throws(Errno) {
      if path == standardInput {
        let status = try? calls.status(.standardInput)
        if status?.type == .directory { throw .isDirectory }
        return (.standardInput, status)
      }
      let opened = try calls.open(FilePath(path), .readOnly, waits ? [] : .nonBlocking, [])
      do throws(Errno) {
        let status = try calls.status(opened)
        if status.type == .directory { throw .isDirectory }
        return (opened, status)
      } catch {
        try? calls.close(opened)
        throw error
      }
    } catch {
      throw SystemError(.openInput, path, error)
    }
  }
}
