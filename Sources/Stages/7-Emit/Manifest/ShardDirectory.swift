// A directory of shards that is there, by its manifest: what is in it, and whether every byte is as it should be.
//
// For those who publish what emit wrote, and look at it before and afterwards. Not for writing one (ShardTarget).

public import CallDeltaWriter
public import CallStoreWriter
import ContentHash
import PipeStage
public import SystemIO
import SystemPackage

/// Why a directory of shards is not what its manifest says.
public enum ShardDirectoryError: Error, Sendable {
  /// The manifest can't be used.
  case manifest(ManifestError)
  /// A store is not sound.
  case store(StoreVerificationError, path: String)
  /// A delta is not sound.
  case delta(DeltaVerificationError, path: String)
  /// A store is sound, and another one than the manifest names.
  case otherStore(path: String)
  /// A file can't be opened.
  case unreadable(SystemError)
}

/// A directory of shards, as its manifest has it.
public struct ShardDirectory: Sendable {
  /// What the manifest of a directory of shards is called.
  public static var manifestName: String { ManifestNames.manifest }

  /// One shard.
  public struct Shard: Sendable {
    /// Which extension's it is, from 1.
    public let id: Int
    /// The path of its store.
    public let store: String
    /// The store's identity, 64 hexadecimal digits.
    public let contentHash: String
    /// The deltas that lead to it, by the identity of the store that they lead from: paths in the order of their steps.
    public let deltas: [String: [String]]
  }

  /// In the order of their numbers.
  public let shards: [Shard]
  private let manifest: Manifest
  private let place: ManifestLocation

  /// Reads a manifest and checks it. A directory stands for the manifest in it.
  public init(_ path: String, calls: any SystemCalls = KernelCalls()) throws(ManifestError) {
    let place = ManifestLocation(path)
    let manifest = try Manifest(reading: place.path, calls: calls)
    self.place = place
    self.manifest = manifest
    shards = manifest.shards.map { shard in
      Shard(
        id: shard.id, store: place.file(shard.store.name), contentHash: shard.store.contentHash,
        deltas: shard.chains.mapValues { $0.map { place.file($0.name) } })
    }
  }

  /// The identity of all shards together, 64 hexadecimal digits.
  public var contentID: String { manifest.contentID }
  /// Single numbers in all shards, of both kinds.
  public var entries: UInt64 { manifest.entries.sum }
  /// The names of the shards, without what lies beside them.
  public var shardNames: [String] { manifest.shards.map(\.store.name) }
  /// The names of the deltas.
  public var deltaNames: [String] { manifest.shards.flatMap { ($0.deltas ?? []).map(\.name) } }

  /// Checks every byte of every store and delta.
  ///
  /// - Complexity: O(bytes).
  public func verify() throws(ShardDirectoryError) {
    for store in manifest.shards.map(\.store) + (manifest.bootstrap.map { [$0] } ?? []) {
      let path = place.file(store.name)
      let found: [UInt8]
      do throws(StoreVerificationError) {
        found = try StoreVerification.verify(path: path)
      } catch {
        throw .store(error, path: path)
      }
      guard Hexadecimal.text(found) == store.contentHash else { throw .otherStore(path: path) }
    }
    for name in deltaNames {
      let path = place.file(name)
      let file: FileDescriptor
      do throws(Errno) {
        file = try KernelCalls().open(FilePath(path), .readOnly, [], [])
      } catch {
        throw .unreadable(SystemError(.openInput, path, error))
      }
      defer { try? KernelCalls().close(file) }
      do throws(DeltaVerificationError) {
        try DeltaVerification.verify(descriptor: file.rawValue)
      } catch {
        throw .delta(error, path: path)
      }
    }
  }
}
