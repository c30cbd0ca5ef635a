// The JSON coders that manifests use: those of FoundationEssentials on Linux, of Foundation on Apple platforms, which
// have no FoundationEssentials to import.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// JSON to values and back.
enum ManifestJSON {
  /// Decodes a value; throws `DecodingError`.
  static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }

  /// The text of a manifest's file: the same manifest has the same bytes.
  static func text(of manifest: Manifest) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and plain strings only: encoding can't fail.
    let data = (try? encoder.encode(manifest)) ?? Data()
    return Array(data) + [UInt8(ascii: "\n")]
  }
}
