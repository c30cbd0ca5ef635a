// The directory whose parameters are kept, and whose files are linked if they have not changed.

import ContentHash
import EmitStage
import KeywordDatabase
import PipeStage
import ShardDirectories
import SystemIO
import SystemPackage

/// An earlier directory.
struct LookupBaseline: Sendable {
  private let directory: LookupDirectory
  /// The SHA-256 of each shard, one after another; empty if the list of hashes is damaged.
  private let sums: [LookupUse: [UInt8]]
  private let calls: any SystemCalls

  /// Opens a directory, named in any way that ``ListInput`` accepts.
  init(_ path: String, calls: any SystemCalls) throws(StageError) {
    self.calls = calls
    do throws(ShardDirectoryError) {
      guard case .lookup(let found) = try ListInput(path, calls: calls) else {
        throw .lookup(.invalidManifest(path: path))
      }
      directory = found
    } catch {
      throw StageError(.emit, error)
    }
    sums = (try? directory.databaseSums()) ?? [:]
  }

  /// Its manifest.
  var manifest: LookupManifest { directory.manifest }

  /// The file of a shard that has the same bytes; nil if there is none. The file is read, because one that was damaged
  /// would be damaged in every later directory, too.
  func file(_ use: LookupUse, _ index: Int, of shards: Int, sha256: [UInt8]) -> FilePath? {
    let start = index * sha256.count
    guard shards == manifest[use].shards, let sums = sums[use],
      sums[start..<start + sha256.count] == sha256[...]
    else { return nil }
    let path = FilePath(directory.file(use.database(index)))
    guard let found = try? FileHash.sha256(path.string, calls: calls), found == Hexadecimal.text(sha256)
    else {
      return nil
    }
    return path
  }
}
