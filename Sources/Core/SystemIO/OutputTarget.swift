// Where the name of an output leads: to a descriptor that this process was given, to what is written in place, or to a
// file that is replaced.
//
// Not for: opening and writing it (OutputFile), or telling two names of one file (FileIdentity).

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where the name of an output leads.
enum OutputTarget: Equatable {
  /// To a descriptor that this process was started with, by a name such as `/dev/stdout` or `/dev/fd/3`. It is written as
  /// if redirected to: neither its name nor the file behind it may be replaced.
  case descriptor(CInt)
  /// To a device, a pipe or a socket.
  case inPlace(FilePath)
  /// To a file that is replaced, which has these permissions, or to one that is not there yet.
  case replaced(FilePath, permissions: mode_t?)

  /// The most links that are followed, which is the most that Linux follows.
  static let linksMax = 40
  /// The folders of this process's own descriptors, as far as a system has them.
  private static let descriptorFolders = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"]

  /// Follows a name, also where a link leads to a file that is not there. Throws when it leads to a directory, in a
  /// circle, or to a descriptor that can't be written.
  init(_ path: String) throws(SystemError) {
    let typed = FilePath(path)
    var place = typed
    var links = 0
    while true {
      if let number = Self.descriptor(named: place) {
        guard Self.isWritable(number) else { throw SystemError(.createOutput, path, .badFileDescriptor) }
        self = .descriptor(number)
        return
      }
      guard let next = SymbolicLink.destination(of: place.string) else { break }
      links += 1
      guard links <= Self.linksMax else {
        throw SystemError(.createOutput, path, .tooManySymbolicLinkLevels)
      }
      let destination = FilePath(next)
      place = destination.isAbsolute ? destination : place.removingLastComponent().pushing(destination)
    }
    let status = Self.status(of: place)
    switch status.map({ $0.st_mode & S_IFMT }) {
    case S_IFDIR: throw SystemError(.createOutput, path, .isDirectory)
    case S_IFREG: self = .replaced(place, permissions: status.map { $0.st_mode & 0o777 })
    // A link of another process's descriptors leads on where its text does not: `pipe:[4711]`, `/gone (deleted)`.
    case nil: self = Self.status(of: typed) == nil ? .replaced(place, permissions: nil) : .inPlace(typed)
    default: self = .inPlace(place)
    }
  }

  /// The descriptor that a path names, if it lies in a folder of this process's own descriptors.
  private static func descriptor(named path: FilePath) -> CInt? {
    guard let last = path.lastComponent?.string, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let number = CInt(last)
    else { return nil }
    let parent = path.removingLastComponent()
    guard let folder = real(parent.isEmpty ? "." : parent) else { return nil }
    return descriptorFolders.contains { real(FilePath($0)) == folder } ? number : nil
  }

  /// Whether a descriptor came from whoever started this process and can be written. What this process opened itself is
  /// never inherited, and so is closed on exec.
  private static func isWritable(_ number: CInt) -> Bool {
    let flags = fcntl(number, F_GETFD)
    let mode = fcntl(number, F_GETFL)
    return flags >= 0 && flags & FD_CLOEXEC == 0 && mode >= 0 && mode & O_ACCMODE != O_RDONLY
  }

  private static func real(_ path: FilePath) -> String? {
    guard let found = unsafe path.withPlatformString({ unsafe realpath($0, nil) }) else { return nil }
    defer { unsafe free(found) }
    return unsafe String(cString: found)
  }

  private static func status(of path: FilePath) -> stat? {
    var status = stat()
    return unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 ? status : nil
  }
}
