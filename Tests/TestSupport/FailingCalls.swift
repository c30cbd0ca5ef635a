// The system calls of tests: the n-th call of a kind fails, files end early, writes are short, the disk is full.

import Synchronization
package import SystemIO
package import SystemPackage

/// The real calls, some of which fail or are restricted.
package final class FailingCalls: SystemCalls {
  package enum Call: Hashable, Sendable, CaseIterable {
    /// Opening a file.
    case open
    /// Reading, at an offset or not.
    case read
    /// Writing, at an offset or not.
    case write
    case sync
    /// Truncating a file.
    case truncate
    case lock
    /// Setting permissions.
    case setPermissions
    /// Looking up the status of a path or an open file.
    case status
    /// Renaming.
    case rename
    /// Removing a name.
    case unlink
    /// Making a hard link.
    case makeLink
    /// Making a symbolic link.
    case makeSymbolicLink
    /// Reading a symbolic link.
    case destination
    /// Resolving a path.
    case resolve
    /// Making a directory.
    case makeDirectory
    /// Removing a directory.
    case removeDirectory
    /// Listing a directory.
    case names
    /// Closing. The file is closed even if the call fails.
    case close
  }

  package enum CallError: Sendable, Hashable {
    /// The call fails.
    case fails(Errno)
    /// A read finds the end of the file.
    case endsFile
  }

  /// Differences from the real calls, in addition to a fault.
  package struct Restrictions: Sendable {
    /// Whether every read and write moves a single byte.
    package var isShort = false
    /// Whether files are synced. Tests that write thousands of files need no syncing.
    package var isSynced = true
    /// Whether a file can be opened without a name. Some file systems can't.
    package var hasUnnamedFiles = true
    /// The size in bytes that a file can reach before the disk is full; nil for any size.
    package var fileBytesMax: Int64?

    /// Creates restrictions that restrict nothing.
    package init() {}
  }

  private struct CallCounts {
    var counts: [Call: Int] = [:]
    var descriptors: Set<Int32> = []
  }

  private let kernel = KernelCalls()
  private let call: Call?
  private let number: Int
  private let fault: CallError
  private let isSingle: Bool
  private let restrictions: Restrictions
  private let state = Mutex(CallCounts())

  /// Creates calls that fail from the `number`-th of a kind on (the first is 1); with `once`, only that call fails.
  /// With `isShort`, every read and write moves a single byte.
  package init(
    _ call: Call?, at number: Int = 1, _ fault: CallError = .fails(.ioError), once isSingle: Bool = false,
    isShort: Bool = false
  ) {
    self.isSingle = isSingle
    self.call = call
    self.number = number
    self.fault = fault
    restrictions = {
      var restrictions = Restrictions()
      restrictions.isShort = isShort
      return restrictions
    }()
  }

  private init(_ restrictions: Restrictions) {
    call = nil
    number = 1
    isSingle = false
    fault = .fails(.ioError)
    self.restrictions = restrictions
  }

  private static func restricted(_ set: (inout Restrictions) -> Void) -> FailingCalls {
    var restrictions = Restrictions()
    set(&restrictions)
    return FailingCalls(restrictions)
  }

  /// Creates calls that succeed and move a single byte each.
  package static func short() -> FailingCalls { restricted { $0.isShort = true } }

  /// Creates calls that succeed and sync nothing, for tests that write thousands of files.
  package static func unsynced() -> FailingCalls { restricted { $0.isSynced = false } }

  /// Creates calls on a disk that is full when a file reaches `bytes`.
  package static func fullDisk(after bytes: Int64) -> FailingCalls { restricted { $0.fileBytesMax = bytes } }

  /// Creates calls on a file system without unnamed files, such as NFS.
  package static func withoutUnnamedFiles() -> FailingCalls { restricted { $0.hasUnnamedFiles = false } }

  package func count(of call: Call) -> Int { state.withLock { $0.counts[call, default: 0] } }

  /// The number of files that were opened through these calls and are still open.
  package var openFiles: Int { state.withLock { $0.descriptors.count } }

  /// Counts a call. Returns whether it finds the end of the file.
  private func meet(_ call: Call) throws(Errno) -> Bool {
    let count = state.withLock { state in
      state.counts[call, default: 0] += 1
      return state.counts[call, default: 0]
    }
    guard call == self.call, isSingle ? count == number : count >= number else { return false }
    switch fault {
    case .fails(let code): throw code
    case .endsFile: return true
    }
  }

  package func open(
    _ path: FilePath, at directory: FileDescriptor, _ mode: FileDescriptor.AccessMode,
    _ options: FileDescriptor.OpenOptions, _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor {
    _ = try meet(.open)
    if !restrictions.hasUnnamedFiles, !options.contains(.create), mode != .readOnly { throw .notSupported }
    let file = try kernel.open(path, at: directory, mode, options, permissions)
    state.withLock { state in _ = state.descriptors.insert(file.rawValue) }
    return file
  }

  package func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    if try meet(.read) { return 0 }
    return unsafe try kernel.read(file, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(limit)))
  }

  package func read(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    if try meet(.read) { return 0 }
    return unsafe try kernel.read(
      file, at: offset, into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(limit)))
  }

  package func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int {
    _ = try meet(.write)
    return unsafe try kernel.write(file, UnsafeRawBufferPointer(rebasing: buffer.prefix(limit)))
  }

  package func write(
    _ file: FileDescriptor, at offset: Int64, _ buffer: UnsafeRawBufferPointer
  ) throws(Errno) -> Int {
    _ = try meet(.write)
    if let max = restrictions.fileBytesMax, offset + Int64(buffer.count) > max { throw .noSpace }
    return unsafe try kernel.write(file, at: offset, UnsafeRawBufferPointer(rebasing: buffer.prefix(limit)))
  }

  package func sync(_ file: FileDescriptor) throws(Errno) {
    _ = try meet(.sync)
    if restrictions.isSynced { try kernel.sync(file) }
  }

  package func syncFileSystem(_ file: FileDescriptor) throws(Errno) {
    _ = try meet(.sync)
    if restrictions.isSynced { try kernel.syncFileSystem(file) }
  }

  package func rename(
    _ old: FilePath, at oldDirectory: FileDescriptor, to new: FilePath, at newDirectory: FileDescriptor
  ) throws(Errno) {
    _ = try meet(.rename)
    try kernel.rename(old, at: oldDirectory, to: new, at: newDirectory)
  }

  /// Exchanges two names.
  package func exchange(
    _ one: FilePath, at oneDirectory: FileDescriptor, with other: FilePath, at otherDirectory: FileDescriptor
  ) throws(Errno) {
    _ = try meet(.rename)
    try kernel.exchange(one, at: oneDirectory, with: other, at: otherDirectory)
  }

  package func unlink(_ path: FilePath, at directory: FileDescriptor) throws(Errno) {
    _ = try meet(.unlink)
    try kernel.unlink(path, at: directory)
  }

  package func close(_ file: FileDescriptor) throws(Errno) {
    state.withLock { state in _ = state.descriptors.remove(file.rawValue) }
    try kernel.close(file)
    _ = try meet(.close)
  }

  package func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    _ = try meet(.truncate)
    try kernel.truncate(file, to: size)
  }

  package func lock(_ file: FileDescriptor) throws(Errno) {
    _ = try meet(.lock)
    try kernel.lock(file)
  }

  /// Ends a lock. Never fails: closing the file ends the lock, too.
  package func unlock(_ file: FileDescriptor) throws(Errno) {
    try kernel.unlock(file)
  }

  package func setPermissions(_ file: FileDescriptor, _ permissions: FilePermissions) throws(Errno) {
    _ = try meet(.setPermissions)
    try kernel.setPermissions(file, permissions)
  }

  /// Looks up an open file's status.
  package func status(_ file: FileDescriptor) throws(Errno) -> FileStatus {
    _ = try meet(.status)
    return try kernel.status(file)
  }

  /// Looks up a path's status.
  package func status(
    _ path: FilePath, at directory: FileDescriptor, followsLinks: Bool
  ) throws(Errno) -> FileStatus {
    _ = try meet(.status)
    return try kernel.status(path, at: directory, followsLinks: followsLinks)
  }

  package func makeLink(
    _ path: FilePath, at directory: FileDescriptor, to file: FilePath, at fileDirectory: FileDescriptor
  ) throws(Errno) {
    _ = try meet(.makeLink)
    try kernel.makeLink(path, at: directory, to: file, at: fileDirectory)
  }

  package func makeSymbolicLink(
    _ path: FilePath, at directory: FileDescriptor, to destination: FilePath
  ) throws(Errno) {
    _ = try meet(.makeSymbolicLink)
    try kernel.makeSymbolicLink(path, at: directory, to: destination)
  }

  package func destination(ofLink path: FilePath, at directory: FileDescriptor) throws(Errno) -> FilePath {
    _ = try meet(.destination)
    return try kernel.destination(ofLink: path, at: directory)
  }

  package func resolve(_ path: FilePath) throws(Errno) -> FilePath {
    _ = try meet(.resolve)
    return try kernel.resolve(path)
  }

  package func makeDirectory(
    _ path: FilePath, at directory: FileDescriptor, _ permissions: FilePermissions
  ) throws(Errno) {
    _ = try meet(.makeDirectory)
    try kernel.makeDirectory(path, at: directory, permissions)
  }

  package func removeDirectory(_ path: FilePath, at directory: FileDescriptor) throws(Errno) {
    _ = try meet(.removeDirectory)
    try kernel.removeDirectory(path, at: directory)
  }

  package func names(in path: FilePath, at directory: FileDescriptor) throws(Errno) -> [String] {
    _ = try meet(.names)
    return try kernel.names(in: path, at: directory)
  }

  private var limit: Int { restrictions.isShort ? 1 : .max }
}
