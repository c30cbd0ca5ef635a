// The operating system's files as one protocol, so that a test can make the third write fail with ENOSPC.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CIntrinsics
public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The calls this project makes on the operating system's files.
///
/// Every call throws the errno it received; the caller adds what it was doing and makes a ``SystemError``. A path is
/// relative to the directory that the call names, or to the working directory.
public protocol SystemCalls: Sendable {
  // MARK: Open files

  func open(
    _ path: FilePath, at directory: FileDescriptor, _ mode: FileDescriptor.AccessMode,
    _ options: FileDescriptor.OpenOptions, _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor
  /// Reads up to `buffer.count` bytes; returns 0 at the end.
  func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  /// Reads up to `buffer.count` bytes at an offset; returns 0 at the end.
  func read(_ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer)
    throws(Errno)
    -> Int
  /// Writes some of the bytes and returns how many.
  func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int
  /// Writes some of the bytes at an offset and returns how many.
  func write(_ file: FileDescriptor, at offset: Int64, _ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int
  /// Makes the bytes written so far, or a directory's names, durable.
  func sync(_ file: FileDescriptor) throws(Errno)
  /// Makes everything durable that was written to the file system of an open file.
  func syncFileSystem(_ file: FileDescriptor) throws(Errno)
  /// Cuts a file to a size, or extends it with zeros.
  func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno)
  /// Locks a file exclusively; throws `wouldBlock` while another process holds the lock.
  func lock(_ file: FileDescriptor) throws(Errno)
  /// Ends the lock on a file.
  func unlock(_ file: FileDescriptor) throws(Errno)
  func setPermissions(_ file: FileDescriptor, _ permissions: FilePermissions) throws(Errno)
  /// Looks up an open file's status.
  func status(_ file: FileDescriptor) throws(Errno) -> FileStatus
  func close(_ file: FileDescriptor) throws(Errno)

  // MARK: Names

  func status(_ path: FilePath, at directory: FileDescriptor, followsLinks: Bool) throws(Errno) -> FileStatus
  /// Renames `old` to `new`, atomically replacing an existing file.
  func rename(
    _ old: FilePath, at oldDirectory: FileDescriptor, to new: FilePath, at newDirectory: FileDescriptor
  ) throws(Errno)
  /// Exchanges two files or directories in one step; throws `invalidArgument`, `noFunction` or `notSupported` if the file
  /// system can't.
  func exchange(
    _ one: FilePath, at oneDirectory: FileDescriptor, with other: FilePath, at otherDirectory: FileDescriptor
  ) throws(Errno)
  /// Removes a file or a link; throws for a directory.
  func unlink(_ path: FilePath, at directory: FileDescriptor) throws(Errno)
  /// Makes a hard link at `path` to a file.
  func makeLink(
    _ path: FilePath, at directory: FileDescriptor, to file: FilePath, at fileDirectory: FileDescriptor
  ) throws(Errno)
  /// Makes a symbolic link at `path`.
  func makeSymbolicLink(_ path: FilePath, at directory: FileDescriptor, to destination: FilePath)
    throws(Errno)
  /// Reads a symbolic link; throws `invalidArgument` when the file is not a link.
  func destination(ofLink path: FilePath, at directory: FileDescriptor) throws(Errno) -> FilePath
  /// Returns the absolute path without links, `.` and `..`.
  func resolve(_ path: FilePath) throws(Errno) -> FilePath

  // MARK: Directories

  func makeDirectory(_ path: FilePath, at directory: FileDescriptor, _ permissions: FilePermissions)
    throws(Errno)
  /// Removes an empty directory.
  func removeDirectory(_ path: FilePath, at directory: FileDescriptor) throws(Errno)
  /// Lists a directory without `.` and `..`, in the system's order.
  func names(in path: FilePath, at directory: FileDescriptor) throws(Errno) -> [String]
}

extension FileDescriptor {
  public static var workingDirectory: FileDescriptor { FileDescriptor(rawValue: AT_FDCWD) }
}

/// Paths in the working directory.
extension SystemCalls {
  public func open(
    _ path: FilePath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
    _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor {
    try open(path, at: .workingDirectory, mode, options, permissions)
  }

  public func status(_ path: FilePath, followsLinks: Bool) throws(Errno) -> FileStatus {
    try status(path, at: .workingDirectory, followsLinks: followsLinks)
  }

  public func rename(_ old: FilePath, to new: FilePath) throws(Errno) {
    try rename(old, at: .workingDirectory, to: new, at: .workingDirectory)
  }

  public func exchange(_ one: FilePath, with other: FilePath) throws(Errno) {
    try exchange(one, at: .workingDirectory, with: other, at: .workingDirectory)
  }

  public func unlink(_ path: FilePath) throws(Errno) { try unlink(path, at: .workingDirectory) }

  public func makeLink(_ path: FilePath, to file: FilePath) throws(Errno) {
    try makeLink(path, at: .workingDirectory, to: file, at: .workingDirectory)
  }

  public func makeSymbolicLink(_ path: FilePath, to destination: FilePath) throws(Errno) {
    try makeSymbolicLink(path, at: .workingDirectory, to: destination)
  }

  public func destination(ofLink path: FilePath) throws(Errno) -> FilePath {
    try destination(ofLink: path, at: .workingDirectory)
  }

  public func makeDirectory(_ path: FilePath, _ permissions: FilePermissions) throws(Errno) {
    try makeDirectory(path, at: .workingDirectory, permissions)
  }

  public func removeDirectory(_ path: FilePath) throws(Errno) {
    try removeDirectory(path, at: .workingDirectory)
  }

  public func names(in path: FilePath) throws(Errno) -> [String] {
    try names(in: path, at: .workingDirectory)
  }
}

/// Calls that are made of others.
extension SystemCalls {
  /// Writes all the bytes, in as many calls as needed.
  public func writeAll(_ file: FileDescriptor, _ bytes: Span<UInt8>) throws(Errno) {
    try unsafe bytes.withUnsafeBytes { (buffer) throws(Errno) in
      var done = 0
      while done < buffer.count {
        done += try unsafe write(file, UnsafeRawBufferPointer(rebasing: buffer[done...]))
      }
    }
  }

  /// Writes all the bytes at an offset, in as many calls as needed.
  public func writeAll(_ file: FileDescriptor, _ bytes: Span<UInt8>, at offset: Int64) throws(Errno) {
    try unsafe bytes.withUnsafeBytes { (buffer) throws(Errno) in
      var done = 0
      while done < buffer.count {
        done += try unsafe write(
          file, at: offset + Int64(done), UnsafeRawBufferPointer(rebasing: buffer[done...]))
      }
    }
  }

  /// Reads bytes at an offset into a chunk's free capacity, at most `limit` of them, and returns how many: 0 at the end.
  public func read(
    _ file: FileDescriptor, at offset: Int64, limit: Int = .max, into chunk: inout ByteChunk
  ) throws(Errno) -> Int {
    try unsafe chunk.fill { (buffer) throws(Errno) in
      let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(limit))
      return try unsafe read(file, at: offset, into: part)
    }
  }

  /// Reads a symbolic link; nil when the path is missing or not a link.
  public func destinationIfLink(_ path: FilePath) throws(Errno) -> FilePath? {
    do throws(Errno) {
      return try destination(ofLink: path)
    } catch {
      if error == .invalidArgument || error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
      throw error
    }
  }

  /// Looks up the status of the file at a path; nil when there is no such file.
  public func statusIfPresent(_ path: FilePath, followsLinks: Bool) throws(Errno) -> FileStatus? {
    do throws(Errno) {
      return try status(path, followsLinks: followsLinks)
    } catch {
      if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
      throw error
    }
  }
}

/// The real calls.
public struct KernelCalls: SystemCalls {
  public init() {}

  public func open(
    _ path: FilePath, at directory: FileDescriptor, _ mode: FileDescriptor.AccessMode,
    _ options: FileDescriptor.OpenOptions, _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor {
    // Child processes don't inherit it.
    let flags = mode.rawValue | options.union(.closeOnExec).rawValue
    while true {
      let file = unsafe path.withPlatformString {
        unsafe openat(directory.rawValue, $0, flags, permissions.rawValue)
      }
      if file >= 0 { return FileDescriptor(rawValue: file) }
      let code = Errno(rawValue: errno)
      if code != .interrupted { throw code }
    }
  }

  public func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try mapErrno { unsafe try file.read(into: buffer, retryOnInterrupt: true) }
  }

  public func read(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    try mapErrno { unsafe try file.read(fromAbsoluteOffset: offset, into: buffer, retryOnInterrupt: true) }
  }

  public func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try mapErrno { unsafe try file.write(buffer, retryOnInterrupt: true) }
  }

  public func write(
    _ file: FileDescriptor, at offset: Int64, _ buffer: UnsafeRawBufferPointer
  ) throws(Errno) -> Int {
    try mapErrno { unsafe try file.write(toAbsoluteOffset: offset, buffer, retryOnInterrupt: true) }
  }

  public func sync(_ file: FileDescriptor) throws(Errno) { try checked { cdp_sync(file.rawValue) } }

  public func syncFileSystem(_ file: FileDescriptor) throws(Errno) {
    try checked { cdp_sync_file_system(file.rawValue) }
  }

  public func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    try checked { ftruncate(file.rawValue, off_t(size)) }
  }

  public func lock(_ file: FileDescriptor) throws(Errno) {
    try checked { flock(file.rawValue, LOCK_EX | LOCK_NB) }
  }

  public func unlock(_ file: FileDescriptor) throws(Errno) {
    try checked { flock(file.rawValue, LOCK_UN) }
  }

  public func setPermissions(_ file: FileDescriptor, _ permissions: FilePermissions) throws(Errno) {
    try checked { fchmod(file.rawValue, permissions.rawValue) }
  }

  public func status(_ file: FileDescriptor) throws(Errno) -> FileStatus {
    var status = stat()
    try checked { unsafe fstat(file.rawValue, &status) }
    return FileStatus(status)
  }

  public func close(_ file: FileDescriptor) throws(Errno) { try mapErrno { try file.close() } }

  /// swift-system throws `Errno` from functions whose type doesn't name it.
  private func mapErrno<Result>(_ call: () throws -> Result) throws(Errno) -> Result {
    do {
      return try call()
    } catch let code as Errno {
      throw code
    } catch {
      throw .ioError
    }
  }

  /// Repeats a call while it is interrupted, and throws when it doesn't return 0.
  private func checked(_ call: () -> CInt) throws(Errno) {
    while call() != 0 {
      let code = Errno(rawValue: errno)
      if code != .interrupted { throw code }
    }
  }

  public func status(
    _ path: FilePath, at directory: FileDescriptor, followsLinks: Bool
  ) throws(Errno) -> FileStatus {
    var status = stat()
    try checked {
      unsafe path.withPlatformString {
        unsafe fstatat(directory.rawValue, $0, &status, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW)
      }
    }
    return FileStatus(status)
  }

  public func rename(
    _ old: FilePath, at oldDirectory: FileDescriptor, to new: FilePath, at newDirectory: FileDescriptor
  ) throws(Errno) {
    try checked {
      unsafe old.withPlatformString { from in
        unsafe new.withPlatformString {
          unsafe renameat(oldDirectory.rawValue, from, newDirectory.rawValue, $0)
        }
      }
    }
  }

  public func exchange(
    _ one: FilePath, at oneDirectory: FileDescriptor, with other: FilePath, at otherDirectory: FileDescriptor
  ) throws(Errno) {
    try checked {
      unsafe one.withPlatformString { one in
        unsafe other.withPlatformString {
          unsafe cdp_exchange(oneDirectory.rawValue, one, otherDirectory.rawValue, $0)
        }
      }
    }
  }

  public func unlink(_ path: FilePath, at directory: FileDescriptor) throws(Errno) {
    try checked { unsafe path.withPlatformString { unsafe unlinkat(directory.rawValue, $0, 0) } }
  }

  /// Makes a hard link at `path` to a file. A symbolic link at `file` is not followed.
  public func makeLink(
    _ path: FilePath, at directory: FileDescriptor, to file: FilePath, at fileDirectory: FileDescriptor
  ) throws(Errno) {
    try checked {
      unsafe file.withPlatformString { file in
        unsafe path.withPlatformString {
          unsafe linkat(fileDirectory.rawValue, file, directory.rawValue, $0, 0)
        }
      }
    }
  }

  public func makeSymbolicLink(
    _ path: FilePath, at directory: FileDescriptor, to destination: FilePath
  ) throws(Errno) {
    try checked {
      unsafe destination.withPlatformString { destination in
        unsafe path.withPlatformString { unsafe symlinkat(destination, directory.rawValue, $0) }
      }
    }
  }

  public func destination(ofLink path: FilePath, at directory: FileDescriptor) throws(Errno) -> FilePath {
    // PATH_MAX with its null byte: a link that fills the buffer is longer than any path may be.
    let bytesMax = 4096
    var bytes = [CChar](repeating: 0, count: bytesMax)
    var count = 0
    try checked {
      count = unsafe path.withPlatformString {
        unsafe readlinkat(directory.rawValue, $0, &bytes, bytesMax)
      }
      return count < 0 ? -1 : 0
    }
    guard count > 0, count < bytesMax else { throw .fileNameTooLong }
    bytes[count] = 0
    return FilePath(platformString: bytes)
  }

  public func resolve(_ path: FilePath) throws(Errno) -> FilePath {
    while true {
      if let found = unsafe path.withPlatformString({ unsafe realpath($0, nil) }) {
        defer { unsafe free(found) }
        return unsafe FilePath(platformString: found)
      }
      let code = Errno(rawValue: errno)
      if code != .interrupted { throw code }
    }
  }

  public func makeDirectory(
    _ path: FilePath, at directory: FileDescriptor, _ permissions: FilePermissions
  ) throws(Errno) {
    try checked {
      unsafe path.withPlatformString { unsafe mkdirat(directory.rawValue, $0, permissions.rawValue) }
    }
  }

  public func removeDirectory(_ path: FilePath, at directory: FileDescriptor) throws(Errno) {
    try checked { unsafe path.withPlatformString { unsafe unlinkat(directory.rawValue, $0, AT_REMOVEDIR) } }
  }

  public func names(in path: FilePath, at directory: FileDescriptor) throws(Errno) -> [String] {
    let file = try open(path, at: directory, .readOnly, [.directory], [])
    guard let directory = unsafe fdopendir(file.rawValue) else {
      let code = Errno(rawValue: errno)
      try? close(file)
      throw code
    }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while true {
      // At the end of the directory readdir returns nil and leaves errno as it is.
      errno = 0
      guard let entry = unsafe readdir(directory) else {
        if errno == EINTR { continue }
        break
      }
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
        unsafe field.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          unsafe String(cString: $0)
        }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    if errno != 0 { throw Errno(rawValue: errno) }
    return names
  }
}
