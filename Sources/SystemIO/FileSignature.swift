// Detects whether a file has changed since it was read, without reading it again.

import SystemPackage

/// A file's size, inode and modification times.
package struct FileSignature: Equatable, Codable, Sendable {
  /// The size in bytes.
  package var size: Int64
  /// The file's number on its file system.
  package var inode: UInt64
  /// When the content last changed, in nanoseconds since 1970.
  package var modified: Int64
  /// When the content or the metadata last changed, in nanoseconds since 1970. Programs can't set it back.
  package var changed: Int64

  /// Reads the signature of the file at a path; nil unless it is a regular file.
  package init?(of path: String, calls: any SystemCalls = KernelCalls()) {
    guard let status = try? calls.status(FilePath(path), followsLinks: true), status.type == .regular else {
      return nil
    }
    size = status.size
    inode = status.inode
    modified = status.modified
    changed = status.changed
  }

  /// When the file or directory at a path last changed, in seconds since 1970; 0 if that can't be determined.
  package static func modified(_ path: String, calls: any SystemCalls = KernelCalls()) -> Int64 {
    let status = try? calls.status(FilePath(path), followsLinks: true)
    return (status?.modified ?? 0) / 1_000_000_000
  }

  /// Whether the last change is well before a time, in seconds since 1970. A file that changes again within the clock
  /// tick in which its signature was taken may keep that signature.
  package func isSettled(at seconds: Int64) -> Bool {
    // The coarsest file systems store times in steps of 2 seconds.
    let slack: Int64 = 2
    return seconds &- max(modified, changed) / 1_000_000_000 > slack
  }
}
