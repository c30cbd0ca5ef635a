// What the server needs of a manifest: where each shard begins, and which file has which hash.
//
// Not for: the manifest's whole form (docs/formats/manifest.schema.json), opening shards (NumberLists).

package import NIOCore

/// A manifest, read as far as a server needs it.
package struct ListManifest: Equatable, Sendable {
  /// A file that stands beside the manifest.
  struct File: Equatable, Sendable, Decodable {
    var name: String
    var bytes: Int
    var sha256: String
  }

  /// A shard.
  struct Shard: Equatable, Sendable {
    /// Numbers from here up to the next shard's are this one's.
    var from: UInt64
    var file: File
    /// The store's identity.
    var contentHash: String
  }

  /// The identity of all shards together.
  var contentID: String
  /// The shards, in the order of their numbers.
  var shards: [Shard]
  /// Every file that is named.
  var files: [File]

  private struct Document: Decodable {
    struct Shard: Decodable {
      var from: UInt64
      var name: String
      var bytes: Int
      var sha256: String
      var contentHash: String
      var deltas: [File]?
    }
    var format: String
    var version: Int
    var contentID: String
    var shards: [Shard]
    var bootstrap: File?
  }

  /// Reads a manifest.
  package init(_ text: ByteBuffer) throws(ManifestRefused) {
    guard let document = JSON.value(Document.self, text) else { throw ManifestRefused(mistake: .form) }
    guard document.format == "cdpipe-manifest", document.version == 1 else {
      throw ManifestRefused(mistake: .unknownVersion)
    }
    guard document.shards.count <= ServerLimits.shardsMax else {
      throw ManifestRefused(mistake: .tooManyShards)
    }
    contentID = document.contentID
    shards = document.shards.map { shard in
      Shard(
        from: shard.from, file: File(name: shard.name, bytes: shard.bytes, sha256: shard.sha256),
        contentHash: shard.contentHash)
    }
    files = shards.map(\.file) + document.shards.flatMap { $0.deltas ?? [] }
    if let bootstrap = document.bootstrap { files.append(bootstrap) }
    guard zip(shards, shards.dropFirst()).allSatisfy({ $0.from < $1.from }) else {
      throw ManifestRefused(mistake: .order)
    }
    guard files.allSatisfy({ ListName.isServed($0.name) && ListName.isHash($0.sha256) }) else {
      throw ManifestRefused(mistake: .name)
    }
  }

  /// The shard that a number belongs to: the last one that begins at it or before it; the first has all below.
  ///
  /// - Complexity: O(log shards).
  package func shard(of number: UInt64) -> Int? {
    var low = 0
    var high = shards.count
    while low < high {
      let middle = (low + high) / 2
      if shards[middle].from <= number { low = middle + 1 } else { high = middle }
    }
    return shards.isEmpty ? nil : max(low - 1, 0)
  }
}

/// Why a manifest is none.
package struct ManifestRefused: Error, Equatable {
  package let mistake: ManifestMistake
}

/// The names under which files of published lists are served. Nothing that they allow leads out of a folder.
package enum ListName {
  /// The longest name.
  static let bytesMax = 128

  /// Whether a name is one of a file that is served: letters, digits, `-`, `_` and `.`, a letter or digit first, and an
  /// ending of ours.
  package static func isServed(_ name: some StringProtocol) -> Bool {
    isPlain(name) && (name == "manifest.json" || name.hasSuffix(".cdstore") || name.hasSuffix(".cddelta"))
  }

  /// Whether a name is a plain one, as versions' names are.
  static func isPlain(_ name: some StringProtocol) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= bytesMax else { return false }
    return isAlphanumeric(first)
      && name.utf8.allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E }
  }

  /// Whether a text is a SHA-256 in hexadecimal.
  static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
