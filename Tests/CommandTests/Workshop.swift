// A directory of a session's own: a place to work with copies of the samples, a place for temporary files, and the
// program on the PATH. All of it goes when the session ends.

import Subprocess
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A directory of a session's own.
final class Workshop: Sendable {
  /// All of it.
  let path: String
  /// Where commands run. `samples` in it are copies.
  let work: String
  /// Where commands put temporary files.
  let temporary: String
  /// What commands see of the outside.
  let environment: Environment

  /// Runs a command without the right to read everything, which root has.
  private static let asUser = """
    #!/bin/sh
    # Root reads what nobody may read; without these two capabilities it is a user like any other.
    [ "$(id -u)" = 0 ] && exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"
    exec "$@"

    """

  init() throws {
    var template = Array("/tmp/cdpipe-session-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
    guard made else { throw Errno(rawValue: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    work = path + "/work"
    temporary = path + "/tmp"
    environment = .custom([
      "PATH": path + "/bin:/usr/local/bin:/usr/bin:/bin", "TMPDIR": temporary, "HOME": path,
      "LC_ALL": "C.UTF-8",
    ])
    for folder in [work, temporary, path + "/bin", work + "/samples"] { unsafe mkdir(folder, 0o755) }
    guard unsafe symlink(try Program.path(), path + "/bin/cdpipe") == 0 else { throw Errno(rawValue: errno) }
    try write(path + "/bin/as-user", Array(Self.asUser.utf8), mode: 0o755)
    let samples = Program.root + "/samples"
    // The sample apps are nothing for a session.
    for name in Tree.names(samples) where !name.hasSuffix(".py") && name != "apps" {
      try write(work + "/samples/" + name, try Tree.read(samples + "/" + name))
    }
  }

  deinit {
    Tree.remove(path)
  }

  /// Writes a file.
  func write(_ path: String, _ bytes: [UInt8], mode: CInterop.Mode = 0o644) throws {
    try Tree.write(path, bytes, mode: mode)
  }

  /// Bytes as a file without a name, open at its front.
  func open(_ bytes: [UInt8]) throws -> FileDescriptor {
    let name = FilePath(path + "/stdin")
    let file = try FileDescriptor.open(
      name, .readWrite, options: [.create, .exclusiveCreate], permissions: [.ownerReadWrite])
    unsafe unlink(name.string)
    try file.writeAll(bytes)
    try file.seek(offset: 0, from: .start)
    return file
  }

  /// The files that the session's commands made, and their bytes. What can't be made the same way twice, such as an
  /// encrypted archive, goes into `unalike/`.
  func files() -> [String: [UInt8]] {
    Tree.files(work).filter { !$0.key.hasPrefix("samples/") && !$0.key.hasPrefix("unalike/") }
  }

  /// What a command forgot: files that have no name of their own yet, and anything in the place for temporary files.
  func leftovers() -> [String] {
    let beside = Tree.files(work).keys.filter { path in
      let name = path.split(separator: "/").last ?? ""
      return (name.hasPrefix(".") && name.hasSuffix(".tmp")) || name.hasPrefix("cdpipe-")
    }
    return beside.sorted() + Tree.names(temporary).map { "$TMPDIR/" + $0 }
  }
}

/// Folders and what is in them.
enum Tree {
  /// The names in a folder, in order.
  static func names(_ folder: String) -> [String] {
    guard let stream = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// The bytes of a file. A named pipe, which nobody writes to, has none; without `nonBlocking` it would be waited for.
  static func read(_ path: String) throws -> [UInt8] {
    let file = try FileDescriptor.open(FilePath(path), .readOnly, options: .nonBlocking)
    return try file.closeAfter {
      var result: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = try unsafe buffer.withUnsafeMutableBytes { unsafe try file.read(into: $0) }
        if count == 0 { return result }
        result.append(contentsOf: buffer[..<count])
      }
    }
  }

  /// Writes a file.
  static func write(_ path: String, _ bytes: [UInt8], mode: CInterop.Mode = 0o644) throws {
    let file = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .truncate], permissions: FilePermissions(rawValue: mode))
    _ = try file.closeAfter { try file.writeAll(bytes) }
  }

  /// The files below a folder and their bytes, by their paths in it; a folder has a slash and no bytes.
  static func files(_ folder: String, _ prefix: String = "") -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in names(folder) {
      let path = folder + "/" + name
      if isFolder(path) {
        files[prefix + name + "/"] = []
        files.merge(self.files(path, prefix + name + "/")) { one, _ in one }
      } else {
        files[prefix + name] = (try? read(path)) ?? []
      }
    }
    return files
  }

  /// Removes a folder and all that is in it.
  static func remove(_ folder: String) {
    for name in names(folder) {
      let path = folder + "/" + name
      if isFolder(path) { remove(path) } else { unsafe unlink(path) }
    }
    unsafe rmdir(folder)
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
  }
}
