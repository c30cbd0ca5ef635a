// Inputs: files and standard input, read from front to back or through a window; and the capacity of pipes.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BasicContainers
public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An input that is read from front to back. It closes its descriptor when it is destroyed.
public struct InputFile: ~Copyable, Sendable {
  public static let standardInput = "-"

  /// The path as the user gave it; `-` for standard input.
  public let path: String
  /// The size in bytes, if it is a regular file.
  public let size: UInt64?
  /// The descriptor, for a library that needs one. This value owns it.
  public let descriptor: FileDescriptor

  private let calls: any SystemCalls
  private let owns: Bool

  /// Opens `path`, or uses standard input for `-`. Opening a named pipe waits for its writer, unless `waits` is false;
  /// then call ``hasData(within:)`` before each read.
  ///
  /// Throws when the file is missing, can't be read or is a directory.
  public init(
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
  public mutating func read(into chunk: inout ByteChunk) throws(SystemError) -> Int {
    do throws(Errno) {
      return try unsafe chunk.fill { (buffer) throws(Errno) in unsafe try calls.read(descriptor, into: buffer)
      }
    } catch {
      throw SystemError(.readInput, path, error)
    }
  }

  /// Reads bytes at an offset into the chunk's free capacity, and returns how many: 0 at the end. For files, not pipes.
  public func read(into chunk: inout ByteChunk, at offset: Int64) throws(SystemError) -> Int {
    try asSystemError(.readInput, path) { () throws(Errno) in
      try calls.read(descriptor, at: offset, into: &chunk)
    }
  }

  /// Reads a small file. Stops soon after `limit` bytes, so that a longer result means that the file is too long.
  public static func bytes(
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
  public func hasData(within seconds: Double) -> Bool {
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

/// A part of a file in memory, from which integers can be read.
public struct FileWindow: ~Copyable {
  /// The file, which must stay open.
  public let file: FileDescriptor
  public let size: UInt64
  public let capacity: Int
  private let calls: any SystemCalls
  private let readAhead: Int
  private var buffer: ByteChunk
  private var start: UInt64 = 0

  /// Makes a window of at most `capacity` bytes that reads at least `readAhead` bytes at a time.
  public init(
    _ file: FileDescriptor, size: UInt64, capacity: Int, readAhead: Int, calls: any SystemCalls
  ) {
    self.file = file
    self.size = size
    self.capacity = capacity
    buffer = ByteChunk(capacity: capacity)
    self.readAhead = readAhead
    self.calls = calls
  }

  /// Makes sure that these bytes are loaded; false if they are beyond the end of the file.
  ///
  /// - Precondition: at most ``capacity`` bytes.
  public mutating func load(_ offset: UInt64, _ count: Int) throws(Errno) -> Bool {
    guard offset <= size, UInt64(count) <= size - offset else { return false }
    if offset >= start, offset - start <= UInt64(buffer.count),
      count <= buffer.count - Int(offset - start)
    {
      return true
    }
    buffer.removeAll()
    start = offset
    let target = Int(min(UInt64(max(count, min(readAhead, buffer.freeCapacity))), size - offset))
    while buffer.count < target {
      let missing = target - buffer.count
      let from = Int64(offset) + Int64(buffer.count)
      let readCount = try unsafe buffer.fill { (space) throws(Errno) in
        unsafe try calls.read(
          file, at: from, into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(missing)))
      }
      // The file was truncated meanwhile.
      if readCount == 0 { return buffer.count >= count }
    }
    return true
  }

  public func byte(_ offset: UInt64) -> UInt8 { buffer.bytes[Int(offset - start)] }

  /// A little-endian integer of two loaded bytes.
  public func u16(_ offset: UInt64) -> UInt16 { UInt16(byte(offset)) | UInt16(byte(offset + 1)) << 8 }

  /// A little-endian integer of four loaded bytes.
  public func u32(_ offset: UInt64) -> UInt32 { UInt32(u16(offset)) | UInt32(u16(offset + 2)) << 16 }

  /// A little-endian integer of eight loaded bytes.
  public func u64(_ offset: UInt64) -> UInt64 { UInt64(u32(offset)) | UInt64(u32(offset + 4)) << 32 }

  public func bytes(_ offset: UInt64, _ count: Int) -> [UInt8] {
    let first = Int(offset - start)
    return [UInt8](copying: buffer.span.extracting(first..<first + count))
  }

  /// Whether the loaded bytes at an offset are the expected ones.
  public func matches(_ offset: UInt64, _ expected: [UInt8]) -> Bool {
    let first = Int(offset - start)
    for index in expected.indices where buffer.bytes[first + index] != expected[index] { return false }
    return true
  }
}

/// The capacity of pipes. A Linux pipe holds 64 KiB by default. Five filters took 25 % longer with that than with pipes
/// that hold a chunk. An unprivileged user's pipes may hold 64 MiB in total (pipe(7)).
public enum PipeCapacity {
  public static let bytesMin = ByteChunk.defaultBytes

  #if os(Linux)
    // F_SETPIPE_SZ and F_GETPIPE_SZ, which Swift's module of the C library lacks.
    private static let set: CInt = 1031
    private static let get: CInt = 1032
  #endif

  /// The bytes that a pipe holds; nil if the descriptor is not a pipe, or the system does not report it.
  public static func of(_ descriptor: FileDescriptor) -> Int? {
    #if os(Linux)
      let bytes = fcntl(descriptor.rawValue, get)
      return bytes < 0 ? nil : Int(bytes)
    #else
      return nil
    #endif
  }

  /// Raises a pipe's capacity to ``bytesMin`` if the system permits. Larger pipes and other files stay as they are.
  static func raise(_ descriptor: FileDescriptor) {
    #if os(Linux)
      if let now = of(descriptor), now < bytesMin { _ = fcntl(descriptor.rawValue, set, CInt(bytesMin)) }
    #endif
  }
}

public enum StandardDescriptors {
  /// Reserves those of the three that are closed.
  ///
  /// The parent process may have closed them (`2>&-`). The next file that this process opens would then get the lowest
  /// free number: messages would go into an output, or an output would be read as standard input. Reserved descriptors
  /// fail with EBADF, like closed ones. Call this before any file is opened.
  public static func reserve() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
      // The lower ones are open, so this one is the lowest free number. It is opened for the wrong direction.
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
