// One input: a file by its path, or standard input as `-`.

public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An input that is read from front to back. It owns its descriptor and closes it.
public struct InputFile: ~Copyable {
  /// The name for standard input.
  public static let standardInput = "-"

  /// The path as the user gave it; `-` for standard input.
  public let path: String
  /// The size in bytes, if it is a regular file.
  public let size: UInt64?
  /// The descriptor, for a library that wants one. It stays owned by this value.
  public let descriptor: FileDescriptor

  private let calls: any SystemCalls
  private let owns: Bool

  /// Opens `path`, or takes standard input for `-`.
  ///
  /// Throws when there is no such file, when it can't be read, and when it is a directory.
  public init(_ path: String, calls: any SystemCalls = KernelCalls()) throws(SystemError) {
    let opened = path == Self.standardInput ? .standardInput : try Self.open(path, calls)
    let shape = Self.shape(of: opened)
    if shape.isDirectory {
      if path != Self.standardInput { try? calls.close(opened) }
      throw SystemError(.openInput, path, .isDirectory)
    }
    self.path = path
    self.calls = calls
    owns = path != Self.standardInput
    descriptor = opened
    size = shape.size
  }

  deinit {
    if owns { try? calls.close(descriptor) }
  }

  /// Reads more bytes into the chunk's free room, and returns how many: 0 at the end.
  public mutating func read(into chunk: inout ByteChunk) throws(SystemError) -> Int {
    do throws(Errno) {
      return try unsafe chunk.fill { (room) throws(Errno) in unsafe try calls.read(descriptor, into: room) }
    } catch {
      throw SystemError(.readInput, path, error)
    }
  }

  /// The bytes of a small file; of one that is longer than `limit`, some more than that many.
  public static func bytes(
    of path: String, limit: Int, calls: any SystemCalls = KernelCalls()
  ) throws(SystemError) -> [UInt8] {
    var file = try InputFile(path, calls: calls)
    var bytes: [UInt8] = []
    var chunk = ByteChunk()
    while try file.read(into: &chunk) > 0, bytes.count <= limit {
      for index in 0..<chunk.count { bytes.append(chunk.span[index]) }
      chunk.removeAll()
    }
    return bytes
  }

  private static func open(_ path: String, _ calls: any SystemCalls) throws(SystemError) -> FileDescriptor {
    do throws(Errno) {
      return try calls.open(FilePath(path), .readOnly, [], [])
    } catch {
      throw SystemError(.openInput, path, error)
    }
  }

  private static func shape(of file: FileDescriptor) -> (size: UInt64?, isDirectory: Bool) {
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0 else { return (nil, false) }
    let kind = status.st_mode & S_IFMT
    return (kind == S_IFREG ? UInt64(status.st_size) : nil, kind == S_IFDIR)
  }
}
