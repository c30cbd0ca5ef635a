// The JSON coders that manifests use: those of FoundationEssentials on Linux, of Foundation on Apple platforms, which
// have no FoundationEssentials to import.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

package enum ManifestJSON {
  /// Decodes a value; throws `DecodingError`.
  package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    try JSONDecoder().decode(type, from: Data(bytes))
  }

  /// The text of a manifest's file: the same manifest has the same bytes.
  static func text(of manifest: Manifest) -> [UInt8] {
    var short = manifest
    short.sources = manifest.sources.map { _ in [] }
    var text = JSONText(of: short)
    text.fill("sources", manifest.sources ?? [], depth: 1)
    return text.bytes + [UInt8(ascii: "\n")]
  }
}

/// Indented JSON with sorted keys. Long arrays are encoded in pieces, because the encoder needs some twenty times the
/// memory of its text; the bytes are the same.
package struct JSONText {
  /// The number of elements to encode at a time.
  private static let pieceMax = 512

  /// The text, without a line feed at the end.
  package private(set) var bytes: [UInt8]

  /// Encodes a value that has only numbers and plain text, so that it can't fail.
  package init(of value: some Encodable) {
    bytes = Self.encoded(value)
  }

  /// Puts elements into an array that was encoded without any.
  ///
  /// - Parameters:
  ///   - key: the array's key.
  ///   - depth: the number of objects and arrays around the array.
  /// - Complexity: O(bytes).
  package mutating func fill<Element: Encodable>(_ key: String, _ elements: [Element], depth: Int) {
    guard !elements.isEmpty else { return }
    let indent = String(repeating: "  ", count: depth)
    // Strings have neither such quotes nor line feeds.
    let empty = Array("\"\(key)\" : [\n\n\(indent)]".utf8)
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: empty) }) else {
      preconditionFailure("no empty array '\(key)'")
    }
    let rest = Array(bytes[(start + empty.count)...])
    bytes.removeSubrange(start...)
    bytes += "\"\(key)\" : [".utf8
    for start in stride(from: 0, to: elements.count, by: Self.pieceMax) {
      let piece = Self.encoded(Array(elements[start..<min(start + Self.pieceMax, elements.count)]))
      if start == 0 {
        // A quarter more, since the first elements may be shorter than others.
        bytes.reserveCapacity(
          bytes.count + rest.count + piece.count * (elements.count / Self.pieceMax + 1) / 4 * 5)
      } else {
        bytes.append(UInt8(ascii: ","))
      }
      // The piece's own brackets are lines of their own.
      let lines = piece.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      for line in lines.dropFirst().dropLast() {
        bytes.append(UInt8(ascii: "\n"))
        if !line.isEmpty {
          bytes += indent.utf8
          bytes += line
        }
      }
    }
    bytes += "\n\(indent)]".utf8
    bytes += rest
  }

  private static func encoded(_ value: some Encodable) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { Array($0) } ?? []
  }
}
