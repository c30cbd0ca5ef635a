// Header lines from the user: in the options, or in a file where secrets belong.

import SystemIO

/// Header lines from the user.
enum HeaderLines {
  /// A header must not be able to smuggle in a second one.
  static func isHeader(_ line: String) -> Bool {
    let name = line.utf8.prefix { $0 != UInt8(ascii: ":") }
    let isName = name.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    let isLine = line.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
    return !name.isEmpty && name.count < line.utf8.count && isName && isLine
  }

  /// Whether a header says who the user is.
  static func isSecret(_ line: String) -> Bool {
    let name = line.prefix { $0 != ":" }.lowercased()
    return name == "authorization" || name == "proxy-authorization" || name == "cookie"
  }

  /// The bytes of a file of headers or logins, and one more than it may have if it has too many.
  static func bytes(ofFile path: String, calls: any SystemCalls) throws(SystemError) -> [UInt8] {
    var file = try InputFile(path, calls: calls)
    var chunk = ByteChunk(capacity: DownloadLimits.secretFileBytesMax + 1)
    while chunk.freeCapacity > 0, try file.read(into: &chunk) > 0 {}
    return [UInt8](copying: chunk.span)
  }

  /// The lines of a file of headers.
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
  /// Whether a header line says who the user is, and so belongs into ``headerFile``.
  public static func isSecret(header line: String) -> Bool { HeaderLines.isSecret(line) }
}
