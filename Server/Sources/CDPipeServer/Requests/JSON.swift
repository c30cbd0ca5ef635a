// Writing and reading small JSON texts.

import NIOCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads and writes JSON.
enum JSON {
  /// Formats a text as a JSON string.
  static func string(_ text: String) -> String {
    var json = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": json += "\\\""
      case "\\": json += "\\\\"
      case "\n": json += "\\n"
      case "\r": json += "\\r"
      case "\t": json += "\\t"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        json += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: json.unicodeScalars.append(scalar)
      }
    }
    return json + "\""
  }

  /// Encodes a value as JSON; nil if it can't be encoded.
  static func text(_ value: some Encodable) -> ByteBuffer? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(value) else { return nil }
    return ByteBuffer(bytes: data)
  }

  /// Decodes a value; nil if the text is not JSON or has another structure.
  static func value<Value: Decodable>(_ type: Value.Type, _ text: ByteBuffer) -> Value? {
    try? JSONDecoder().decode(type, from: Data(text.readableBytesView))
  }
}
