// A version of published lists: its manifest, its shards for lookups, its folder for downloads.
//
// Not for responding to requests (ListRequest) or deciding when to open a new version (Reloadable).

import CallManifest
import NIOCore

/// An open version of published lists. Its folder stays open, so that a request continues with the version that it
/// started with.
///
/// The path is a published directory, whose `current` leads to the version, or a directory of shards.
final class NumberLists: Opened {
  /// The folder with the shards and the manifest.
  let folder: OpenFile
  /// The manifest's bytes.
  let manifestBytes: ByteBuffer
  /// The entity tag of the manifest.
  let manifestTag: String
  /// The manifest.
  let manifest: Manifest
  /// The sizes and hashes of the files that the manifest names.
  let filesByName: [String: ListedFile]
  let otherFiles: [String] = []
  private let shards: [OpenStore]

  init(path: String) throws(SiteError) {
    let place = Self.place(of: path)
    let manifestPath = Self.mainFile(at: path)
    let folder: OpenFile
    let file: OpenFile
    do throws(FileError) {
      folder = try OpenFile(path: place)
      file = try folder.file(named: Self.manifestName)
    } catch {
      throw .cannotRead(path: manifestPath, errno: error.errno)
    }
    let bytes = try file.bytes(path: manifestPath, bytesMax: ServerLimits.manifestBytesMax)
    let manifest: Manifest
    do throws(ManifestError) {
      manifest = try Manifest(bytes: Array(bytes.readableBytesView))
    } catch {
      throw .manifest(path: manifestPath, error)
    }
    var shards: [OpenStore] = []
    for shard in manifest.shards { shards.append(try Self.open(shard, in: folder, place)) }
    self.folder = folder
    manifestBytes = bytes
    manifestTag = EntityTag.of(bytes)
    self.manifest = manifest
    self.shards = shards
    filesByName = Dictionary(
      ListedFile.all(in: manifest).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  static let manifestName = Manifest.fileName

  static func mainFile(at path: String) -> String { "\(place(of: path))/\(manifestName)" }

  private static func place(of path: String) -> String {
    let current = path + "/current"
    return FileSignature(path: current) == nil ? path : current
  }

  private static func open(
    _ shard: Manifest.Shard, in folder: OpenFile, _ place: String
  ) throws(SiteError) -> OpenStore {
    let path = "\(place)/\(shard.store.name)"
    let file: OpenFile
    do throws(FileError) {
      file = try folder.file(named: shard.store.name)
    } catch {
      throw .cannotRead(path: path, errno: error.errno)
    }
    let store = try OpenStore(file, path: path)
    // The hash is read, not computed. Blocks are checked when they are decoded first.
    guard UInt64(file.stamp.size) == shard.store.bytes, store.contentHash == shard.store.contentHash else {
      throw .otherShard(path: path)
    }
    return store
  }

  /// Looks up a number in its shard.
  func find(_ number: UInt64) throws(SiteError) -> FoundNumber? {
    guard let shard = manifest.shardIndex(of: number) else { return nil }
    return try shards[shard].find(number)
  }
}

/// Computes entity tags.
enum EntityTag {
  /// The tag of bytes. The hash need not resist attacks: anyone who can choose the bytes can also replace them.
  static func of(_ bytes: ByteBuffer) -> String {
    // FNV-1a, 64 bits.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes.readableBytesView { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    return "\"\(String(bytes.readableBytes, radix: 16))-\(String(hash, radix: 16))\""
  }

  /// The tag of a file whose hash is in the manifest: the same on every server.
  static func of(_ file: ListedFile) -> String { "\"\(file.sha256)\"" }

  /// The tag of another file.
  static func of(_ stamp: FileSignature) -> String {
    let parts = [Int(truncatingIfNeeded: stamp.inode), stamp.size, stamp.seconds, stamp.nanoseconds]
    return "\"" + parts.map { String(UInt(bitPattern: $0), radix: 16) }.joined(separator: "-") + "\""
  }
}
