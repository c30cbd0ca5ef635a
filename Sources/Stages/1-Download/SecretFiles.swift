// Header lines and netrc files from the user.

import Records
import SystemIO

enum HeaderLines {
  /// Whether a line is exactly one header; it must not smuggle in a second one.
  static func isHeader(_ line: String) -> Bool {
    let name = line.utf8.prefix { $0 != UInt8(ascii: ":") }
    let isName = name.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    let isLine = line.utf8.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F }
    return !name.isEmpty && name.count < line.utf8.count && isName && isLine
  }

  static func isSecret(_ line: String) -> Bool {
    let name = line.prefix { $0 != ":" }.lowercased()
    return name == "authorization" || name == "proxy-authorization" || name == "cookie"
  }

  static func lines(_ bytes: [UInt8], file: String) throws(Failure) -> [String] {
    guard bytes.count <= DownloadLimits.secretFileBytesMax else { throw .secretFileTooLarge(file: file) }
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

/// Checks netrc files before libcurl reads them: libcurl ignores what it does not understand, and then sends no
/// password.
enum NetrcFile {
  /// Checks that the file consists of `machine NAME` or `default`, each followed by `login`, `password` and `account`,
  /// of `macdef` with its lines, and of comments.
  ///
  /// Throws an error with the line of the first unknown word or missing value, or an error for a file without a
  /// machine.
  static func check(_ bytes: [UInt8], file: String) throws(Failure) {
    guard bytes.count <= DownloadLimits.secretFileBytesMax else { throw .secretFileTooLarge(file: file) }
    var hasMachine = false
    var isMacro = false
    var needsValue = false
    var line = 0
    for part in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      line += 1
      let words = words(part)
      if isMacro {
        // An empty line ends a macro.
        isMacro = !words.isEmpty
        continue
      }
      for word in words {
        if needsValue {
          needsValue = false
          continue
        }
        if word.utf8.first == UInt8(ascii: "#") { break }
        switch word {
        case "machine": (hasMachine, needsValue) = (true, true)
        case "default": hasMachine = true
        case "login", "password", "account":
          guard hasMachine else { throw .malformedNetrcLine(file: file, line: line) }
          needsValue = true
        case "macdef": isMacro = true
        default:
          throw .malformedNetrcLine(file: file, line: line)
        }
        if isMacro { break }
      }
    }
    if needsValue { throw .malformedNetrcLine(file: file, line: line) }
    if !hasMachine { throw .emptySecretFile(file: file, isNetrc: true) }
  }

  /// The words of a line; a word in double quotes may contain spaces.
  private static func words(_ line: ArraySlice<UInt8>) -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    var isQuoted = false
    var isEscaped = false
    for byte in line {
      if isEscaped {
        isEscaped = false
        word.append(byte)
      } else if isQuoted, byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\""), isQuoted || word.isEmpty {
        isQuoted.toggle()
        word.append(byte)
      } else if !isQuoted, byte == 0x20 || byte == 0x09 || byte == 0x0D {
        if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
        word = []
      } else {
        word.append(byte)
      }
    }
    if !word.isEmpty { words.append(String(decoding: word, as: UTF8.self)) }
    return words
  }
}
