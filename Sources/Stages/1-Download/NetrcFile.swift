// A netrc file, looked at before libcurl reads it: libcurl passes over what it does not know, and then asks without a
// password.
//
// Not for: which login belongs to which host, which libcurl finds.

/// Looks at netrc files.
enum NetrcFile {
  /// Checks that the bytes are `machine NAME` or `default`, each with `login`, `password` and `account` behind it,
  /// `macdef` and its lines, and comments.
  ///
  /// Throws the line of the first word that is none of those or lacks its value, or that there is no machine at all.
  static func check(_ bytes: [UInt8], file: String) throws(DownloadError) {
    guard bytes.count <= DownloadLimits.secretFileBytesMax else {
      throw .secretFileTooLarge(file: file, limit: DownloadLimits.secretFileBytesMax)
    }
    var hasMachine = false
    var isMacro = false
    var wantsValue = false
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
        if wantsValue {
          wantsValue = false
          continue
        }
        if word.utf8.first == UInt8(ascii: "#") { break }
        switch word {
        case "machine": (hasMachine, wantsValue) = (true, true)
        case "default": hasMachine = true
        case "login", "password", "account":
          guard hasMachine else { throw .malformedNetrcLine(file: file, line: line) }
          wantsValue = true
        case "macdef": isMacro = true
        default:
          throw .malformedNetrcLine(file: file, line: line)
        }
        if isMacro { break }
      }
    }
    if wantsValue { throw .malformedNetrcLine(file: file, line: line) }
    if !hasMachine { throw .emptySecretFile(file: file, isNetrc: true) }
  }

  /// The words of a line; one in double quotes may have blanks.
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
