// Files and folders as a server holds them: open as long as somebody needs them, whatever becomes of their names.
//
// Not for: what is in them.

import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Distinguishes one content of a file's name from the next.
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

  /// The stamp of what a path leads to; nil when that is nothing.
  init?(path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  /// The stamp of a regular file or a folder that is open.
  fileprivate init(descriptor: Int32) throws(FileError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw FileError(errno: errno) }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFDIR else { throw FileError(errno: EINVAL) }
    self.init(status)
  }
}

/// The errno of a call that failed.
struct FileError: Error, Equatable {
  let errno: Int32
}

/// An open file or folder. It is closed when nobody holds it any more.
final class OpenFile: Sendable {
  /// The system's number for it.
  let descriptor: Int32
  /// What it was when it was opened.
  let stamp: FileSignature

  /// Opens a file or folder by its path, which may lead over links.
  convenience init(path: String) throws(FileError) {
    try self.init(at: AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
  }

  /// Opens a file or folder in this folder. A link is not followed.
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

  /// Reads some bytes from a place in the file: fewer than asked for only at its end.
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
  /// All bytes of a file.
  ///
  /// - Parameter path: what an error calls it.
  /// - Throws: that it can't be read, is a folder, or has more than `bytesMax` bytes.
  func bytes(path: String, bytesMax: Int) throws(SiteError) -> ByteBuffer {
    if stamp.isFolder { throw .cannotRead(path: path, errno: EISDIR) }
    guard stamp.size <= bytesMax else { throw .tooLarge(path: path, bytesMax: bytesMax) }
    do throws(FileError) {
      return try read(at: 0, count: stamp.size)
    } catch {
      throw .cannotRead(path: path, errno: error.errno)
    }
  }

  /// All bytes of the file at a path.
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
