// The encodings of lists from many countries: those that shells complete, and that messages suggest. iconv accepts
// others, too.

/// Names of encodings.
public enum EncodingNames {
  /// The encodings of lists from many countries.
  public static let common = [
    "UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "GB18030", "GBK", "BIG5", "BIG5-HKSCS", "SHIFT_JIS", "CP932",
    "EUC-JP", "EUC-KR", "CP949", "ISO-8859-1", "ISO-8859-2", "ISO-8859-5", "ISO-8859-7", "ISO-8859-9",
    "ISO-8859-15",
    "WINDOWS-1250", "WINDOWS-1251", "WINDOWS-1252", "WINDOWS-1253", "WINDOWS-1254", "WINDOWS-1255",
    "WINDOWS-1256",
    "WINDOWS-1258", "KOI8-R", "TIS-620",
  ]

  /// The hint for an encoding that iconv does not support.
  static func hint(_ name: String) -> String {
    KeySuggestion.nearest(name, common).map { "did you mean '\($0)'?" }
      ?? "list this system's encodings with 'iconv -l'"
  }
}
