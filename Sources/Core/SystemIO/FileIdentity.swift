// Which file a name leads to, so that two names of one file are known for what they are before one takes the other's place.
//
// Not for: where an output is written (OutputTarget), or whether a file has changed (FileSignature).

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file, pipe or stream that a name leads to. Two names of the same have the same place.
package enum FileIdentity: Hashable, Sendable {
  /// Something that is there: a file, a directory, a pipe, a socket.
  case standing(device: UInt64, inode: UInt64)
  /// A terminal or another device, by way of a descriptor that this process was given.
  case stream(descriptor: CInt)
  /// A file that is not there yet, in a directory that is.
  case missing(device: UInt64, inode: UInt64, name: String)
  /// Nothing that can be, at that path.
  case nowhere(String)

  /// Where a name leads that is written to, `-` being standard output; nil for a device by its own name (`/dev/null`), which
  /// any number of outputs may share.
  package init?(output path: String) {
    self.init(path, OutputFile.standardOutput, STDOUT_FILENO)
  }

  /// Where a name leads that is read from, `-` being standard input; nil for a device by its own name.
  package init?(input path: String) {
    self.init(path, InputFile.standardInput, STDIN_FILENO)
  }

  private init?(_ path: String, _ dash: String, _ stream: CInt) {
    if path == dash {
      self.init(descriptor: stream)
      return
    }
    var place = FilePath(path)
    switch try? OutputTarget(path) {
    case .descriptor(let number):
      self.init(descriptor: number)
      return
    case .inPlace(let target), .replaced(let target, _): place = target
    // A directory, a circle of links, a descriptor that is read: whatever it is, it has a place of its own.
    case nil: break
    }
    var status = stat()
    if unsafe place.withPlatformString({ unsafe stat($0, &status) }) == 0 {
      guard let standing = Self.standing(status) else { return nil }
      self = standing
      return
    }
    let folder = place.removingLastComponent()
    let name = place.lastComponent?.string ?? ""
    guard unsafe (folder.isEmpty ? "." : folder).withPlatformString({ unsafe stat($0, &status) }) == 0 else {
      self = .nowhere(place.lexicallyNormalized().string)
      return
    }
    self = .missing(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino),
      name: name)
  }

  private init(descriptor: CInt) {
    var status = stat()
    let standing = unsafe fstat(descriptor, &status) == 0 ? Self.standing(status) : nil
    self = standing ?? .stream(descriptor: descriptor)
  }

  /// Nil for a device.
  private static func standing(_ status: stat) -> FileIdentity? {
    let kind = status.st_mode & S_IFMT
    if kind == S_IFCHR || kind == S_IFBLK { return nil }
    return .standing(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(truncatingIfNeeded: status.st_ino))
  }
}
