// The operating system's files as one protocol, so that a test can make the third write fail with ENOSPC.
//
// Not for: what an error means (SystemError), or which parts of the program read files.

package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The calls this project makes on the operating system's files.
///
/// Every call throws the errno it received; the caller adds what it was doing and makes a ``SystemError``. A path is
/// relative to the directory that the call names, or to the working directory.
package protocol SystemCalls: Sendable {
  // MARK: Open files

  /// Opens a file.
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
  /// Sets a file's permissions.
  func setPermissions(_ file: FileDescriptor, _ permissions: FilePermissions) throws(Errno)
  /// Looks up an open file's status.
  func status(_ file: FileDescriptor) throws(Errno) -> FileStatus
  /// Closes a file.
  func close(_ file: FileDescriptor) throws(Errno)

  // MARK: Names

  /// Looks up the status of the file at a path.
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

  /// Makes a directory.
  func makeDirectory(_ path: FilePath, at directory: FileDescriptor, _ permissions: FilePermissions)
    throws(Errno)
  /// Removes an empty directory.
  func removeDirectory(_ path: FilePath, at directory: FileDescriptor) throws(Errno)
  /// Lists a directory without `.` and `..`, in the system's order.
  func names(in path: FilePath, at directory: FileDescriptor) throws(Errno) -> [String]
}

extension FileDescriptor {
  /// Stands for the working directory in calls with a path.
  package static var workingDirectory: FileDescriptor { FileDescriptor(rawValue: AT_FDCWD) }
}

// MARK: Paths in the working directory

extension SystemCalls {
  /// Opens a file.
  package func open(
    _ path: FilePath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
    _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor {
    try open(path, at: .workingDirectory, mode, options, permissions)
  }

  /// Looks up the status of the file at a path.
  package func status(_ path: FilePath, followsLinks: Bool) throws(Errno) -> FileStatus {
    try status(path, at: .workingDirectory, followsLinks: followsLinks)
  }

  /// Renames `old` to `new`, atomically replacing an existing file.
  package func rename(_ old: FilePath, to new: FilePath) throws(Errno) {
    try rename(old, at: .workingDirectory, to: new, at: .workingDirectory)
  }

  /// Exchanges two files or directories in one step.
  package func exchange(_ one: FilePath, with other: FilePath) throws(Errno) {
    try exchange(one, at: .workingDirectory, with: other, at: .workingDirectory)
  }

  /// Removes a file or a link; throws for a directory.
  package func unlink(_ path: FilePath) throws(Errno) { try unlink(path, at: .workingDirectory) }

  /// Makes a hard link at `path` to a file.
  package func makeLink(_ path: FilePath, to file: FilePath) throws(Errno) {
    try makeLink(path, at: .workingDirectory, to: file, at: .workingDirectory)
  }

  /// Makes a symbolic link at `path`.
  package func makeSymbolicLink(_ path: FilePath, to destination: FilePath) throws(Errno) {
    try makeSymbolicLink(path, at: .workingDirectory, to: destination)
  }

  /// Reads a symbolic link; throws `invalidArgument` when the file is not a link.
  package func destination(ofLink path: FilePath) throws(Errno) -> FilePath {
    try destination(ofLink: path, at: .workingDirectory)
  }

  /// Makes a directory.
  package func makeDirectory(_ path: FilePath, _ permissions: FilePermissions) throws(Errno) {
    try makeDirectory(path, at: .workingDirectory, permissions)
  }

  /// Removes an empty directory.
  package func removeDirectory(_ path: FilePath) throws(Errno) {
    try removeDirectory(path, at: .workingDirectory)
  }

  /// Lists a directory without `.` and `..`, in the system's order.
  package func names(in path: FilePath) throws(Errno) -> [String] {
    try names(in: path, at: .workingDirectory)
  }
}

// MARK: Calls that are made of others

extension SystemCalls {
  /// Writes all the bytes, in as many calls as needed.
  package func writeAll(_ file: FileDescriptor, _ bytes: Span<UInt8>) throws(Errno) {
    try unsafe bytes.withUnsafeBytes { (buffer) throws(Errno) in
      var done = 0
      while done < buffer.count {
        done += try unsafe write(file, UnsafeRawBufferPointer(rebasing: buffer[done...]))
      }
    }
  }

  /// Writes all the bytes at an offset, in as many calls as needed.
  package func writeAll(_ file: FileDescriptor, _ bytes: Span<UInt8>, at offset: Int64) throws(Errno) {
    try unsafe bytes.withUnsafeBytes { (buffer) throws(Errno) in
      var done = 0
      while done < buffer.count {
        done += try unsafe write(
          file, at: offset + Int64(done), UnsafeRawBufferPointer(rebasing: buffer[done...]))
      }
    }
  }

  /// Reads a symbolic link; nil when the path is missing or not a link.
  package func destinationIfLink(_ path: FilePath) throws(Errno) -> FilePath? {
    do throws(Errno) {
      return try destination(ofLink: path)
    } catch {
      if error == .invalidArgument || error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
      throw error
    }
  }

  /// Looks up the status of the file at a path; nil when there is no such file.
  package func statusIfPresent(_ path: FilePath, followsLinks: Bool) throws(Errno) -> FileStatus? {
    do throws(Errno) {
      return try status(path, followsLinks: followsLinks)
    } catch {
      if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
      throw error
    }
  }
}
