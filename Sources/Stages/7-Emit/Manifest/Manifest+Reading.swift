// A manifest read from a file, and held to everything that it must fulfil before anything in it is believed.

import CallStoreFormat
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
  init(reading path: String, calls: any SystemCalls) throws(ManifestFailure) {
    let bytes = try Self.bytes(path, calls)
    let decoder = JSONDecoder()
    let head: Head
    do {
      head = try decoder.decode(Head.self, from: Data(bytes))
    } catch let error as DecodingError {
      // An array, a text, a version that is a text: JSON all the same.
      if case .dataCorrupted(let context) = error { throw Self.notJSON(path, context) }
      throw .notAManifest(path: path)
    } catch {
      throw .notAManifest(path: path)
    }
    guard head.format == Self.format, let version = head.version else { throw .notAManifest(path: path) }
    guard version == Self.version else { throw .otherVersion(path: path, version: version) }
    do {
      self = try decoder.decode(Manifest.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw Self.failure(path, error)
    } catch {
      throw .notAManifest(path: path)
    }
    try check(path)
  }

  /// The bytes of a file, ``bytesMax`` at the most.
  static func bytes(_ path: String, _ calls: any SystemCalls) throws(ManifestFailure) -> [UInt8] {
    do throws(SystemFailure) {
      var file = try InputFile(path, calls: calls)
      var bytes: [UInt8] = []
      var chunk = ByteChunk()
      while try file.read(into: &chunk) > 0, bytes.count <= bytesMax {
        for index in 0..<chunk.count { bytes.append(chunk.span[index]) }
        chunk.removeAll()
      }
      if bytes.count <= bytesMax { return bytes }
    } catch {
      throw .unreadable(error)
    }
    throw .tooLarge(path: path, limit: bytesMax)
  }

  // MARK: What the decoder says

  private static func failure(_ path: String, _ error: DecodingError) -> ManifestFailure {
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
  private static func notJSON(_ path: String, _ context: DecodingError.Context) -> ManifestFailure {
    let said = context.debugDescription + " " + (context.underlyingError.map { "\($0)" } ?? "")
    return .notJSON(
      path: path, line: number(in: said, behind: "line"), column: number(in: said, behind: "column"))
  }

  private static func number(in text: String, behind word: String) -> Int? {
    guard let place = text.firstRange(of: word) else { return nil }
    let rest = text[place.upperBound...].drop { $0 == ":" || $0 == " " }
    return Int(rest.prefix { $0.isASCII && $0.isNumber })
  }

  // MARK: What it must fulfil

  private func check(_ path: String) throws(ManifestFailure) {
    func demand(_ isRight: Bool, _ defect: ManifestDefect, _ key: String) throws(ManifestFailure) {
      if !isRight { throw .defect(defect, path: path, key: key) }
    }
    try demand(maxEntries >= 1, .outOfRange, "maxEntries")
    try demand(shards.count <= EmitOptions.shardsMax, .outOfRange, "shards")
    var ids: Set<Int> = []
    var previous: UInt64 = 0
    for (index, shard) in shards.enumerated() {
      let key = "shards[\(index)]"
      // An id grows by one a split at the most, and names a file.
      try demand((1...Self.idMax).contains(shard.id), .outOfRange, "\(key).id")
      try demand(ids.insert(shard.id).inserted, .notInOrder, "\(key).id")
      try demand((1...StoreLimits.numberMax).contains(shard.from), .outOfRange, "\(key).from")
      try demand(index > 0 || shard.from == 1, .outOfRange, "\(key).from")
      try demand(shard.from > previous, .notInOrder, "\(key).from")
      previous = shard.from
      try demand(ManifestNames.hash(shard.store.contentHash) != nil, .notAHash, "\(key).contentHash")
      try demand(ManifestNames.hash(shard.store.sha256) != nil, .notAHash, "\(key).sha256")
      try demand(ManifestNames.isOurs(shard.store.name), .notAName, "\(key).name")
      for (place, delta) in (shard.deltas ?? []).enumerated() {
        try demand(ManifestNames.isOurs(delta.name), .notAName, "\(key).deltas[\(place)].name")
      }
    }
    if let bootstrap { try demand(ManifestNames.isOurs(bootstrap.name), .notAName, "bootstrap.name") }
    try demand(contentID == Self.contentID(of: shards), .contradiction, "contentID")
  }

  /// The highest id of a shard: far beyond what splits can reach, and short enough for a file's name.
  static let idMax = 999_999
}
