// The calls on the files below one directory, made relative to its descriptor: no link leads out of it.
//
// Anyone who may write to a directory of cdpipe, such as a published folder, can put a symbolic link in place of a file
// or a directory there. A call by path would follow it and read, replace or remove a file elsewhere, with this process's
// permissions.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Synchronization
public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Calls that treat the files below a directory as that directory's own. Paths that don't start with the directory's
/// path are passed on to other calls.
///
/// A symbolic link below the directory is an error (`tooManySymbolicLinkLevels`, as for `O_NOFOLLOW`) wherever it would
/// be followed, except the directory's own links, which are followed within it. Opening a device or a pipe is an error
/// (`notPermitted`), and so is, when run as root, a file or directory of a user other than root and the owner of the
/// directory: that user can still change it.
///
/// - Complexity: a call opens the directories on the path that were not used lately.
public final class DirectoryCalls: SystemCalls {
  private final class OpenDirectory: Sendable {
    let descriptor: FileDescriptor
    private let calls: any SystemCalls

    init(_ descriptor: FileDescriptor, _ calls: any SystemCalls) {
      self.descriptor = descriptor
      self.calls = calls
    }

    deinit { try? calls.close(descriptor) }
  }

  /// The most directories that are kept open: those of a version that is being written, and some more.
  private static let knownMax = 8

  private let calls: any SystemCalls
  private let path: FilePath
  private let root: OpenDirectory
  /// The directories below that were opened last, by their paths.
  private let known = Mutex<[String: OpenDirectory]>([:])
  private let ownLinks: Set<String>
  private let permissionsMax: FilePermissions
  /// The users whose files are accepted; nil if the system's own checks suffice.
  private let owners: Set<UInt32>?

  /// - Parameters:
  ///   - path: the directory, with which the paths of calls begin.
  ///   - owner: the user who, apart from root and this process's user, may own the directory, which must not be a link;
  ///     nil for any, and then a link to the directory is followed.
  ///   - ownLinks: the names of the links in the directory that may be followed.
  ///   - permissionsMax: the most permissive permissions of new files; new directories get the matching ones.
  public init(
    _ path: String, owner: UInt32?, ownLinks: Set<String> = [],
    permissionsMax: FilePermissions = FilePermissions(rawValue: 0o666), calls: any SystemCalls
  ) throws(SystemError) {
    let (root, found): (FileDescriptor, UInt32)
    do throws(Errno) {
      root = try calls.open(
        FilePath(path), .readOnly, owner == nil ? [.directory] : [.directory, .noFollow], [])
      do throws(Errno) {
        found = try calls.status(root).owner
        if let owner, ![0, owner, geteuid()].contains(found) { throw Errno.notPermitted }
      } catch {
        try? calls.close(root)
        throw error
      }
    } catch {
      throw SystemError(.openInput, path, error)
    }
    self.calls = calls
    self.path = FilePath(path)
    self.root = OpenDirectory(root, calls)
    self.ownLinks = ownLinks
    self.permissionsMax = permissionsMax
    owners = geteuid() == 0 ? [0, owner ?? found] : nil
  }

  // MARK: Paths

  /// The components of a path below the directory; nil for a path elsewhere.
  private func below(_ path: FilePath, _ directory: FileDescriptor) throws(Errno) -> [FilePath.Component]? {
    guard directory == .workingDirectory else { return nil }
    var rest = path
    guard rest.removePrefix(self.path) else { return nil }
    let components = Array(rest.components)
    // `versions/../..` would leave the directory.
    guard components.allSatisfy({ $0.kind == .regular }) else { throw .notPermitted }
    return components
  }

  /// Calls `body` with the directory of a path's last component, and that component. A path elsewhere is passed
  /// unchanged.
  ///
  /// - Parameter followsLast: whether a link of the directory at the end of the path is followed, too.
  private func enter<Result>(
    _ path: FilePath, _ directory: FileDescriptor, followsLast: Bool = false,
    _ body: (_ name: FilePath, _ directory: FileDescriptor) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    guard var rest = try below(path, directory) else { return try body(path, directory) }
    if let first = rest.first, ownLinks.contains(first.string), rest.count > 1 || followsLast {
      rest = try destination(ofOwnLink: first) + rest.dropFirst()
    }
    guard let last = rest.popLast() else { return try body(".", root.descriptor) }
    let inner = try self.inner(rest[...])
    defer { withExtendedLifetime(inner) {} }
    return try body(FilePath(last.string), inner.descriptor)
  }

  /// Opens a directory below this one; one that was opened before is not opened again.
  private func inner(_ components: ArraySlice<FilePath.Component>) throws(Errno) -> OpenDirectory {
    guard let last = components.last else { return root }
    let key = Self.key(components)
    if let known = known.withLock({ $0[key] }) { return known }
    let parent = try inner(components.dropLast())
    defer { withExtendedLifetime(parent) {} }
    let opened = OpenDirectory(
      try openChecked(FilePath(last.string), parent.descriptor, .readOnly, [.directory], []), calls)
    known.withLock { known in
      if known.count >= Self.knownMax { known = [:] }
      known[key] = opened
    }
    return opened
  }

  private static func key(_ components: ArraySlice<FilePath.Component>) -> String {
    components.map { $0.string + "/" }.joined()
  }

  /// Forgets a directory that gets another name or is removed, and those below it.
  private func forget(_ path: FilePath, _ directory: FileDescriptor) throws(Errno) {
    guard let components = try below(path, directory) else { return }
    let key = Self.key(components[...])
    known.withLock { known in known = known.filter { !$0.key.hasPrefix(key) } }
  }

  /// The path, within the directory, to which one of its own links leads; the link's name if it is not a link.
  private func destination(ofOwnLink name: FilePath.Component) throws(Errno) -> [FilePath.Component] {
    var components = [name]
    // `manifest.json` leads to `current/manifest.json`, and `current` to a version.
    for _ in 0..<ownLinks.count {
      guard let first = components.first, ownLinks.contains(first.string) else { break }
      let destination: FilePath
      do throws(Errno) {
        destination = try calls.destination(ofLink: FilePath(first.string), at: root.descriptor)
      } catch {
        if error == .invalidArgument || error == .noSuchFileOrDirectory { break }
        throw error
      }
      guard destination.isRelative, destination.components.allSatisfy({ $0.kind == .regular }) else {
        throw .tooManySymbolicLinkLevels
      }
      components = Array(destination.components) + components.dropFirst()
    }
    return components
  }

  private func checked(_ status: FileStatus) throws(Errno) -> FileStatus {
    guard owners?.contains(status.owner) ?? true else { throw .notPermitted }
    return status
  }

  /// Opens a file below the directory without following a link or waiting for a pipe's other end, and checks its type
  /// and owner.
  private func openChecked(
    _ name: FilePath, _ directory: FileDescriptor, _ mode: FileDescriptor.AccessMode,
    _ options: FileDescriptor.OpenOptions, _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor {
    let file = try calls.open(
      name, at: directory, mode, options.union([.noFollow, .nonBlocking]), permissions)
    do throws(Errno) {
      let status = try checked(try calls.status(file))
      guard status.type == .regular || status.type == .directory else { throw .notPermitted }
      return file
    } catch {
      try? calls.close(file)
      throw error
    }
  }
}

// MARK: Calls with paths

extension DirectoryCalls {
  public func open(
    _ path: FilePath, at directory: FileDescriptor, _ mode: FileDescriptor.AccessMode,
    _ options: FileDescriptor.OpenOptions, _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor {
    try enter(path, directory, followsLast: !options.contains(.noFollow)) { (name, inner) throws(Errno) in
      if inner == directory { return try calls.open(name, at: inner, mode, options, permissions) }
      return try openChecked(name, inner, mode, options, permissions.intersection(permissionsMax))
    }
  }

  public func status(
    _ path: FilePath, at directory: FileDescriptor, followsLinks: Bool
  ) throws(Errno) -> FileStatus {
    try enter(path, directory, followsLast: followsLinks) { (name, inner) throws(Errno) in
      if inner == directory { return try calls.status(name, at: inner, followsLinks: followsLinks) }
      return try checked(try calls.status(name, at: inner, followsLinks: false))
    }
  }

  public func rename(
    _ old: FilePath, at oldDirectory: FileDescriptor, to new: FilePath, at newDirectory: FileDescriptor
  ) throws(Errno) {
    for (path, directory) in [(old, oldDirectory), (new, newDirectory)] { try forget(path, directory) }
    try enter(old, oldDirectory) { (from, inner) throws(Errno) in
      try enter(new, newDirectory) { (to, other) throws(Errno) in
        try calls.rename(from, at: inner, to: to, at: other)
      }
    }
  }

  public func exchange(
    _ one: FilePath, at oneDirectory: FileDescriptor, with other: FilePath, at otherDirectory: FileDescriptor
  ) throws(Errno) {
    for (path, directory) in [(one, oneDirectory), (other, otherDirectory)] { try forget(path, directory) }
    try enter(one, oneDirectory) { (one, inner) throws(Errno) in
      try enter(other, otherDirectory) { (other, outer) throws(Errno) in
        try calls.exchange(one, at: inner, with: other, at: outer)
      }
    }
  }

  public func unlink(_ path: FilePath, at directory: FileDescriptor) throws(Errno) {
    try enter(path, directory) { (name, inner) throws(Errno) in try calls.unlink(name, at: inner) }
  }

  public func makeLink(
    _ path: FilePath, at directory: FileDescriptor, to file: FilePath, at fileDirectory: FileDescriptor
  ) throws(Errno) {
    try enter(path, directory) { (name, inner) throws(Errno) in
      try enter(file, fileDirectory) { (file, other) throws(Errno) in
        try calls.makeLink(name, at: inner, to: file, at: other)
      }
    }
  }

  public func makeSymbolicLink(
    _ path: FilePath, at directory: FileDescriptor, to destination: FilePath
  ) throws(Errno) {
    try enter(path, directory) { (name, inner) throws(Errno) in
      try calls.makeSymbolicLink(name, at: inner, to: destination)
    }
  }

  /// Reads one of the directory's own links, or a link elsewhere; any other link is an error.
  public func destination(ofLink path: FilePath, at directory: FileDescriptor) throws(Errno) -> FilePath {
    try enter(path, directory) { (name, inner) throws(Errno) in
      let destination = try calls.destination(ofLink: name, at: inner)
      guard inner == directory || (inner == root.descriptor && ownLinks.contains(name.string)) else {
        throw Errno.tooManySymbolicLinkLevels
      }
      return destination
    }
  }

  public func resolve(_ path: FilePath) throws(Errno) -> FilePath { try calls.resolve(path) }

  public func makeDirectory(
    _ path: FilePath, at directory: FileDescriptor, _ permissions: FilePermissions
  ) throws(Errno) {
    try enter(path, directory) { (name, inner) throws(Errno) in
      // The users who may read the files may also list the directory.
      let readers = permissionsMax.rawValue & 0o444
      let most = FilePermissions(rawValue: permissionsMax.rawValue | readers >> 2)
      try calls.makeDirectory(
        name, at: inner, inner == directory ? permissions : permissions.intersection(most))
    }
  }

  public func removeDirectory(_ path: FilePath, at directory: FileDescriptor) throws(Errno) {
    try forget(path, directory)
    try enter(path, directory) { (name, inner) throws(Errno) in
      try calls.removeDirectory(name, at: inner)
    }
  }

  public func names(in path: FilePath, at directory: FileDescriptor) throws(Errno) -> [String] {
    try enter(path, directory, followsLast: true) { (name, inner) throws(Errno) in
      if inner == directory { return try calls.names(in: name, at: inner) }
      let list = try openChecked(name, inner, .readOnly, [.directory], [])
      defer { try? calls.close(list) }
      return try calls.names(in: ".", at: list)
    }
  }
}

// MARK: Calls with descriptors

extension DirectoryCalls {
  public func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    unsafe try calls.read(file, into: buffer)
  }

  public func read(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    unsafe try calls.read(file, at: offset, into: buffer)
  }

  public func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int {
    unsafe try calls.write(file, buffer)
  }

  public func write(
    _ file: FileDescriptor, at offset: Int64, _ buffer: UnsafeRawBufferPointer
  ) throws(Errno) -> Int {
    unsafe try calls.write(file, at: offset, buffer)
  }

  public func sync(_ file: FileDescriptor) throws(Errno) { try calls.sync(file) }
  public func syncFileSystem(_ file: FileDescriptor) throws(Errno) { try calls.syncFileSystem(file) }

  public func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    try calls.truncate(file, to: size)
  }

  public func lock(_ file: FileDescriptor) throws(Errno) { try calls.lock(file) }

  public func unlock(_ file: FileDescriptor) throws(Errno) { try calls.unlock(file) }

  public func setPermissions(_ file: FileDescriptor, _ permissions: FilePermissions) throws(Errno) {
    try calls.setPermissions(file, permissions)
  }

  public func status(_ file: FileDescriptor) throws(Errno) -> FileStatus { try calls.status(file) }
  public func close(_ file: FileDescriptor) throws(Errno) { try calls.close(file) }
}
