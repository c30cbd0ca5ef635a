// The outside world as one protocol, so that a test can make the third write fail with ENOSPC.
//
// EINTR is retried here and nowhere else. Not for: what a failure means (SystemError), or who reads files.

public import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The calls this project makes on the operating system's files.
///
/// Every call throws the errno it got; the caller knows what it was doing and makes a ``SystemError`` of it.
public protocol SystemCalls: Sendable {
  /// Opens a file.
  func open(
    _ path: FilePath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
    _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor
  /// Reads up to `buffer.count` bytes; 0 at the end.
  func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int
  /// Reads up to `buffer.count` bytes at an offset; 0 at the end.
  func read(_ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer)
    throws(Errno)
    -> Int
  /// Writes some of the bytes and returns how many.
  func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int
  /// Writes some of the bytes at an offset and returns how many.
  func write(_ file: FileDescriptor, at offset: Int64, _ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int
  /// Makes what was written durable.
  func sync(_ file: FileDescriptor) throws(Errno)
  /// Replaces `new` by `old`, atomically.
  func rename(_ old: FilePath, to new: FilePath) throws(Errno)
  /// Removes a name.
  func unlink(_ path: FilePath) throws(Errno)
  /// Closes a file.
  func close(_ file: FileDescriptor) throws(Errno)
}

/// The real calls.
public struct KernelCalls: SystemCalls {
  /// Makes the real calls.
  public init() {}

  /// Opens a file, never inherited by a child process.
  public func open(
    _ path: FilePath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
    _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor {
    try calling {
      try FileDescriptor.open(
        path, mode, options: options.union(.closeOnExec), permissions: permissions, retryOnInterrupt: true)
    }
  }

  /// Reads up to `buffer.count` bytes; 0 at the end.
  public func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try calling { unsafe try file.read(into: buffer, retryOnInterrupt: true) }
  }

  /// Reads up to `buffer.count` bytes at an offset; 0 at the end.
  public func read(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    try calling { unsafe try file.read(fromAbsoluteOffset: offset, into: buffer, retryOnInterrupt: true) }
  }

  /// Writes some of the bytes and returns how many.
  public func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int {
    try calling { unsafe try file.write(buffer, retryOnInterrupt: true) }
  }

  /// Writes some of the bytes at an offset and returns how many.
  public func write(
    _ file: FileDescriptor, at offset: Int64, _ buffer: UnsafeRawBufferPointer
  ) throws(Errno) -> Int {
    try calling { unsafe try file.write(toAbsoluteOffset: offset, buffer, retryOnInterrupt: true) }
  }

  /// Makes what was written durable.
  public func sync(_ file: FileDescriptor) throws(Errno) {
    while fsync(file.rawValue) != 0 {
      let code = Errno(rawValue: errno)
      if code != .interrupted { throw code }
    }
  }

  /// Replaces `new` by `old`, atomically.
  public func rename(_ old: FilePath, to new: FilePath) throws(Errno) {
    let status = unsafe old.withPlatformString { from in
      unsafe new.withPlatformString { to in
        #if canImport(Glibc)
          unsafe Glibc.rename(from, to)
        #else
          unsafe Darwin.rename(from, to)
        #endif
      }
    }
    if status != 0 { throw Errno(rawValue: errno) }
  }

  /// Removes a name.
  public func unlink(_ path: FilePath) throws(Errno) {
    let status = unsafe path.withPlatformString { name in
      #if canImport(Glibc)
        unsafe Glibc.unlink(name)
      #else
        unsafe Darwin.unlink(name)
      #endif
    }
    if status != 0 { throw Errno(rawValue: errno) }
  }

  /// Closes a file.
  public func close(_ file: FileDescriptor) throws(Errno) {
    try calling { try file.close() }
  }

  /// swift-system throws `Errno` without saying so in its types.
  private func calling<Result>(_ call: () throws -> Result) throws(Errno) -> Result {
    do {
      return try call()
    } catch let code as Errno {
      throw code
    } catch {
      throw .ioError
    }
  }
}
