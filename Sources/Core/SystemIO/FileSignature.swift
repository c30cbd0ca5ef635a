// What tells without reading a file that it is the one that was read before.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file's size, place and time of its last change.
public struct FileSignature: Equatable, Codable, Sendable {
  /// Bytes.
  public var size: Int64
  /// Which file it is on its file system.
  public var inode: UInt64
  /// Nanoseconds since 1970, of the last change of its bytes.
  public var modified: Int64
  /// The same, of the last change of its bytes or of what is said about it; this one can't be set back.
  public var changed: Int64

  /// Looks at the file at a path; nil when there is none or it is no regular file.
  public init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    size = Int64(status.st_size)
    inode = UInt64(status.st_ino)
    #if canImport(Glibc)
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #else
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #endif
    self.modified = Self.nanoseconds(modified)
    self.changed = Self.nanoseconds(changed)
  }

  /// When what stands at a path was last changed, in seconds since 1970; 0 if that can't be told.
  public static func modified(_ path: String) -> Int64 {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return 0 }
    #if canImport(Glibc)
      return Int64(status.st_mtim.tv_sec)
    #else
      return Int64(status.st_mtimespec.tv_sec)
    #endif
  }

  /// Whether the file had been left alone for a while at a time, in seconds since 1970: one that is written to in the same tick of the clock in
  /// which it is looked at has the stamp of before.
  public func isSettled(at seconds: Int64) -> Bool {
    // File systems tell time to 2 seconds at the worst.
    let slack: Int64 = 2
    return seconds &- max(modified, changed) / 1_000_000_000 > slack
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
