// The encodings that lists are in, as far as they were tested. `parse` accepts all other names of iconv, too.

import Records

package struct KnownEncoding: Sendable, Equatable {
  enum Recognition: String, Sendable {
    /// By a byte order mark.
    case mark
    case bytes
    /// By its bytes, if libuchardet is installed.
    case library
    /// Not at all: it has to be named.
    case name
  }

  /// The name, as iconv and `parse` accept it.
  package let name: String
  let recognition: Recognition
  /// The texts that it is used for.
  let use: String
  /// The answers of libuchardet for texts that may be in this encoding, besides its name.
  let libraryNames: [String]

  private init(_ name: String, _ recognition: Recognition, _ use: String, _ libraryNames: [String] = []) {
    self.name = name
    self.recognition = recognition
    self.use = use
    self.libraryNames = libraryNames
  }

  package static let all = [
    KnownEncoding("UTF-8", .bytes, "all languages"),
    KnownEncoding("UTF-16LE", .bytes, "all languages"),
    KnownEncoding("UTF-16BE", .bytes, "all languages"),
    KnownEncoding("UTF-32LE", .mark, "all languages"),
    KnownEncoding("UTF-32BE", .mark, "all languages"),
    KnownEncoding("GB18030", .bytes, "simplified Chinese, with GBK and GB2312"),
    KnownEncoding("BIG5", .bytes, "traditional Chinese"),
    KnownEncoding("BIG5-HKSCS", .bytes, "traditional Chinese, Hong Kong", ["BIG5"]),
    KnownEncoding("CP932", .bytes, "Japanese, Windows' Shift_JIS", ["SHIFT_JIS"]),
    KnownEncoding("EUC-JP", .bytes, "Japanese, Unix"), KnownEncoding("EUC-KR", .bytes, "Korean", ["UHC"]),
    KnownEncoding("CP949", .bytes, "Korean, Windows", ["EUC-KR", "UHC"]),
    KnownEncoding("WINDOWS-1252", .bytes, "Western European, Windows", ["ISO-8859-1", "ISO-8859-15"]),
    KnownEncoding("ISO-8859-1", .name, "Western European, Unix"),
    KnownEncoding("ISO-8859-15", .name, "Western European, Unix"),
    KnownEncoding("IBM850", .bytes, "Western European, DOS"),
    KnownEncoding("MACINTOSH", .bytes, "Western European, Mac OS 9"),
    KnownEncoding("WINDOWS-1250", .bytes, "Central European, Windows", ["ISO-8859-2"]),
    KnownEncoding("ISO-8859-2", .bytes, "Central European, Unix", ["WINDOWS-1250"]),
    KnownEncoding("WINDOWS-1251", .bytes, "Cyrillic, Windows"),
    KnownEncoding("KOI8-U", .bytes, "Cyrillic, Unix", ["KOI8-R"]),
    KnownEncoding("KOI8-R", .name, "Cyrillic, Unix"), KnownEncoding("ISO-8859-5", .bytes, "Cyrillic, Unix"),
    KnownEncoding("IBM866", .bytes, "Cyrillic, DOS"),
    KnownEncoding("MAC-CYRILLIC", .library, "Cyrillic, Mac OS 9"),
    KnownEncoding("WINDOWS-1253", .bytes, "Greek", ["ISO-8859-7"]),
    KnownEncoding("ISO-8859-7", .library, "Greek", ["WINDOWS-1253"]),
    KnownEncoding("WINDOWS-1254", .library, "Turkish", ["ISO-8859-9"]),
    KnownEncoding("WINDOWS-1255", .library, "Hebrew", ["ISO-8859-8"]),
    KnownEncoding("WINDOWS-1256", .library, "Arabic"),
    KnownEncoding("TIS-620", .library, "Thai"),
    KnownEncoding("WINDOWS-1257", .name, "Baltic"),
    KnownEncoding("WINDOWS-1258", .name, "Vietnamese"),
  ]

  /// The encodings that the system's iconv supports.
  package static var available: [KnownEncoding] { all.filter { TextDecoder.isKnown($0.name) } }

  /// The names of the encodings that a text may have if libuchardet names one for it: the one that it names first.
  /// Empty for encodings of which its answers are too often wrong.
  static func names(forLibrary answer: String) -> [String] {
    let named = all.filter { $0.name == answer && $0.recognition != .name }
    return (named + all.filter { $0.name != answer && $0.libraryNames.contains(answer) }).map(\.name)
  }
}

/// Formats the list of encodings.
package enum EncodingText {
  /// The table that `cdpipe parse --encodings` prints: one line per encoding, or a
  /// paragraph if the lines are longer than `width`.
  package static func table(width: Int? = nil) -> String {
    TextTable.lines(
      [["encoding", "used for", "recognised by --encoding auto"]]
        + KnownEncoding.available.map { [$0.name, $0.use, recognition($0.recognition)] }, width: width)
  }

  /// The JSON form of an encoding.
  private struct EncodingDocument: Encodable {
    var encoding: String
    var use: String
    var recognition: String
  }

  package static func json() -> String {
    KnownEncoding.available.map {
      JSONLine.text(
        EncodingDocument(encoding: $0.name, use: $0.use, recognition: $0.recognition.rawValue)) + "\n"
    }.joined()
  }

  private static func recognition(_ recognition: KnownEncoding.Recognition) -> String {
    switch recognition {
    case .mark: "yes, by a byte order mark"
    case .bytes: "yes"
    case .library: "yes, if libuchardet is installed"
    case .name: "no"
    }
  }
}

package enum EncodingNames {
  /// Suggests a tested encoding with a similar name, or the lists of all.
  package static func hint(_ name: String) -> String {
    KeySuggestion.nearest(name, KnownEncoding.all.map(\.name)).map { "did you mean '\($0)'?" }
      ?? "'cdpipe parse --encodings' lists those of most lists, 'iconv -l' all that this system has"
  }
}
