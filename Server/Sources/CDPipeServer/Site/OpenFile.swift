// Open files and folders. They stay usable while referenced, even if their names are replaced or removed.
//
// Not for their content.

import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Identifies the state of a file, to detect that it was replaced or changed.
struct FileSignature: Equatable, Sendable {
  let device: UInt64
  let inode: UInt64
  let size: Int
  let seconds: Int
  let nanoseconds: Int
  let isFolder: Bool

  private init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int(status.st_size)
    #if canImport(Darwin)
      seconds = status.st_mtimespec.tv_sec
      nanoseconds = status.st_mtimespec.tv_nsec
    #else
      seconds = status.st_mtim.tv_sec
      nanoseconds = status.st_mtim.tv_nsec
    #endif
    isFolder = status.st_mode & S_IFMT == S_IFDIR
  }

  /// The signature of the file at a path; nil if there is none.
  init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The signature of an open regular file or folder.
  fileprivate init(descriptor: Int32) throws(FileError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(errno: errno) }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFDIR else { throw FileError(errno: EINVAL) }
    self.init(status)
  }
}

/// The errno of a failed system call.
struct FileError: Error, Equatable {
  let errno: Int32
}

/// An open file or folder. It is closed with its last reference.
final class OpenFile: Sendable {
  /// The file descriptor.
  let descriptor: Int32
  /// The signature at the time of opening.
  let stamp: FileSignature

  /// Opens a file or folder by its path. Links are followed.
  convenience init(path: String) throws(FileError) {
    try self.init(at: AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  }

  /// Opens a file or folder in this folder. Links are not followed.
  ///
  /// - Parameter name: a name, never a path.
  func file(named name: String) throws(FileError) -> OpenFile {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { $0 == 0x2F || $0 == 0 })
    else {
      throw FileError(errno: ENOENT)
    }
    return try OpenFile(at: descriptor, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
  }

  private init(at folder: Int32, _ path: String, _ flags: Int32) throws(FileError) {
    var opened: Int32
    repeat { opened = unsafe openat(folder, path, flags) } while opened < 0 && errno == EINTR
    guard opened >= 0 else { throw FileError(errno: errno) }
    let stamp: FileSignature
    do throws(FileError) {
      stamp = try FileSignature(descriptor: opened)
    } catch {
      close(opened)
      throw error
    }
    descriptor = opened
    self.stamp = stamp
  }

  deinit {
    close(descriptor)
  }

  /// Reads bytes from an offset; fewer than `count` only at the end of the file.
  func read(at place: Int, count: Int) throws(FileError) -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(capacity: count)
    var failure: Int32 = 0
    while buffer.readableBytes < count {
      let offset = place + buffer.readableBytes
      let wanted = count - buffer.readableBytes
      let got = unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { space in
        let got = unsafe pread(descriptor, space.baseAddress, wanted, off_t(offset))
        if got < 0 { failure = errno }
        return max(got, 0)
      }
      if failure == EINTR {
        failure = 0
        continue
      }
      if failure != 0 { throw FileError(errno: failure) }
      if got == 0 { break }
    }
    return buffer
  }
}

extension OpenFile {
  /// Reads all bytes of the file.
  ///
  /// - Parameter path: the name in errors.
  /// - Throws: if the file can't be read, is a folder, or has more than `bytesMax` bytes.
  func bytes(path: String, bytesMax: Int) throws(SiteError) -> ByteBuffer {
    if stamp.isFolder { throw .cannotRead(path: path, errno: EISDIR) }
    guard stamp.size <= bytesMax else { throw .tooLarge(path: path, bytesMax: bytesMax) }
    do throws(FileError) {
      return try read(at: 0, count: stamp.size)
    } catch {
      throw .cannotRead(path: path, errno: error.errno)
    }
  }

  /// Reads all bytes of the file at a path.
  static func bytes(of path: String, bytesMax: Int) throws(SiteError) -> ByteBuffer {
    let file: OpenFile
    do throws(FileError) {
      file = try OpenFile(path: path)
    } catch {
      throw .cannotRead(path: path, errno: error.errno)
    }
    return try file.bytes(path: path, bytesMax: bytesMax)
  }
}
