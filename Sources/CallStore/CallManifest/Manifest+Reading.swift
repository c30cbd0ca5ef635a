// Reads a manifest: JSON, and values of the types that it needs. Manifest+Check validates the values.

extension Manifest {
  /// What distinguishes a manifest from other JSON. Read first, so that a newer version is reported as such.
  private struct FormatHeader: Decodable {
    var format: String?
    var version: Int?
  }

  /// Reads and validates a manifest.
  ///
  /// Everything that follows from the text alone is checked: types, limits, order, and that no two values contradict
  /// each other.
  ///
  /// - Complexity: O(bytes). The caller enforces ``bytesMax``.
  public init(bytes: [UInt8]) throws(ManifestError) {
    if let line = Self.lineWithoutUTF8(bytes) { throw .notUTF8(line: line) }
    let header: FormatHeader
    do {
      header = try ManifestJSON.decode(FormatHeader.self, from: bytes)
    } catch let error as DecodingError {
      throw Self.headerError(error)
    } catch {
      throw .notAManifest
    }
    guard header.format == Self.format else { throw .notAManifest }
    guard let version = header.version else { throw .invalid(.missing, key: "version") }
    guard version == Self.version else { throw .unsupportedVersion(version) }
    var scanner = DuplicateKeyScanner()
    if let key = scanner.firstDuplicate(in: bytes) { throw .invalid(.duplicateKey, key: key) }
    do {
      self = try ManifestJSON.decode(Manifest.self, from: bytes)
    } catch let error as DecodingError {
      throw Self.valueError(error)
    } catch {
      throw .notAManifest
    }
    try check()
  }

  /// The first line that is not UTF-8, from 1.
  private static func lineWithoutUTF8(_ bytes: [UInt8]) -> Int? {
    if isUTF8(bytes[...]) { return nil }
    // No byte of a longer sequence is a line feed.
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    return (lines.firstIndex { !isUTF8($0) } ?? 0) + 1
  }

  /// Decoding replaces invalid bytes, so only valid ones survive it unchanged.
  private static func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
    String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
  }

  // MARK: The decoder's errors

  /// JSON of another form is not a manifest. With a version of the wrong type it is meant to be one.
  private static func headerError(_ error: DecodingError) -> ManifestError {
    switch error {
    case .dataCorrupted(let context) where context.codingPath.isEmpty: notJSON(context)
    case .typeMismatch(_, let context), .dataCorrupted(let context):
      context.codingPath.last?.stringValue == "version" ? valueError(error) : .notAManifest
    default: .notAManifest
    }
  }

  private static func valueError(_ error: DecodingError) -> ManifestError {
    switch error {
    case .keyNotFound(let key, let context): .invalid(.missing, key: path(context.codingPath + [key]))
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      .invalid(.wrongType, key: path(context.codingPath))
    case .dataCorrupted(let context):
      // The text is valid JSON, so this is a number too large for its type. The decoder does not report which.
      .invalid(.outOfRange, key: path(context.codingPath))
    @unknown default: .notAManifest
    }
  }

  /// A key's path as text, such as `shards[2].from`.
  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += (text.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }

  /// The decoder reports line and column only as prose, such as `line: 3, column: 7`.
  private static func notJSON(_ context: DecodingError.Context) -> ManifestError {
    let text = context.debugDescription + " " + (context.underlyingError.map { "\($0)" } ?? "")
    return .notJSON(line: number(after: "line", in: text), column: number(after: "column", in: text))
  }

  private static func number(after word: String, in text: String) -> Int? {
    // The texts are short ASCII sentences.
    let (bytes, word) = (Array(text.utf8), Array(word.utf8))
    guard bytes.count >= word.count else { return nil }
    let start = (0...bytes.count - word.count).first { bytes[$0...].starts(with: word) }
    guard let start else { return nil }
    let rest = bytes[(start + word.count)...].drop { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: " ") }
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}
