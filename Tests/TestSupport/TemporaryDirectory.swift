// A directory for one test, removed with everything in it when the test ends.

import SystemPackage

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

  /// The path of a file in the directory.
  package static func / (directory: TemporaryDirectory, name: String) -> String { "\(directory.path)/\(name)" }

  /// The names of all files in the directory, in order.
  package var names: [String] { FileTree.names(path) }

  /// The names of all files in a folder of the directory, in order.
  package func names(in folder: String) -> [String] { FileTree.names(self / folder) }

  /// Removes a file if it exists.
  package func remove(_ name: String) { unsafe unlink(self / name) }

  /// Writes a file.
  package func write(_ name: String, _ bytes: [UInt8]) throws { try PlainFile.write(self / name, bytes) }

  /// The bytes of a file, or nil if there is none.
  package func read(_ name: String) -> [UInt8]? { PlainFile.read(self / name) }

  /// The text of a file, or nil if there is none.
  package func text(_ name: String) -> String? {
    read(name).map { String(decoding: $0, as: UTF8.self) }
  }
}
