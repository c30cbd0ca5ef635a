// A pattern file, one pattern per line. Blank lines and lines that begin with `#` are ignored; a wildcard at the start
// of a number must be written as `X`.

import SystemIO

enum PatternFile {
  /// The patterns of a file with their lines.
  static func patterns(
    _ path: String, _ calls: any SystemCalls
  ) throws(GenerateError) -> [(text: String, origin: GenerateError.Origin)] {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try InputFile.bytes(of: path, limit: GenerateOptions.fileBytesMax, calls: calls)
    } catch {
      throw .unreadable(error)
    }
    guard bytes.count <= GenerateOptions.fileBytesMax else {
      throw .fileTooLarge(path: path, bytesMax: GenerateOptions.fileBytesMax)
    }
    var patterns: [(text: String, origin: GenerateError.Origin)] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
      let front = text.first { !$0.isWhitespace && $0 != "\u{FEFF}" }
      if front == nil || front == "#" { continue }
      patterns.append((text, .file(path, line: index + 1)))
    }
    return patterns
  }
}
