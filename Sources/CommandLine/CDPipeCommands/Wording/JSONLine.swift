// One value as one line of JSON, for the commands with `--json`.

import FoundationEssentials

enum JSONLine {
  /// The value's JSON, keys sorted, without a line end.
  static func text(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Numbers and text only: there is nothing that can't be encoded.
    return String(decoding: (try? encoder.encode(value)) ?? Data(), as: UTF8.self)
  }
}
