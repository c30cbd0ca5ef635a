// What the server has: the manifest that `cdpipe emit` writes, as far as a phone needs it, read as untrusted input.

import Foundation

#if canImport(SampleShared)
  import SampleShared
#endif

/// Why an update was given up. What the phone had before stays.
enum UpdateError: Error, Equatable, Sendable {
  /// The server's answer has another status than 200.
  case refused(name: String, status: Int)
  /// It is not a manifest, or one of another version.
  case notAManifest
  /// A manifest that contradicts itself: a name that is none, a number twice.
  case badManifest
  /// There are shards for more extensions than the app has.
  case missingExtension(Int)
  /// A file is larger than its size in the manifest, or than any file may be.
  case tooLarge(name: String)
  /// A file can't be unpacked, or is not the one that the manifest names.
  case damaged(name: String)
}

/// A manifest.
struct RemoteManifest: Decodable, Equatable, Sendable {
  /// The largest manifest: a thousand shards with a hundred deltas each would be larger, and no app has that many.
  static let bytesMax: UInt64 = 16 << 20
  /// The largest file. 1,999,999 records with a distinct label each need less.
  static let fileBytesMax: UInt64 = 256 << 20

  /// A file beside the manifest.
  struct File: Decodable, Equatable, Sendable {
    let name: String
    let bytes: UInt64
    let sha256: String

    /// Names are names, not paths, and sizes are possible.
    var isSane: Bool {
      let isName = name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E
      }
      return isName && name.utf8.first != 0x2E && (1...RemoteManifest.fileBytesMax).contains(bytes)
    }
  }

  /// A step from one state of a shard to another.
  struct Delta: Decodable, Equatable, Sendable {
    let name: String
    let bytes: UInt64
    let sha256: String
    let from: String
    let to: String
    var file: File { File(name: name, bytes: bytes, sha256: sha256) }
  }

  /// The numbers of one extension.
  struct Shard: Decodable, Equatable, Sendable {
    let id: Int
    let name: String
    let bytes: UInt64
    let sha256: String
    let contentHash: String
    let deltas: [Delta]?
    var file: File { File(name: name, bytes: bytes, sha256: sha256) }
  }

  let format: String
  let version: Int
  let contentID: String
  let shards: [Shard]
  let bootstrap: File?

  /// Reads and checks a manifest for an app with these extensions.
  init(_ data: Data, extensions: Set<ExtensionIndex>) throws {
    guard let read = try? JSONDecoder().decode(RemoteManifest.self, from: data),
      read.format == "cdpipe-manifest",
      read.version == 1
    else { throw UpdateError.notAManifest }
    let numbers = Set(extensions.map(\.number))
    var seen = Set<Int>()
    for shard in read.shards {
      guard numbers.contains(shard.id) else { throw UpdateError.missingExtension(shard.id) }
      let files = [shard.file] + (shard.deltas ?? []).map(\.file)
      guard seen.insert(shard.id).inserted, files.allSatisfy(\.isSane) else {
        throw UpdateError.badManifest
      }
    }
    guard read.bootstrap?.isSane != false else { throw UpdateError.badManifest }
    self = read
  }
}
