// Files of a test, read and written without code of cdpipe.

import SystemPackage

/// Files by their paths.
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

  /// Writes a file.
  package static func write(_ path: String, _ bytes: [UInt8]) throws {
    let file = try FileDescriptor.open(
      FilePath(path), .writeOnly, options: [.create, .truncate], permissions: [.ownerReadWrite])
    _ = try file.closeAfter { try file.writeAll(bytes) }
  }
}
