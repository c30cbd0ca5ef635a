// What the operating system reports about a file: its kind, size, identity and times.
//
// Not for: comparing files (FileIdentity, FileSignature).

package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the operating system reports about a file.
package struct FileStatus: Equatable, Sendable {
  /// The kinds of files that are distinguished.
  package enum FileType: Equatable, Sendable {
    case regular
    case directory
    case symbolicLink
    /// A character or block device.
    case device
    /// A pipe, a socket or anything else.
    case other
  }

  /// What kind of file it is.
  package var type: FileType
  /// The size in bytes.
  package var size: Int64
  /// The file system that holds the file.
  package var device: UInt64
  /// The file's number on its file system.
  package var inode: UInt64
  /// The identifier of the user who owns the file.
  package var owner: UInt32
  /// Who may read, write and execute the file.
  package var permissions: FilePermissions
  /// When the content last changed, in nanoseconds since 1970.
  package var modified: Int64
  /// When the content or the metadata last changed, in nanoseconds since 1970. Programs can't set it back.
  package var changed: Int64

  init(_ status: stat) {
    type =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFCHR, S_IFBLK: .device
      default: .other
      }
    size = Int64(status.st_size)
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(truncatingIfNeeded: status.st_ino)
    owner = status.st_uid
    permissions = FilePermissions(rawValue: status.st_mode & 0o777)
    #if canImport(Glibc)
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #else
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #endif
    self.modified = Self.nanoseconds(modified)
    self.changed = Self.nanoseconds(changed)
  }

  private static func nanoseconds(_ time: timespec) -> Int64 {
    Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}
