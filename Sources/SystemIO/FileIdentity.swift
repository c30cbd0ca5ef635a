// Which file a name leads to, so that two names of one file are recognised before one overwrites the other.
//
// Not for: where an output is written (OutputTarget), or whether a file has changed (FileSignature).

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The file, pipe or stream that a name leads to. Two names of one file have the same identity.
package enum FileIdentity: Hashable, Sendable {
  /// An existing file, directory, pipe or socket.
  case existing(device: UInt64, inode: UInt64)
  /// A terminal or another device, through a descriptor that this process was started with.
  case stream(descriptor: CInt)
  /// A missing file in an existing directory.
  case missing(device: UInt64, inode: UInt64, name: String)
  /// A path whose directory is missing too.
  case unreachable(String)

  /// Determines the identity of an output, where `-` is standard output. Nil for a device named by its path
  /// (`/dev/null`), which any number of outputs may share.
  package init?(output path: String) {
    self.init(path, OutputFile.standardOutput, STDOUT_FILENO)
  }

  /// Determines the identity of an input, where `-` is standard input. Nil for a device named by its path.
  package init?(input path: String) {
    self.init(path, InputFile.standardInput, STDIN_FILENO)
  }

  /// The first of several inputs that is a pipe which another of them names, too; nil if there is none. What one of the
  /// two reads, the other does not.
  package static func sharedPipe(among inputs: [String]) -> String? {
    var pipes: Set<FileIdentity> = []
    return inputs.first { path in
      guard let pipe = FileIdentity(pipe: path) else { return false }
      return !pipes.insert(pipe).inserted
    }
  }

  /// Whether an input is a pipe or a socket, which can be read only once.
  package static func isPipe(_ input: String) -> Bool { FileIdentity(pipe: input) != nil }

  /// Nil if the input is not a pipe.
  private init?(pipe input: String) {
    let kind = FileKind(of: input == InputFile.standardInput ? "/dev/stdin" : FilePath(input))
    guard kind == .other, let identity = FileIdentity(input: input) else { return nil }
    self = identity
  }

  private init?(_ path: String, _ dash: String, _ stream: CInt) {
    let calls = KernelCalls()
    if path == dash {
      self.init(descriptor: stream, calls)
      return
    }
    var target = FilePath(path)
    switch try? OutputTarget(path, calls: calls) {
    case .descriptor(let number):
      self.init(descriptor: number, calls)
      return
    case .inPlace(let found), .replaced(let found, _): target = found
    // A directory, a cycle of links, a descriptor open for reading: each has its own identity.
    case nil: break
    }
    if let status = try? calls.status(target, followsLinks: true) {
      guard let existing = Self.existing(status) else { return nil }
      self = existing
      return
    }
    let directory = target.removingLastComponent()
    let name = target.lastComponent?.string ?? ""
    guard let status = try? calls.status(directory.isEmpty ? "." : directory, followsLinks: true) else {
      self = .unreachable(target.lexicallyNormalized().string)
      return
    }
    self = .missing(device: status.device, inode: status.inode, name: name)
  }

  private init(descriptor: CInt, _ calls: any SystemCalls) {
    let status = try? calls.status(FileDescriptor(rawValue: descriptor))
    self = status.flatMap { Self.existing($0) } ?? .stream(descriptor: descriptor)
  }

  /// Nil for a device.
  private static func existing(_ status: FileStatus) -> FileIdentity? {
    status.type == .device ? nil : .existing(device: status.device, inode: status.inode)
  }
}
