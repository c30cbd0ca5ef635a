// A directory for one test, and files in it, listed, read and written without code of cdpipe.

package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

package final class TemporaryDirectory: Sendable {
  package let path: String

  /// The folder in which tests create temporary files: `TMPDIR`, or `/tmp` by default.
  package static var parent: String {
    if let named = unsafe getenv("TMPDIR"), unsafe named.pointee != 0 { return unsafe String(cString: named) }
    return "/tmp"
  }

  package init() throws {
    var template = Array("\(Self.parent)/cdpipe-test-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
    guard made else { throw Errno(rawValue: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    FileTree.remove(path)
  }

  package static func / (directory: TemporaryDirectory, name: String) -> String {
    "\(directory.path)/\(name)"
  }

  /// The names of all files in the directory, in order.
  package var names: [String] { FileTree.names(path) }

  /// The names of all files in a folder of the directory, in order.
  package func names(in folder: String) -> [String] { FileTree.names(self / folder) }

  /// Removes a file if it exists.
  package func remove(_ name: String) { unsafe unlink(self / name) }

  package func write(_ name: String, _ bytes: [UInt8]) throws { try PlainFile.write(self / name, bytes) }

  /// The bytes of a file, or nil if there is none.
  package func read(_ name: String) -> [UInt8]? { PlainFile.read(self / name) }

  /// The text of a file, or nil if there is none.
  package func text(_ name: String) -> String? {
    read(name).map { String(decoding: $0, as: UTF8.self) }
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

package enum FileTree {
  package static func names(_ folder: String) -> [String] {
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

  /// The bytes of a file. A named pipe without a writer has none; without `nonBlocking` the call would wait for one.
  package static func read(_ path: String) throws -> [UInt8] {
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

  package static func write(_ path: String, _ bytes: [UInt8], mode: CInterop.Mode = 0o644) throws {
    let file = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .truncate], permissions: FilePermissions(rawValue: mode))
    _ = try file.closeAfter { try file.writeAll(bytes) }
  }

  /// The paths of the files and folders below a folder, relative to it; a folder's path ends with a slash.
  package static func paths(_ folder: String, _ prefix: String = "") -> [String] {
    names(folder).flatMap { name in
      let path = folder + "/" + name
      return isFolder(path)
        ? [prefix + name + "/"] + paths(path, prefix + name + "/") : [prefix + name]
    }
  }

  /// The files below a folder and their bytes, by their paths in it; a folder has a slash and no bytes.
  package static func files(_ folder: String) -> [String: [UInt8]] {
    Dictionary(
      uniqueKeysWithValues: paths(folder).map { path in
        (path, path.hasSuffix("/") ? [] : (try? read(folder + "/" + path)) ?? [])
      })
  }

  /// Removes a folder and everything in it. Retries for at most a second, because an extension or app that is still ending
  /// may write a file meanwhile.
  package static func remove(_ folder: String) {
    for _ in 0..<100 {
      if removeOnce(folder) || (errno != ENOTEMPTY && errno != EEXIST) { return }
      usleep(10_000)
    }
  }

  private static func removeOnce(_ folder: String) -> Bool {
    for name in names(folder) {
      let path = folder + "/" + name
      if isFolder(path) { _ = removeOnce(path) } else { unsafe unlink(path) }
    }
    return unsafe rmdir(folder) == 0
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
  }
}

package enum PlainFile {
  /// The bytes of a file, or nil if there is none.
  package static func read(_ path: String) -> [UInt8]? {
    guard let file = try? FileDescriptor.open(FilePath(path), .readOnly) else { return nil }
    defer { try? file.close() }
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while let count = unsafe try? buffer.withUnsafeMutableBytes({ unsafe try file.read(into: $0) }), count > 0
    {
      result.append(contentsOf: buffer[..<count])
    }
    return result
  }

  package static func write(_ path: String, _ bytes: [UInt8]) throws {
    let file = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
    _ = try file.closeAfter { try file.writeAll(bytes) }
  }
}
