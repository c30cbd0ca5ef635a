// The outside world without its slowest part, for tests that make thousands of files.

import SystemIO
import SystemPackage

/// The real calls, but for syncing: nobody pulls a plug here.
struct QuickCalls: SystemCalls {
  let kernel = KernelCalls()
  func open(
    _ path: FilePath, _ mode: FileDescriptor.AccessMode, _ options: FileDescriptor.OpenOptions,
    _ permissions: FilePermissions
  ) throws(Errno) -> FileDescriptor { try kernel.open(path, mode, options, permissions) }
  func read(_ file: FileDescriptor, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    unsafe try kernel.read(file, into: buffer)
  }
  func read(
    _ file: FileDescriptor, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int { unsafe try kernel.read(file, at: offset, into: buffer) }
  func write(_ file: FileDescriptor, _ buffer: UnsafeRawBufferPointer) throws(Errno) -> Int {
    unsafe try kernel.write(file, buffer)
  }
  func write(
    _ file: FileDescriptor, at offset: Int64, _ buffer: UnsafeRawBufferPointer
  ) throws(Errno) -> Int { unsafe try kernel.write(file, at: offset, buffer) }
  func sync(_ file: FileDescriptor) {}
  func rename(_ old: FilePath, to new: FilePath) throws(Errno) { try kernel.rename(old, to: new) }
  func unlink(_ path: FilePath) throws(Errno) { try kernel.unlink(path) }
  func close(_ file: FileDescriptor) throws(Errno) { try kernel.close(file) }
}
