// A manifest read from a file: JSON, and the values of the types that they must have. What they must fulfil besides is
// Manifest+Check's.

import CallRecord
import FoundationEssentials
import SystemIO

extension Manifest {
  /// What tells a manifest from other JSON; read first, so that a newer one is named as such.
  private struct Head: Decodable {
    var format: String?
    var version: Int?
  }

  /// Reads and checks a manifest.
  ///
  /// - Complexity: O(bytes); at most ``bytesMax`` of them are read.
  init(reading path: String, calls: any SystemCalls) throws(ManifestError) {
    let bytes = try Self.bytes(path, calls)
    if let line = Self.lineWithoutUTF8(bytes) { throw .notUTF8(path: path, line: line) }
    let decoder = JSONDecoder()
    let head: Head
    do {
      head = try decoder.decode(Head.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw Self.headError(path, error)
    } catch {
      throw .notAManifest(path: path)
    }
    guard head.format == Self.format else { throw .notAManifest(path: path) }
    guard let version = head.version else { throw .defect(.missing, path: path, key: "version") }
    guard version == Self.version else { throw .otherVersion(path: path, version: version) }
    var keys = ManifestKeys()
    if let key = keys.repeated(in: bytes) { throw .defect(.twice, path: path, key: key) }
    do {
      self = try decoder.decode(Manifest.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw Self.failure(path, error)
    } catch {
      throw .notAManifest(path: path)
    }
    try check(path)
  }

  /// The first line that is not UTF-8, from 1.
  private static func lineWithoutUTF8(_ bytes: [UInt8]) -> Int? {
    if UTF8Check.isValid(bytes.span) { return nil }
    // No byte of a longer sequence is a line feed.
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return (lines.firstIndex { !UTF8Check.isValid(Array($0).span) } ?? 0) + 1
  }

  /// The bytes of a file, ``bytesMax`` at the most.
  static func bytes(_ path: String, _ calls: any SystemCalls) throws(ManifestError) -> [UInt8] {
    do throws(SystemError) {
      let bytes = try InputFile.bytes(of: path, limit: bytesMax, calls: calls)
      if bytes.count <= bytesMax { return bytes }
    } catch {
      throw .unreadable(error)
    }
    throw .tooLarge(path: path, limit: bytesMax)
  }

  // MARK: What the decoder says

  /// An array, a text: JSON all the same, and no manifest. With a version of another type it means to be one.
  private static func headError(_ path: String, _ error: DecodingError) -> ManifestError {
    switch error {
    case .dataCorrupted(let context) where context.codingPath.isEmpty: notJSON(path, context)
    case .typeMismatch(_, let context), .dataCorrupted(let context):
      context.codingPath.last?.stringValue == "version" ? failure(path, error) : .notAManifest(path: path)
    default: .notAManifest(path: path)
    }
  }

  private static func failure(_ path: String, _ error: DecodingError) -> ManifestError {
    switch error {
    case .keyNotFound(let key, let context):
      .defect(.missing, path: path, key: text(context.codingPath + [key]))
    case .typeMismatch(_, let context):
      .defect(.wrongType, path: path, key: text(context.codingPath))
    case .valueNotFound(_, let context):
      .defect(.wrongType, path: path, key: text(context.codingPath))
    case .dataCorrupted(let context):
      // It is JSON, as was seen, so this is a number that its type can't hold; the decoder does not say which.
      .defect(.outOfRange, path: path, key: text(context.codingPath))
    @unknown default: .notAManifest(path: path)
    }
  }

  /// `shards[2].from`
  private static func text(_ keys: [any CodingKey]) -> String {
    keys.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }

  /// The decoder's error says the place in words only, such as `line: 3, column: 7`.
  private static func notJSON(_ path: String, _ context: DecodingError.Context) -> ManifestError {
    let said = context.debugDescription + " " + (context.underlyingError.map { "\($0)" } ?? "")
    return .notJSON(
      path: path, line: number(in: said, behind: "line"), column: number(in: said, behind: "column"))
  }

  private static func number(in text: String, behind word: String) -> Int? {
    guard let place = text.firstRange(of: word) else { return nil }
    let rest = text[place.upperBound...].drop { $0 == ":" || $0 == " " }
    return Int(rest.prefix { $0.isASCII && $0.isNumber })
  }
}
