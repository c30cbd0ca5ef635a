// The operating system itself as SystemCalls. EINTR is retried here and nowhere else.

import CIntrinsics
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The real calls.
package struct KernelCalls: SystemCalls {
  /// Creates the real calls.
  package init() {}

  /// Opens a file that child processes don't inherit.
  package func open(
    _ path: FilePath, at directory: FileDescriptor, _ mode: FileDescriptor.AccessMode,
    _ options: FileDescriptor.OpenOptions, _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor {
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

  /// Reads up to `buffer.count` bytes; returns 0 at the end.
  package func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try mapErrno { unsafe try file.read(into: buffer, retryOnInterrupt: true) }
  }

  /// Reads up to `buffer.count` bytes at an offset; returns 0 at the end.
  package func read(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    try mapErrno { unsafe try file.read(fromAbsoluteOffset: offset, into: buffer, retryOnInterrupt: true) }
  }

  /// Writes some of the bytes and returns how many.
  package func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try mapErrno { unsafe try file.write(buffer, retryOnInterrupt: true) }
  }

  /// Writes some of the bytes at an offset and returns how many.
  package func write(
    _ file: FileDescriptor, at offset: Int64, _ buffer: UnsafeRawBufferPointer
  ) throws(Errno) -> Int {
    try mapErrno { unsafe try file.write(toAbsoluteOffset: offset, buffer, retryOnInterrupt: true) }
  }

  /// Makes the bytes written so far, or a directory's names, durable.
  package func sync(_ file: FileDescriptor) throws(Errno) {
    try checked { fsync(file.rawValue) }
  }

  /// Makes everything durable that was written to the file system of an open file.
  package func syncFileSystem(_ file: FileDescriptor) throws(Errno) {
    try checked { cdp_sync_file_system(file.rawValue) }
  }

  /// Cuts a file to a size, or extends it with zeros.
  package func truncate(_ file: FileDescriptor, to size: Int64) throws(Errno) {
    try checked { ftruncate(file.rawValue, off_t(size)) }
  }

  /// Locks a file exclusively; throws `wouldBlock` while another process holds the lock.
  package func lock(_ file: FileDescriptor) throws(Errno) {
    try checked { flock(file.rawValue, LOCK_EX | LOCK_NB) }
  }

  /// Ends the lock on a file.
  package func unlock(_ file: FileDescriptor) throws(Errno) {
    try checked { flock(file.rawValue, LOCK_UN) }
  }

  /// Sets a file's permissions.
  package func setPermissions(_ file: FileDescriptor, _ permissions: FilePermissions) throws(Errno) {
    try checked { fchmod(file.rawValue, permissions.rawValue) }
  }

  /// Looks up an open file's status.
  package func status(_ file: FileDescriptor) throws(Errno) -> FileStatus {
    var status = stat()
    try checked { unsafe fstat(file.rawValue, &status) }
    return FileStatus(status)
  }

  /// Closes a file.
  package func close(_ file: FileDescriptor) throws(Errno) {
    try mapErrno { try file.close() }
  }

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
}

// MARK: Names and directories

extension KernelCalls {
  /// Repeats a call while it is interrupted, and throws when it returns no pointer.
  private func pointer<Pointer>(_ call: () -> Pointer?) throws(Errno) -> Pointer {
    while true {
      if let found = call() { return found }
      let code = Errno(rawValue: errno)
      if code != .interrupted { throw code }
    }
  }
}

extension KernelCalls {
  /// Looks up the status of the file at a path.
  package func status(
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

  /// Renames `old` to `new`, atomically replacing an existing file.
  package func rename(
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

  /// Exchanges two files or directories in one step.
  package func exchange(
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

  /// Removes a file or a link; throws for a directory.
  package func unlink(_ path: FilePath, at directory: FileDescriptor) throws(Errno) {
    try checked { unsafe path.withPlatformString { unsafe unlinkat(directory.rawValue, $0, 0) } }
  }

  /// Makes a hard link at `path` to a file. A symbolic link at `file` is not followed.
  package func makeLink(
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

  /// Makes a symbolic link at `path`.
  package func makeSymbolicLink(
    _ path: FilePath, at directory: FileDescriptor, to destination: FilePath
  ) throws(Errno) {
    try checked {
      unsafe destination.withPlatformString { destination in
        unsafe path.withPlatformString { unsafe symlinkat(destination, directory.rawValue, $0) }
      }
    }
  }

  /// Reads a symbolic link; throws `invalidArgument` when the file is not a link.
  package func destination(ofLink path: FilePath, at directory: FileDescriptor) throws(Errno) -> FilePath {
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

  /// Returns the absolute path without links, `.` and `..`.
  package func resolve(_ path: FilePath) throws(Errno) -> FilePath {
    let found = unsafe try pointer { unsafe path.withPlatformString { unsafe realpath($0, nil) } }
    defer { unsafe free(found) }
    return unsafe FilePath(platformString: found)
  }

  /// Makes a directory.
  package func makeDirectory(
    _ path: FilePath, at directory: FileDescriptor, _ permissions: FilePermissions
  ) throws(Errno) {
    try checked {
      unsafe path.withPlatformString { unsafe mkdirat(directory.rawValue, $0, permissions.rawValue) }
    }
  }

  /// Removes an empty directory.
  package func removeDirectory(_ path: FilePath, at directory: FileDescriptor) throws(Errno) {
    try checked { unsafe path.withPlatformString { unsafe unlinkat(directory.rawValue, $0, AT_REMOVEDIR) } }
  }

  /// Lists a directory without `.` and `..`, in the system's order.
  package func names(in path: FilePath, at directory: FileDescriptor) throws(Errno) -> [String] {
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
