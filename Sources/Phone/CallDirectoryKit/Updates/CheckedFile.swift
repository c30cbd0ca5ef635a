// Compares files with the size and SHA-256 that the manifest has of them.

import Hashing

/// A file that is written, and whose size and SHA-256 are computed meanwhile.
struct CheckedFile {
  private let file: UpdateFile
  private let expected: RemoteFile
  private var hasher = SHA256Hasher()

  init(_ path: String, _ expected: RemoteFile) throws(DirectoryUpdateError) {
    file = try UpdateFile(path, .creating)
    self.expected = expected
  }

  /// Writes the next bytes, unless they are more than expected.
  mutating func append(_ bytes: Span<UInt8>) throws(DirectoryUpdateError) {
    guard hasher.byteCount + UInt64(bytes.count) <= expected.bytes else {
      throw .tooLarge(name: expected.name)
    }
    hasher.update(bytes)
    try file.append(bytes)
  }

  /// Throws unless the bytes so far are the expected file.
  func check() throws(DirectoryUpdateError) {
    guard hasher.byteCount == expected.bytes, hasher.hex == expected.sha256 else {
      throw .damaged(name: expected.name)
    }
  }

  /// Whether a file has the size and SHA-256 of the manifest. A missing one does not.
  ///
  /// - Complexity: O(bytes).
  static func matches(_ path: String, _ expected: RemoteFile) throws(DirectoryUpdateError) -> Bool {
    guard UpdateFile.size(path) == expected.bytes else { return false }
    let file = try UpdateFile(path, .reading)
    var hasher = SHA256Hasher()
    var buffer = [UInt8](repeating: 0, count: UpdateFile.pieceBytes)
    while true {
      let count = try file.read(into: &buffer)
      if count == 0 { break }
      hasher.update(buffer.span.extracting(0..<count))
    }
    return hasher.byteCount == expected.bytes && hasher.hex == expected.sha256
  }
}
