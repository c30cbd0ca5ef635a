// A directory of a test's own, removed with all its files when the test ends.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A directory of a test's own.
public final class TemporaryDirectory: Sendable {
  /// Its path.
  public let path: String

  /// Makes a directory in the system's place for temporary files.
  public init() throws {
    var template = Array("/tmp/cdpipe-test-XXXXXX".utf8CString)
    let made = unsafe template.withUnsafeMutableBufferPointer { unsafe mkdtemp($0.baseAddress!) != nil }
    guard made else { throw Errno(rawValue: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in names {
      if unsafe unlink(self / name) != 0 { unsafe rmdir(self / name) }
    }
    unsafe rmdir(path)
  }

  /// The path of a file in the directory.
  public static func / (directory: TemporaryDirectory, name: String) -> String { "\(directory.path)/\(name)" }

  /// The names of all files in the directory, in order.
  public var names: [String] {
    guard let stream = unsafe opendir(path) else { return [] }
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

  /// Removes a file; that there is none is no error.
  public func remove(_ name: String) { unsafe unlink(self / name) }

  /// Writes a file.
  public func write(_ name: String, _ bytes: [UInt8]) throws { try PlainFile.write(self / name, bytes) }

  /// The bytes of a file, or nil if there is none.
  public func read(_ name: String) -> [UInt8]? { PlainFile.read(self / name) }

  /// The text of a file, or nil if there is none.
  public func text(_ name: String) -> String? {
    read(name).map { String(decoding: $0, as: UTF8.self) }
  }
}
