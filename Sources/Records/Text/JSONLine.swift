// One value as one line of JSON, for the commands with `--json`.

import FoundationEssentials

/// Formats values as lines of JSON.
package enum JSONLine {
  /// Formats a value with sorted keys, without a line feed.
  package static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Numbers and text only: encoding can't fail.
    return String(decoding: (try? encoder.encode(value)) ?? Data(), as: UTF8.self)
  }
}
