// Small files that are replaced atomically: the record and the app's report. The only source file of this module that
// writes to disk.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A small file in the shared folder.
struct RecordFile {
  /// The maximum size that is read, in bytes; a larger file is not ours.
  static let bytesMax = 4_096

  let path: String

  /// The file's bytes; empty if the file is missing or can't be read.
  func contents() -> ContiguousArray<UInt8> {
    let descriptor = Self.opened(path, O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = ContiguousArray<UInt8>(repeating: 0, count: Self.bytesMax)
    var count = 0
    while count < bytes.count {
      let got = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress! + count, $0.count - count)
      }
      if got < 0, errno == EINTR { continue }
      if got < 0 { return [] }
      if got == 0 { break }
      count += got
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// Replaces the file atomically and durably. Returns the `errno` of an error, or 0.
  func replace(_ bytes: ContiguousArray<UInt8>) -> Int32 {
    let new = path + ".new"
    let descriptor = Self.opened(new, O_WRONLY | O_CREAT | O_TRUNC)
    guard descriptor >= 0 else { return errno }
    var code = Self.put(bytes, to: descriptor)
    if code == 0, fsync(descriptor) != 0 { code = errno }
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0, unsafe rename(new, path) != 0 { code = errno }
    if code != 0 {
      unsafe unlink(new)
      return code
    }
    syncFolder()
    return 0
  }

  /// Removes the file. Returns the `errno` of an error, or 0; a missing file is not an error.
  func remove() -> Int32 {
    if unsafe unlink(path) == 0 {
      syncFolder()
      return 0
    }
    let code = errno
    // Without write permission for the folder, unlink fails even if the file does not exist.
    return unsafe access(path, F_OK) != 0 && errno == ENOENT ? 0 : code
  }

  /// Makes the rename durable. If the file system can't, at worst a load is repeated after a crash.
  private func syncFolder() {
    var folder = path
    while let last = folder.utf8.last, last != UInt8(ascii: "/") { folder.removeLast() }
    let descriptor = Self.opened(folder.isEmpty ? "." : folder, O_RDONLY)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }

  private static func opened(_ path: String, _ flags: Int32) -> Int32 {
    var descriptor: Int32
    repeat {
      descriptor = unsafe open(path, flags | O_CLOEXEC, mode_t(0o600))
    } while descriptor < 0 && errno == EINTR
    return descriptor
  }

  private static func put(_ bytes: ContiguousArray<UInt8>, to descriptor: Int32) -> Int32 {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress! + written, $0.count - written)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 { return errno }
      written += count
    }
    return 0
  }
}
