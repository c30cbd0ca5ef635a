// The encodings that `parse` was tested with: which texts each is used for, and how it is recognised.
//
// Not for: which encodings there are (KnownEncoding).

import Records

/// Formats the list of encodings.
package enum EncodingMessages {
  /// The table that `cdpipe parse --encodings` prints: one line per encoding, or a
  /// paragraph if the lines are longer than `width`.
  package static func table(width: Int? = nil) -> String {
    TextTable.lines(
      [["encoding", "used for", "recognised by --encoding auto"]]
        + KnownEncoding.available.map { [$0.name, use($0.name), recognition($0.recognition)] }, width: width)
  }

  /// The JSON form of an encoding.
  private struct EncodingDocument: Encodable {
    var encoding: String
    var use: String
    var recognition: String
  }

  /// The encodings as JSON, one object per line.
  package static func json() -> String {
    KnownEncoding.available.map {
      JSONLine.text(
        EncodingDocument(encoding: $0.name, use: use($0.name), recognition: $0.recognition.rawValue)) + "\n"
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

  private static func use(_ name: String) -> String {
    switch name {
    case "UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE": "all languages"
    case "GB18030": "simplified Chinese, with GBK and GB2312"
    case "BIG5": "traditional Chinese"
    case "BIG5-HKSCS": "traditional Chinese, Hong Kong"
    case "CP932": "Japanese, Windows' Shift_JIS"
    case "EUC-JP": "Japanese, Unix"
    case "EUC-KR": "Korean"
    case "CP949": "Korean, Windows"
    case "WINDOWS-1252": "Western European, Windows"
    case "ISO-8859-1", "ISO-8859-15": "Western European, Unix"
    case "IBM850": "Western European, DOS"
    case "MACINTOSH": "Western European, Mac OS 9"
    case "WINDOWS-1250": "Central European, Windows"
    case "ISO-8859-2": "Central European, Unix"
    case "WINDOWS-1251": "Cyrillic, Windows"
    case "KOI8-U", "KOI8-R", "ISO-8859-5": "Cyrillic, Unix"
    case "IBM866": "Cyrillic, DOS"
    case "MAC-CYRILLIC": "Cyrillic, Mac OS 9"
    case "WINDOWS-1253", "ISO-8859-7": "Greek"
    case "WINDOWS-1254": "Turkish"
    case "WINDOWS-1255": "Hebrew"
    case "WINDOWS-1256": "Arabic"
    case "TIS-620": "Thai"
    case "WINDOWS-1257": "Baltic"
    case "WINDOWS-1258": "Vietnamese"
    default: ""
    }
  }
}
