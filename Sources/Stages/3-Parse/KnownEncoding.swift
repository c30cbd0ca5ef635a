// The encodings that lists are in, as far as they were tested. `parse` accepts all other names of iconv, too.
//
// Not for: recognising one of them (EncodingGuess).

/// An encoding that was tested.
package struct KnownEncoding: Sendable, Equatable {
  /// How an encoding is recognised.
  enum Recognition: String, Sendable {
    /// By a byte order mark.
    case mark
    /// By its bytes.
    case bytes
    /// By its bytes, if libuchardet is installed.
    case library
    /// Not at all: it has to be named.
    case name
  }

  /// The name, as iconv and `parse` accept it.
  package let name: String
  /// How it is recognised.
  let recognition: Recognition
  /// The answers of libuchardet for texts that may be in this encoding, besides its name.
  let libraryNames: [String]

  private init(_ name: String, _ recognition: Recognition, _ libraryNames: [String] = []) {
    self.name = name
    self.recognition = recognition
    self.libraryNames = libraryNames
  }

  /// The encodings, grouped by language.
  package static let all = [
    KnownEncoding("UTF-8", .bytes),
    KnownEncoding("UTF-16LE", .bytes),
    KnownEncoding("UTF-16BE", .bytes),
    KnownEncoding("UTF-32LE", .mark),
    KnownEncoding("UTF-32BE", .mark),
    KnownEncoding("GB18030", .bytes),
    KnownEncoding("BIG5", .bytes),
    KnownEncoding("BIG5-HKSCS", .bytes, ["BIG5"]),
    KnownEncoding("CP932", .bytes, ["SHIFT_JIS"]),
    KnownEncoding("EUC-JP", .bytes),
    KnownEncoding("EUC-KR", .bytes, ["UHC"]),
    KnownEncoding("CP949", .bytes, ["EUC-KR", "UHC"]),
    KnownEncoding("WINDOWS-1252", .bytes, ["ISO-8859-1", "ISO-8859-15"]),
    KnownEncoding("ISO-8859-1", .name),
    KnownEncoding("ISO-8859-15", .name),
    KnownEncoding("IBM850", .bytes),
    KnownEncoding("MACINTOSH", .bytes),
    KnownEncoding("WINDOWS-1250", .bytes, ["ISO-8859-2"]),
    KnownEncoding("ISO-8859-2", .bytes, ["WINDOWS-1250"]),
    KnownEncoding("WINDOWS-1251", .bytes),
    KnownEncoding("KOI8-U", .bytes, ["KOI8-R"]),
    KnownEncoding("KOI8-R", .name),
    KnownEncoding("ISO-8859-5", .bytes),
    KnownEncoding("IBM866", .bytes),
    KnownEncoding("MAC-CYRILLIC", .library),
    KnownEncoding("WINDOWS-1253", .bytes, ["ISO-8859-7"]),
    KnownEncoding("ISO-8859-7", .library, ["WINDOWS-1253"]),
    KnownEncoding("WINDOWS-1254", .library, ["ISO-8859-9"]),
    KnownEncoding("WINDOWS-1255", .library, ["ISO-8859-8"]),
    KnownEncoding("WINDOWS-1256", .library),
    KnownEncoding("TIS-620", .library),
    KnownEncoding("WINDOWS-1257", .name),
    KnownEncoding("WINDOWS-1258", .name),
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
