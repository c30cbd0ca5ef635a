// The files that a server offers for download: their sizes and hashes, and the names that a request may use.
//
// Not for the manifest's format (CallManifest) or opening shards (NumberLists).

import CallManifest

/// A file that a manifest names.
struct ListedFile: Equatable, Sendable {
  var name: String
  var bytes: UInt64
  var sha256: String

  /// All files that a manifest names.
  static func all(in manifest: Manifest) -> [ListedFile] {
    var stores = manifest.shards.map(\.store)
    if let bootstrap = manifest.bootstrap { stores.append(bootstrap) }
    let deltas = manifest.shards.flatMap { $0.deltas ?? [] }
    return stores.map { ListedFile(name: $0.name, bytes: $0.bytes, sha256: $0.sha256) }
      + deltas.map { ListedFile(name: $0.name, bytes: $0.bytes, sha256: $0.sha256) }
  }
}

/// The names under which files of published lists are served. No valid name leads out of a folder.
package enum ListName {
  /// The maximum length of a name in bytes.
  static let bytesMax = 128
  /// The signature of the manifest, the only file of a version that changes: it is renewed every night.
  static let signature = ManifestSignature.fileName

  /// Whether a name is valid for a served file: letters, digits, `-`, `_` and `.`, starting with a letter or digit,
  /// with one of our extensions.
  package static func isServed(_ name: some StringProtocol) -> Bool {
    isPlain(name)
      && (name == "manifest.json" || name == signature || name.hasSuffix(".cdstore")
        || name.hasSuffix(".cddelta"))
  }

  /// Whether a name is plain, like those of versions.
  static func isPlain(_ name: some StringProtocol) -> Bool {
    guard let first = name.utf8.first, name.utf8.count <= bytesMax else { return false }
    return isAlphanumeric(first)
      && name.utf8.allSatisfy { isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E }
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }
}
