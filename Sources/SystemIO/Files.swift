// What is known of a file: its kind, status, identity and signature; links, copies and locks; and patterns of names.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

public struct FileStatus: Equatable, Sendable {
  public enum FileType: Equatable, Sendable {
    case regular
    case directory
    case symbolicLink
    /// A character or block device.
    case device
    /// A pipe, a socket or anything else.
    case other
  }

  public var type: FileType
  public var size: Int64
  public var device: UInt64
  public var inode: UInt64
  public var owner: UInt32
  public var permissions: FilePermissions
  /// When the content last changed, in nanoseconds since 1970.
  public var modified: Int64
  /// When the content or the metadata last changed, in nanoseconds since 1970. Programs can't set it back.
  public var changed: Int64

  init(_ status: stat) {
    type =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFCHR, S_IFBLK: .device
      default: .other
      }
    size = Int64(status.st_size)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    owner = status.st_uid
    permissions = FilePermissions(rawValue: status.st_mode & 0o777)
    #if canImport(Glibc)
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #else
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #endif
    self.modified = Self.nanoseconds(modified)
    self.changed = Self.nanoseconds(changed)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

public enum FileKind {
  /// There is no such file, or its status can't be read.
  case none
  case regular
  case directory
  case other

  public init(of path: FilePath, calls: any SystemCalls = KernelCalls()) {
    self.init((try? calls.status(path, followsLinks: true))?.type)
  }

  /// Looks up the kind of the file at a path, following links. Throws when its status can't be read.
  public init(checking path: FilePath, calls: any SystemCalls) throws(SystemError) {
    let status = try asSystemError(.openInput, path.string) { () throws(Errno) in
      try calls.statusIfPresent(path, followsLinks: true)
    }
    self.init(status?.type)
  }

  private init(_ type: FileStatus.FileType?) {
    self =
      switch type {
      case nil: .none
      case .regular: .regular
      case .directory: .directory
      case .symbolicLink, .device, .other: .other
      }
  }
}

/// The file, pipe or stream that a name leads to. Two names of one file have the same identity.
public enum FileIdentity: Hashable, Sendable {
  /// An existing file, directory, pipe or socket.
  case existing(device: UInt64, inode: UInt64)
  /// A terminal or another device, through a descriptor that this process was started with.
  case stream(descriptor: CInt)
  case missing(device: UInt64, inode: UInt64, name: String)
  /// A path whose directory is missing too.
  case unreachable(String)

  /// Determines the identity of an output, where `-` is standard output. Nil for a device named by its path
  /// (`/dev/null`), which any number of outputs may share.
  public init?(output path: String) { self.init(path, OutputFile.standardOutput, STDOUT_FILENO) }

  /// Determines the identity of an input, where `-` is standard input. Nil for a device named by its path.
  public init?(input path: String) { self.init(path, InputFile.standardInput, STDIN_FILENO) }

  /// The first of several inputs that is a pipe which another of them names, too; nil if there is none. What one of the
  /// two reads, the other does not.
  public static func sharedPipe(among inputs: [String]) -> String? {
    var pipes: Set<FileIdentity> = []
    return inputs.first { path in
      guard let pipe = FileIdentity(pipe: path) else { return false }
      return !pipes.insert(pipe).inserted
    }
  }

  /// Whether an input is a pipe or a socket, which can be read only once.
  public static func isPipe(_ input: String) -> Bool { FileIdentity(pipe: input) != nil }

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

  private static func existing(_ status: FileStatus) -> FileIdentity? {
    status.type == .device ? nil : .existing(device: status.device, inode: status.inode)
  }
}

public struct FileSignature: Equatable, Codable, Sendable {
  public var size: Int64
  public var inode: UInt64
  /// When the content last changed, in nanoseconds since 1970.
  public var modified: Int64
  /// When the content or the metadata last changed, in nanoseconds since 1970. Programs can't set it back.
  public var changed: Int64

  /// Reads the signature of the file at a path; nil unless it is a regular file.
  public init?(of path: String, calls: any SystemCalls = KernelCalls()) {
    guard let status = try? calls.status(FilePath(path), followsLinks: true), status.type == .regular else {
      return nil
    }
    size = status.size
    inode = status.inode
    modified = status.modified
    changed = status.changed
  }

  /// When the file or directory at a path last changed, in seconds since 1970; 0 if that can't be determined.
  public static func modified(_ path: String, calls: any SystemCalls = KernelCalls()) -> Int64 {
    let status = try? calls.status(FilePath(path), followsLinks: true)
    return (status?.modified ?? 0) / 1_000_000_000
  }

  /// Whether the last change is well before a time, in seconds since 1970. A file that changes again within the clock
  /// tick in which its signature was taken may keep that signature.
  public func isSettled(at seconds: Int64) -> Bool {
    // The coarsest file systems store times in steps of 2 seconds.
    let slack: Int64 = 2
    return seconds &- max(modified, changed) / 1_000_000_000 > slack
  }
}

public enum SymbolicLink {
  /// Returns the destination of the link at a path; nil when the path is missing or not a link.
  public static func destination(of path: String, calls: any SystemCalls = KernelCalls()) -> String? {
    (try? calls.destination(ofLink: FilePath(path)))?.string
  }

  /// Returns the destination of the link at a path; nil when the path is missing or not a link. Throws when that can't
  /// be determined.
  public static func read(_ path: String, calls: any SystemCalls) throws(SystemError) -> String? {
    return try asSystemError(.openInput, path) { () throws(Errno) in
      try calls.destinationIfLink(FilePath(path))?.string
    }
  }

  /// Returns the absolute path without links, `.` and `..`. Components that don't exist are kept as they are.
  public static func resolved(_ path: String, calls: any SystemCalls = KernelCalls()) -> String {
    var front = FilePath(path.isEmpty ? "." : path)
    var rest: [FilePath.Component] = []
    while true {
      if let real = try? calls.resolve(front.isEmpty ? "." : front) {
        return real.appending(rest.reversed()).string
      }
      guard let last = front.lastComponent else { return path }
      rest.append(last)
      front = front.removingLastComponent()
    }
  }

  /// Whether there is a file, a directory or a link at a path. A link counts even if its destination is missing.
  public static func exists(_ path: String, calls: any SystemCalls = KernelCalls()) -> Bool {
    (try? calls.status(FilePath(path), followsLinks: false)) != nil
  }

  /// Whether there is a file, a directory or a link at a path. Throws when that can't be determined.
  public static func isPresent(_ path: String, calls: any SystemCalls) throws(SystemError) -> Bool {
    return try asSystemError(.openInput, path) { () throws(Errno) in
      try calls.statusIfPresent(FilePath(path), followsLinks: false) != nil
    }
  }

  /// Puts a link in place of the link or file at a path, in one step: a reader sees the old one or the new one. The
  /// directory is not synced.
  public static func replace(
    _ path: String, by destination: String, calls: any SystemCalls
  ) throws(SystemError) {
    let temporary = UnpublishedFiles.name(beside: FilePath(path))
    let ticket = try asSystemError(.createOutput, path) { () throws(Errno) in
      try UnpublishedFiles.shared.add(temporary, calls: calls) { () throws(Errno) in
        try calls.makeSymbolicLink(temporary, to: FilePath(destination))
      }.ticket
    }
    defer { UnpublishedFiles.shared.remove(ticket) }
    do throws(Errno) {
      try calls.rename(temporary, to: FilePath(path))
    } catch {
      try? calls.unlink(temporary)
      throw SystemError(.publishOutput, path, error)
    }
  }
}

public enum FileDuplicate {
  /// Links a file to a path, in place of the file there. Where the file system has no hard links, the file is copied.
  public static func link(_ file: String, to path: String, calls: any SystemCalls) throws(SystemError) {
    let temporary = UnpublishedFiles.name(beside: FilePath(path))
    let ticket: Int
    do throws(Errno) {
      ticket = try UnpublishedFiles.shared.add(temporary, calls: calls) { () throws(Errno) in
        try calls.makeLink(temporary, to: FilePath(file))
      }.ticket
    } catch {
      return try copy(file, to: path, calls: calls)
    }
    defer { UnpublishedFiles.shared.remove(ticket) }
    do throws(Errno) {
      try calls.rename(temporary, to: FilePath(path))
      // When both paths already are links to one file, rename does nothing and keeps both.
      try? calls.unlink(temporary)
    } catch {
      try? calls.unlink(temporary)
      throw SystemError(.publishOutput, path, error)
    }
  }

  /// Copies a file to a path, in place of the file there.
  public static func copy(_ file: String, to path: String, calls: any SystemCalls) throws(SystemError) {
    try copy(file, to: OutputFile(path, calls: calls), durably: true, calls: calls)
  }

  /// Copies one of many files to a path, in place of the file there. A system crash may leave an incomplete file: syncing
  /// 20,000 files takes minutes. Temporary files of killed processes are not removed, because that lists the directory.
  public static func copyOne(_ file: String, to path: String, calls: any SystemCalls) throws(SystemError) {
    try copy(
      file, to: OutputFile(path, removesLeftovers: false, calls: calls), durably: false, calls: calls)
  }

  private static func copy(
    _ file: String, to output: consuming OutputFile, durably: Bool, calls: any SystemCalls
  ) throws(SystemError) {
    var input = try InputFile(file, calls: calls)
    var output = output
    var chunk = ByteChunk()
    while try input.read(into: &chunk) > 0 {
      try output.write(chunk)
      chunk.removeAll()
    }
    try output.publish(durably: durably)
  }
}

/// An exclusive lock on a file, held until the value is destroyed.
///
/// The kernel keeps the lock (`flock`), so a killed process holds nothing, whatever its file contains. The file is
/// never removed here: otherwise two processes could lock two files of one name.
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
    // Closing is not enough: a child process that was just started holds the file open, too, until it runs its program.
    try? calls.unlock(descriptor)
    try? calls.close(descriptor)
  }

  /// Acquires the lock and writes a note about the holder into the file; returns nil while another process holds the
  /// lock.
  public static func acquire(
    _ path: String, note: String, calls: any SystemCalls = KernelCalls()
  ) throws(SystemError) -> FileLock? {
    let file = try asSystemError(.createOutput, path) { () throws(Errno) in
      try calls.open(
        FilePath(path), .readWrite, [.create, .noFollow], [.ownerReadWrite, .groupRead, .otherRead])
    }
    let lock = FileLock(file, calls)
    do throws(Errno) {
      try calls.lock(file)
    } catch {
      if error == .wouldBlock || error == .resourceTemporarilyUnavailable { return nil }
      throw SystemError(.createOutput, path, error)
    }
    try asSystemError(.writeOutput, path) { () throws(Errno) in
      try calls.truncate(file, to: 0)
      try calls.writeAll(file, Array(note.utf8).span, at: 0)
    }
    return lock
  }

  /// Whether a path names the file that is locked. False if the file was removed or replaced.
  public func isFile(at path: String) throws(SystemError) -> Bool {
    try asSystemError(.createOutput, path) { () throws(Errno) -> Bool in
      guard let named = try calls.statusIfPresent(FilePath(path), followsLinks: false) else { return false }
      let own = try calls.status(descriptor)
      return named.device == own.device && named.inode == own.inode
    }
  }

  /// The note in a lock's file; empty when it can't be read.
  public static func note(in path: String, calls: any SystemCalls = KernelCalls()) -> String {
    guard var file = try? InputFile(path, calls: calls) else { return "" }
    var chunk = ByteChunk(capacity: noteBytesMax)
    _ = try? file.read(into: &chunk)
    return String(decoding: [UInt8](copying: chunk.span), as: UTF8.self)
  }
}

/// Shell patterns, with the syntax of glob(7): `*`, `?`, classes in brackets, and backslashes before literal characters.
public enum FilePattern {
  /// Whether a text has a character with a meaning in patterns. A backslash alone has none.
  public static func isPattern(_ text: some StringProtocol) -> Bool {
    text.unicodeScalars.contains { $0 == "*" || $0 == "?" || $0 == "[" }
  }

  /// Whether a name matches a pattern; `*` also matches slashes. With `dotsAreExplicit`, a leading dot of the name
  /// matches only a dot.
  public static func matches(_ name: String, _ pattern: String, dotsAreExplicit: Bool = false) -> Bool {
    unsafe fnmatch(pattern, name, dotsAreExplicit ? FNM_PERIOD : 0) == 0
  }

  /// Returns the paths that match a pattern, in the order of their bytes. `*` matches no slash, and a leading dot of a
  /// name only a dot. Directories don't match; links that lead nowhere do.
  ///
  /// - Parameters:
  ///   - folder: the prefix of the paths, which ends in a slash, or nothing for the working directory. It is not a part of
  ///     the pattern.
  ///   - limit: the maximum number of paths. If there are more, some of them are returned, but more than that.
  /// - Throws: the error of a directory that exists but can't be listed.
  /// - Complexity: O(names in the directories that are listed).
  public static func paths(
    matching pattern: String, in folder: String, limit: Int, calls: any SystemCalls
  ) throws(SystemError) -> [String] {
    let components = pattern.split(separator: "/")
    var found = [pattern.hasPrefix("/") ? "/" : folder]
    for (index, component) in components.enumerated() {
      let isLast = index == components.count - 1
      var next: [String] = []
      for start in found where next.count <= limit {
        for name in try names(in: start, matching: String(component), calls) {
          if !isLast {
            next.append(start + name + "/")
          } else if try isFile(start + name, calls) {
            next.append(start + name)
          }
        }
      }
      found = next
    }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The names in a directory that match one component of a pattern. A name without a pattern is returned as it is.
  private static func names(
    in start: String, matching component: String, _ calls: any SystemCalls
  ) throws(SystemError) -> [String] {
    guard isPattern(component) else { return [component] }
    let path = FilePath(start.isEmpty ? "." : start)
    do throws(Errno) {
      return try calls.names(in: path).filter { matches($0, component, dotsAreExplicit: true) }
    } catch {
      if error == .noSuchFileOrDirectory || error == .notDirectory { return [] }
      throw SystemError(.openInput, path.string, error)
    }
  }

  private static func isFile(_ path: String, _ calls: any SystemCalls) throws(SystemError) -> Bool {
    let status = try asSystemError(.openInput, path) { () throws(Errno) in
      try calls.statusIfPresent(FilePath(path), followsLinks: false)
    }
    return status?.type == .symbolicLink
      ? FileKind(of: FilePath(path), calls: calls) != .directory
      : status.map { $0.type != .directory } ?? false
  }
}
