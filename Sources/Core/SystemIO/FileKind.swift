// What stands at a path.

package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What stands at a path.
package enum FileKind {
  case none
  case regular
  case directory
  case other

  package init(of path: FilePath) {
    var status = stat()
    guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 else {
      self = .none
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG: self = .regular
    case S_IFDIR: self = .directory
    default: self = .other
    }
  }

  /// What a symbolic link at a path names in the end; the path itself if there is none, or nothing behind it.
  static func resolvingLink(_ path: FilePath) -> FilePath {
    var status = stat()
    guard unsafe path.withPlatformString({ unsafe lstat($0, &status) }) == 0,
      status.st_mode & S_IFMT == S_IFLNK,
      let resolved = unsafe path.withPlatformString({ unsafe realpath($0, nil) })
    else { return path }
    defer { unsafe free(resolved) }
    return unsafe FilePath(platformString: resolved)
  }

  /// The permission bits of the file at a path.
  static func permissions(of path: FilePath) -> mode_t? {
    var status = stat()
    guard unsafe path.withPlatformString({ unsafe stat($0, &status) }) == 0 else { return nil }
    return status.st_mode & 0o777
  }
}
