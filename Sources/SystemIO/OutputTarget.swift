// What the name of an output refers to: a descriptor that this process was started with, a device or pipe that is
// written in place, or a file that is replaced.
//
// Not for: opening and writing the output (OutputFile), or recognising two names of one file (FileIdentity).

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the name of an output refers to.
enum OutputTarget: Equatable {
  /// A descriptor that this process was started with, by a name such as `/dev/stdout` or `/dev/fd/3`. It is written
  /// like a redirected stream: neither the name nor the file it refers to is replaced.
  case descriptor(CInt)
  /// A device, a pipe or a socket.
  case inPlace(FilePath)
  /// A file that is replaced and has these permissions, or a file that is missing.
  case replaced(FilePath, permissions: FilePermissions?)

  /// The most links that are followed; Linux has the same limit.
  static let linksMax = 40
  /// The directories of this process's own descriptors. A system may lack some of them.
  private static let descriptorDirectories = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"]

  /// Follows a name, also through a link to a missing file. Throws when it leads to a directory, into a cycle, or to a
  /// descriptor that can't be written to.
  init(_ path: String, calls: any SystemCalls) throws(SystemError) {
    do throws(Errno) {
      self = try Self.follow(FilePath(path), calls)
    } catch {
      throw SystemError(.createOutput, path, error)
    }
  }

  private static func follow(_ named: FilePath, _ calls: any SystemCalls) throws(Errno) -> OutputTarget {
    var path = named
    var links = 0
    while true {
      if let number = descriptor(named: path, calls) {
        guard isWritable(number) else { throw .badFileDescriptor }
        return .descriptor(number)
      }
      guard let destination = try calls.destinationIfLink(path) else { break }
      links += 1
      guard links <= linksMax else { throw .tooManySymbolicLinkLevels }
      path = destination.isAbsolute ? destination : path.removingLastComponent().pushing(destination)
    }
    if let status = try calls.statusIfPresent(path, followsLinks: true) {
      switch status.type {
      case .directory: throw .isDirectory
      case .regular: return .replaced(path, permissions: status.permissions)
      case .symbolicLink, .device, .other: return .inPlace(path)
      }
    }
    // Links to another process's descriptors work although their text is not a path: `pipe:[4711]`, `/gone (deleted)`.
    let isMissing = try calls.statusIfPresent(named, followsLinks: true) == nil
    return isMissing ? .replaced(path, permissions: nil) : .inPlace(named)
  }

  /// The descriptor that a path names, if it lies in a directory of this process's own descriptors.
  private static func descriptor(named path: FilePath, _ calls: any SystemCalls) -> CInt? {
    guard let last = path.lastComponent?.string, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = CInt(last)
    else { return nil }
    let parent = path.removingLastComponent()
    guard let directory = try? calls.resolve(parent.isEmpty ? "." : parent) else { return nil }
    return descriptorDirectories.contains { (try? calls.resolve(FilePath($0))) == directory } ? number : nil
  }

  /// Whether a descriptor was inherited and can be written to. Descriptors that this process opened itself have the
  /// close-on-exec flag.
  private static func isWritable(_ number: CInt) -> Bool {
    let flags = fcntl(number, F_GETFD)
    let mode = fcntl(number, F_GETFL)
    return flags >= 0 && flags & FD_CLOEXEC == 0 && mode >= 0 && mode & O_ACCMODE != O_RDONLY
  }
}
