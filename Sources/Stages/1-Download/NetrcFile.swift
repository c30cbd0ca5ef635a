// Checks netrc files before libcurl reads them: libcurl ignores what it does not understand, and then sends no
// password.
//
// Not for: finding the login for a host, which libcurl does.

/// Checks netrc files.
enum NetrcFile {
  /// Checks that the file consists of `machine NAME` or `default`, each followed by `login`, `password` and `account`,
  /// of `macdef` with its lines, and of comments.
  ///
  /// Throws an error with the line of the first unknown word or missing value, or an error for a file without a
  /// machine.
  static func check(_ bytes: [UInt8], file: String) throws(DownloadError) {
    guard bytes.count <= DownloadLimits.secretFileBytesMax else {
      throw .secretFileTooLarge(file: file, limit: DownloadLimits.secretFileBytesMax)
    }
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
