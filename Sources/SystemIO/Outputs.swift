// Outputs: standard output, or a file that is written under a temporary name and then renamed, so that a reader sees
// either the old file or the complete new one. Also unnamed temporary files.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Synchronization
public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An output that is written from front to back.
///
/// A file gets its final name in ``publish(durably:as:)``; if the value is destroyed before that, no file remains. When
/// a signal ends the process, ``UnpublishedFiles`` removes the file. Devices, pipes, and descriptors that this process
/// was started with are written in place.
public struct OutputFile: ~Copyable {
  public static let standardOutput = "-"

  /// The path as the user gave it; `-` for standard output.
  public let path: String

  /// The descriptor, for a library that needs one, such as the verification of a store. This value owns it.
  public let descriptor: FileDescriptor

  /// Whether the file was made for this output, so that it contains nothing but what was written.
  public var isNew: Bool { temporary != nil }

  private let calls: any SystemCalls
  private let owns: Bool
  /// The name until the file is published; nil for an output that is written in place.
  private let temporary: FilePath?
  /// The file to replace: the path, or the destination of a symbolic link at the path.
  private let target: FilePath
  private let ticket: Int?
  private var isPublished = false
  /// Escapes control characters if the output is a terminal; else nil.
  private var terminal: TerminalText?

  /// Makes a temporary file in the directory of `path`, or uses standard output for `-`. A path that names a device, a
  /// pipe or a descriptor (`/dev/stdout`, `/dev/fd/3`) is written in place. A symbolic link stays, and its destination
  /// is replaced or made.
  ///
  /// - Parameters:
  ///   - removesLeftovers: whether to first remove the files that killed runs left for the same output. Pass false in
  ///     directories where that is done for all outputs at once.
  ///   - escapesControls: whether control characters are escaped if the output is a terminal.
  public init(
    _ path: String, removesLeftovers: Bool = true, escapesControls: Bool = true,
    calls: any SystemCalls = KernelCalls()
  ) throws(SystemError) {
    // Everything that can fail happens before the first property is set: with an early return and a throw between
    // the assignments, the optimizer of Swift 6.3.1 releases properties that were never set.
    let made = try Self.make(path, removesLeftovers, calls)
    self.path = path
    self.calls = calls
    descriptor = made.descriptor
    owns = made.owns
    temporary = made.temporary
    target = made.target
    ticket = made.ticket
    if made.temporary == nil { PipeCapacity.raise(made.descriptor) }
    if escapesControls, made.temporary == nil, isatty(made.descriptor.rawValue) == 1 {
      terminal = TerminalText()
    }
  }

  private struct OpenedOutput {
    var descriptor: FileDescriptor
    var owns = true
    var temporary: FilePath?
    var target: FilePath
    var ticket: Int?
  }

  private static func make(
    _ path: String, _ removesLeftovers: Bool, _ calls: any SystemCalls
  ) throws(SystemError) -> OpenedOutput {
    if path == standardOutput {
      return OpenedOutput(descriptor: .standardOutput, owns: false, target: FilePath(path))
    }
    switch try OutputTarget(path, calls: calls) {
    case .descriptor(let number):
      return OpenedOutput(descriptor: FileDescriptor(rawValue: number), owns: false, target: FilePath(path))
    case .inPlace(let target):
      // Not for reading too: a named pipe would be open before it has a reader, and what was written would be lost.
      let descriptor = try asSystemError(.createOutput, path) { () throws(Errno) in
        try calls.open(target, .writeOnly, [], [])
      }
      return OpenedOutput(descriptor: descriptor, target: target)
    case .replaced(let target, let permissions):
      if removesLeftovers { Leftovers.remove(of: target, calls: calls) }
      return try make(path, replacing: target, permissions, calls)
    }
  }

  private static func make(
    _ path: String, replacing target: FilePath, _ permissions: FilePermissions?, _ calls: any SystemCalls
  ) throws(SystemError) -> OpenedOutput {
    let temporary = UnpublishedFiles.name(beside: target)
    do throws(Errno) {
      let (ticket, descriptor) = try UnpublishedFiles.shared.add(temporary, calls: calls) {
        () throws(Errno) in
        try calls.open(
          temporary, .readWrite, [.create, .exclusiveCreate],
          [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
      }
      // The lock shows other processes, also those in other containers, that the file is in use and not a leftover. A
      // file system without locks does no harm.
      try? calls.lock(descriptor)
      // A private list stays private: the new file gets the permissions of the one it replaces.
      if let permissions { try? calls.setPermissions(descriptor, permissions) }
      return OpenedOutput(descriptor: descriptor, temporary: temporary, target: target, ticket: ticket)
    } catch {
      // When a link leads into a missing directory, the error names the destination: the link itself exists.
      let isLink = error == .noSuchFileOrDirectory && target != FilePath(path)
      throw SystemError(.createOutput, isLink ? target.string : path, error)
    }
  }

  deinit {
    if owns { try? calls.close(descriptor) }
    if let temporary, !isPublished { try? calls.unlink(temporary) }
    if let ticket { UnpublishedFiles.shared.remove(ticket) }
  }

  /// Writes all the bytes. On a terminal, control characters are escaped.
  public mutating func write(_ bytes: Span<UInt8>) throws(SystemError) {
    if let shown = terminal?.escape(bytes) { return try writeUnchanged(shown.span) }
    try writeUnchanged(bytes)
  }

  private func writeUnchanged(_ bytes: Span<UInt8>) throws(SystemError) {
    try asSystemError(.writeOutput, path) { () throws(Errno) in try calls.writeAll(descriptor, bytes) }
  }

  public mutating func write(_ chunk: borrowing ByteChunk) throws(SystemError) { try write(chunk.span) }

  /// Writes all the bytes at an offset, for a header that is known only at the end.
  public mutating func write(_ bytes: Span<UInt8>, at offset: Int64) throws(SystemError) {
    try asSystemError(.writeOutput, path) { () throws(Errno) in
      try calls.writeAll(descriptor, bytes, at: offset)
    }
  }

  /// Reads bytes back into a chunk's free capacity, at most `limit` of them, and returns how many: 0 at the end.
  public mutating func read(
    into chunk: inout ByteChunk, at offset: Int64, limit: Int = .max
  ) throws(SystemError) -> Int {
    try asSystemError(.writeOutput, path) { () throws(Errno) in
      try calls.read(descriptor, at: offset, limit: limit, into: &chunk)
    }
  }

  /// Renames the file to its final name.
  ///
  /// - Parameters:
  ///   - durably: whether to sync its bytes and then its name to the disk, so that a crash leaves the old file or the
  ///     whole new one.
  ///   - name: a path in the same directory, if the final name was not known when the file was made.
  public consuming func publish(durably: Bool = true, as name: String? = nil) throws(SystemError) {
    guard let temporary else {
      if let rest = terminal?.finish(), !rest.isEmpty { try writeUnchanged(rest.span) }
      return
    }
    try asSystemError(.publishOutput, path) { () throws(Errno) in
      if durably { try calls.sync(descriptor) }
      try calls.rename(temporary, to: name.map { FilePath($0) } ?? target)
    }
    isPublished = true
    if durably { try Directory.sync(target.removingLastComponent().string, of: path, calls: calls) }
  }
}

/// What the name of an output refers to: a descriptor that this process was started with, a device or pipe that is
/// written in place, or a file that is replaced.
enum OutputTarget: Equatable {
  /// A descriptor that this process was started with, by a name such as `/dev/stdout` or `/dev/fd/3`. It is written
  /// like a redirected stream: neither the name nor the file it refers to is replaced.
  case descriptor(CInt)
  case inPlace(FilePath)
  case replaced(FilePath, permissions: FilePermissions?)

  /// The most links that are followed; Linux has the same limit.
  static let linksMax = 40
  /// The directories of this process's own descriptors. A system may lack some of them.
  private static let descriptorDirectories = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"]

  /// Follows a name, also through a link to a missing file. Throws when it leads to a directory, into a cycle, or to a
  /// descriptor that can't be written to. A name that ends in a slash is that of a directory.
  init(_ path: String, calls: any SystemCalls) throws(SystemError) {
    do throws(Errno) {
      self = try Self.follow(FilePath(path), calls)
      if case .replaced = self, path.hasSuffix("/") { throw Errno.isDirectory }
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

/// The process's list of temporary files that must not outlive it.
public final class UnpublishedFiles: Sendable {
  public static let shared = UnpublishedFiles()

  private enum UnpublishedFile {
    case file(FilePath), directory(FilePath), emptyDirectories([FilePath])
  }
  private struct Registry {
    var next = 0
    var entries: [Int: (entry: UnpublishedFile, calls: any SystemCalls)] = [:]
  }
  private let state = Mutex(Registry())
  /// Held while several files, or a directory, get their final names.
  private let publication = Mutex(())

  /// How often the removal of a directory is tried.
  private static let removalsMax = 100

  private init() {}

  /// Makes what an entry names while the list is locked: a signal comes before both or after both, and no file is made
  /// in a directory that is being removed.
  private func add<Made: Sendable, Cause: Error>(
    _ entry: UnpublishedFile, _ calls: any SystemCalls, _ make: () throws(Cause) -> Made
  ) throws(Cause) -> (ticket: Int, made: Made) {
    try state.withLock { (state) throws(Cause) in
      let made = try make()
      state.next += 1
      state.entries[state.next] = (entry, calls)
      return (state.next, made)
    }
  }

  /// Makes a file and adds it to the list. Returns a ticket that removes it from the list. `calls` remove the file.
  public func add<Made: Sendable, Cause: Error>(
    _ path: FilePath, calls: any SystemCalls = KernelCalls(), _ make: () throws(Cause) -> Made
  ) throws(Cause) -> (ticket: Int, made: Made) {
    try add(.file(path), calls, make)
  }

  /// Adds a file that this process has, or is going to have.
  public func add(_ path: FilePath, calls: any SystemCalls = KernelCalls()) -> Int {
    add(.file(path), calls) { () throws(Never) in }.ticket
  }

  /// Makes a directory and adds it, with all the content it will have.
  public func add<Cause: Error>(
    directory path: FilePath, calls: any SystemCalls = KernelCalls(), _ make: () throws(Cause) -> Void
  ) throws(Cause) -> Int {
    try add(.directory(path), calls, make).ticket
  }

  /// Adds directories that go only if they are empty.
  public func add(emptyDirectories paths: [FilePath], calls: any SystemCalls = KernelCalls()) -> Int {
    add(.emptyDirectories(paths), calls) { () throws(Never) in }.ticket
  }

  /// Makes a directory and the missing ones above it. Those that it made are noted and added, even when it throws; they
  /// go only if they are empty.
  fileprivate func make(
    directory path: String, noting made: inout [(path: String, ticket: Int)], calls: any SystemCalls
  ) throws(SystemError) {
    try state.withLock { (state) throws(SystemError) in
      var paths: [String] = []
      defer {
        for path in paths {
          state.next += 1
          state.entries[state.next] = (.emptyDirectories([FilePath(path)]), calls)
          made.append((path, state.next))
        }
      }
      try Directory.make(path, noting: &paths, calls: calls)
    }
  }

  /// Publishes several files or a directory: a signal comes before all of it or after all of it.
  public func publishing<Cause: Error>(_ publish: () throws(Cause) -> Void) throws(Cause) {
    try publication.withLock { (_) throws(Cause) in try publish() }
  }

  public func remove(_ ticket: Int) { _ = state.withLock { $0.entries.removeValue(forKey: ticket) } }

  /// Deletes every file and directory on the list, and calls `end`, which ends the process. The list stays locked, so
  /// that no further file is made or published.
  func removeAll(_ end: () -> Never) -> Never {
    publication.withLock { _ in removeAllUnpublished(end) }
  }

  private func removeAllUnpublished(_ end: () -> Never) -> Never {
    state.withLock { state in
      var empty: [(FilePath, any SystemCalls)] = []
      for (entry, calls) in state.entries.values {
        switch entry {
        case .file(let path): try? calls.unlink(path)
        case .directory(let path):
          // A thread may still make unlisted files in it, such as directories.
          for _ in 0..<Self.removalsMax where FileKind(of: path, calls: calls) != .none {
            DirectoryTree.remove(path.string, calls: calls)
          }
        case .emptyDirectories(let paths): empty += paths.map { ($0, calls) }
        }
      }
      // Inner directories have longer paths.
      for (path, calls) in empty.sorted(by: { $0.0.length > $1.0.length }) {
        try? calls.removeDirectory(path)
      }
      end()
    }
  }

  /// Returns a temporary name in the directory of `target` that no other run uses.
  public static func name(beside target: FilePath) -> FilePath {
    let last = target.lastComponent?.string ?? "out"
    let tag = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    let name = ".\(stem(last)).\(RunningProcess.identifier)-\(tag).tmp"
    let parent = target.removingLastComponent()
    return parent.isEmpty ? FilePath(name) : parent.appending(name)
  }

  /// The part of a file's name that its temporary name contains.
  static func stem(_ name: String) -> Substring { name.prefix(100) }
}

/// Directories that were made for an output. A signal that ends the process removes the empty ones, until ``keep()`` is
/// called or this object is released.
public final class MadeDirectories {
  private var made: [(path: String, ticket: Int)] = []
  private let calls: any SystemCalls

  public init(calls: any SystemCalls) { self.calls = calls }

  /// Whether every directory was there.
  public var isEmpty: Bool { made.isEmpty }

  /// Makes a directory and the missing ones above it.
  public func make(_ path: String) throws(SystemError) {
    try UnpublishedFiles.shared.make(directory: path, noting: &made, calls: calls)
  }

  /// Keeps the directories, for example because their files were published.
  public func keep() {
    for (_, ticket) in made { UnpublishedFiles.shared.remove(ticket) }
    made = []
  }

  public func removeEmpty() {
    for (path, _) in made.reversed() { Directory.removeEmpty(path, calls: calls) }
    keep()
  }

  deinit { keep() }
}

public enum Leftovers {
  /// Returns the final name of an unfinished output, given its temporary name; nil unless the process that made it has
  /// ended. A long name is returned shortened, as it is in the temporary name.
  ///
  /// A process in another container or on another machine looks as if it had ended: call this only while a lock
  /// excludes other writers.
  public static func target(of name: String) -> String? {
    guard name.hasPrefix("."), name.hasSuffix(".tmp"), name.utf8.count > 5 else { return nil }
    let inner = name.dropFirst().dropLast(4)
    guard let dot = inner.lastIndex(of: "."),
      let dash = inner[dot...].firstIndex(of: "-"),
      let process = Int32(inner[inner.index(after: dot)..<dash]), process > 0
    else { return nil }
    guard RunningProcess.hasEnded(process) else { return nil }
    return String(inner[..<dot])
  }

  /// Removes the unfinished files of an output that ended processes left in its directory and that no process has
  /// locked. A file that can't be examined or removed stays, which does no harm.
  ///
  /// - Complexity: O(names in the directory).
  static func remove(of target: FilePath, calls: any SystemCalls) {
    for path in paths(of: target, calls) {
      guard let file = try? calls.open(path, .readWrite, [.noFollow, .nonBlocking], []) else { continue }
      if (try? calls.lock(file)) != nil { try? calls.unlink(path) }
      try? calls.close(file)
    }
  }

  /// Removes the unfinished directories of an output like unfinished files, with all their content.
  public static func removeDirectories(of target: FilePath, calls: any SystemCalls) {
    for path in paths(of: target, calls) {
      guard let directory = try? calls.open(path, .readOnly, [.noFollow, .directory], []) else { continue }
      if (try? calls.lock(directory)) != nil { DirectoryTree.remove(path.string, calls: calls) }
      try? calls.close(directory)
    }
  }

  /// The paths of what ended processes left of an output.
  private static func paths(of target: FilePath, _ calls: any SystemCalls) -> [FilePath] {
    guard let last = target.lastComponent?.string else { return [] }
    let directory = target.removingLastComponent()
    let names = try? Directory.names(directory.isEmpty ? "." : directory.string, calls: calls) { name in
      name.hasPrefix(".") && name.hasSuffix(".tmp")
        && Self.target(of: name) == String(UnpublishedFiles.stem(last))
    }
    return (names ?? []).map { directory.appending($0) }
  }
}

/// A nameless file for spilled runs and spooled input: unlinked as soon as it is made, so that it survives neither a
/// crash nor a kill.
public struct TemporaryFile: ~Copyable, Sendable {
  /// The directory that contains it, for messages.
  public let directory: String
  public private(set) var size: Int64 = 0
  /// The descriptor, for a library that needs one. This value owns it.
  public let descriptor: FileDescriptor

  private let calls: any SystemCalls

  /// The default directory of temporary files: `TMPDIR`, else `/var/tmp`, which is on a disk, while `/tmp` may be
  /// memory.
  public static var defaultDirectory: String {
    if let named = RunningProcess.environment("TMPDIR"), !named.isEmpty { return named }
    return "/var/tmp"
  }

  public init(in directory: String, calls: any SystemCalls = KernelCalls()) throws(SystemError) {
    let name = FilePath(directory).appending(
      "cdpipe-\(RunningProcess.identifier)-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))")
    let opened = try asSystemError(.createSpill, directory) { () throws(Errno) in
      try Self.openNameless(in: FilePath(directory), orAs: name, calls)
    }
    self.directory = directory
    self.calls = calls
    descriptor = opened
  }

  private static func openNameless(
    in directory: FilePath, orAs name: FilePath, _ calls: any SystemCalls
  ) throws(Errno) -> FileDescriptor {
    #if os(Linux)
      // With O_TMPFILE the file never has a name. On file systems without it, the file has one for a moment.
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

  deinit { try? calls.close(descriptor) }

  public mutating func append(_ bytes: Span<UInt8>) throws(SystemError) {
    try asSystemError(.writeSpill, directory) { () throws(Errno) in
      try calls.writeAll(descriptor, bytes, at: size)
    }
    size += Int64(bytes.count)
  }

  public mutating func append(_ chunk: borrowing ByteChunk) throws(SystemError) { try append(chunk.span) }

  /// Reads bytes at an offset into the chunk's free capacity, at most `limit` of them, and returns how many: 0 at
  /// the end.
  public func read(
    into chunk: inout ByteChunk, at offset: Int64, limit: Int = .max
  ) throws(SystemError) -> Int {
    try asSystemError(.readSpill, directory) { () throws(Errno) in
      try calls.read(descriptor, at: offset, limit: limit, into: &chunk)
    }
  }
}
