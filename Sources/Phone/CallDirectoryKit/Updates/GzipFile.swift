// Unpacks gzip files in pieces, with zlib.
//
// Not for archives with several members (ZipArchive).

import CLibZ

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that was compressed with gzip.
enum GzipFile {
  private static let magic: [UInt8] = [0x1F, 0x8B]

  /// Whether a file begins like a gzip file. No store or delta does.
  static func isGzip(_ path: String) throws(DirectoryUpdateError) -> Bool {
    var start: [UInt8] = [0, 0]
    let count = try UpdateFile(path, .reading).read(into: &start)
    return count == start.count && start == magic
  }

  /// Unpacks a file into another, and checks that against the manifest.
  ///
  /// - Throws: `DirectoryUpdateError` if it is not a gzip file, or contains another file; `CancellationError`.
  /// - Complexity: O(bytes). Memory: two pieces and zlib's window.
  static func unpack(_ path: String, to target: String, _ file: RemoteFile) throws {
    let source = try UpdateFile(path, .reading)
    var checked = try CheckedFile(target, file)
    guard let inflater = unsafe cdp_inflater_new(CDP_INFLATER_GZIP) else {
      throw DirectoryUpdateError.disk(code: ENOMEM, path: path)
    }
    defer { unsafe cdp_inflater_free(inflater) }
    var input = [UInt8](repeating: 0, count: UpdateFile.pieceBytes)
    var output = input
    while true {
      try Task.checkCancellation()
      let count = try source.read(into: &input)
      // A file that is cut ends here.
      guard count > 0 else { throw DirectoryUpdateError.damaged(name: file.name) }
      var used = 0
      while true {
        var (consumed, produced): (UInt32, UInt32) = (0, 0)
        let result = unsafe input.withUnsafeBytes { input in
          unsafe output.withUnsafeMutableBytes { output in
            unsafe cdp_inflater_run(
              inflater, input.baseAddress.map { unsafe $0 + used }, UInt32(count - used), &consumed,
              output.baseAddress, UInt32(output.count), &produced)
          }
        }
        guard result == CDP_INFLATER_CONTINUES || result == CDP_INFLATER_END else {
          throw DirectoryUpdateError.damaged(name: file.name)
        }
        used += Int(consumed)
        try checked.append(output.span.extracting(0..<Int(produced)))
        if result == CDP_INFLATER_END { return try checked.check() }
        // With space left in the output, it needs more input.
        if used == count, produced < output.count { break }
        // Neither input nor output is used: the input is not what it can read.
        if consumed == 0, produced == 0 { throw DirectoryUpdateError.damaged(name: file.name) }
      }
    }
  }
}
