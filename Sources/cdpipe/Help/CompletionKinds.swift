// The kinds of values that a shell completes, for options of several commands.

import ArgumentParser
import NumberPlan
import InputStages

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

  /// An encoding: those that were tested; iconv accepts others, too.
  static var encoding: CompletionKind {
    .list([ParseOptions.recognisedEncoding] + KnownEncoding.all.map(\.name))
  }
}
