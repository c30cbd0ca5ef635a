// The kinds of values that a shell completes, for options of several commands.

import ArgumentParser
import NumberPlan

extension CompletionKind {
  /// A text that can't be completed. With an argument that has no kind at all, zsh lists an option at the first TAB, and
  /// completes it only at the second.
  static var nothing: CompletionKind { .list([]) }

  /// A store, a delta or a manifest. Directories are always offered.
  static var store: CompletionKind { .file(extensions: ["cdstore", "cddelta", "json"]) }
  /// A pipeline file.
  static var pipelineFile: CompletionKind { .file(extensions: ["yaml", "yml"]) }
  /// Message rules, as text or compiled.
  static var ruleFile: CompletionKind { .file(extensions: ["yaml", "yml", "json", "cdrules"]) }

  /// The code of a region. The codes are looked up when a shell asks for them, not at each start of a filter.
  static var region: CompletionKind {
    .custom { _, _, prefix in
      let codes = Region.all.map(\.code)
      return prefix.first?.isLowercase == true ? codes.map { $0.lowercased() } : codes
    }
  }

  /// An encoding: those of lists from many countries; iconv accepts others, too.
  static var encoding: CompletionKind { .list(encodings) }

  private static let encodings = [
    "UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "GB18030", "GBK", "BIG5", "BIG5-HKSCS", "SHIFT_JIS", "CP932",
    "EUC-JP", "EUC-KR", "CP949", "ISO-8859-1", "ISO-8859-2", "ISO-8859-5", "ISO-8859-7", "ISO-8859-9",
    "ISO-8859-15",
    "WINDOWS-1250", "WINDOWS-1251", "WINDOWS-1252", "WINDOWS-1253", "WINDOWS-1254", "WINDOWS-1255",
    "WINDOWS-1256",
    "WINDOWS-1258", "KOI8-R", "TIS-620",
  ]
}
