// Header lines from the user: in the options, or in a file for secrets.

import SystemIO

/// Header lines from the user.
enum HeaderLines {
  /// Whether a line is exactly one header; it must not smuggle in a second one.
  static func isHeader(_ line: String) -> Bool {
    let name = line.utf8.prefix { $0 != UInt8(ascii: ":") }
    let isName = name.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    let isLine = line.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
    return !name.isEmpty && name.count < line.utf8.count && isName && isLine
  }

  /// Whether a header contains credentials.
  static func isSecret(_ line: String) -> Bool {
    let name = line.prefix { $0 != ":" }.lowercased()
    return name == "authorization" || name == "proxy-authorization" || name == "cookie"
  }

  /// The bytes of a header or netrc file, up to one byte more than the maximum.
  static func bytes(ofFile path: String, calls: any SystemCalls) throws(SystemError) -> [UInt8] {
    var file = try InputFile(path, calls: calls)
    var chunk = ByteChunk(capacity: DownloadLimits.secretFileBytesMax + 1)
    while chunk.freeCapacity > 0, try file.read(into: &chunk) > 0 {}
    return [UInt8](copying: chunk.span)
  }

  /// The header lines in the bytes of a file.
  static func lines(_ bytes: [UInt8], file: String) throws(DownloadError) -> [String] {
    guard bytes.count <= DownloadLimits.secretFileBytesMax else {
      throw .secretFileTooLarge(file: file, limit: DownloadLimits.secretFileBytesMax)
    }
    var lines: [String] = []
    for (index, part) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
      let part = part.last == 0x0D ? part.dropLast() : part
      if part.isEmpty || part.first == UInt8(ascii: "#") { continue }
      guard let line = String(validating: part, as: UTF8.self), isHeader(line) else {
        throw .malformedHeaderLine(file: file, line: index + 1)
      }
      lines.append(line)
    }
    if lines.isEmpty { throw .emptySecretFile(file: file, isNetrc: false) }
    return lines
  }
}

extension DownloadOptions {
  /// Whether a header line contains credentials, and so belongs in ``headerFile``.
  package static func isSecret(header line: String) -> Bool { HeaderLines.isSecret(line) }
}
