// The directory whose parameters are kept, and whose files are linked if they have not changed.

import Hashing
import StoreWriting
import Records
import SystemIO
import SystemPackage

/// An earlier directory.
struct LookupBaseline: Sendable {
  private let directory: LookupDirectory
  /// The SHA-256 of each shard, one after another; empty if the list of hashes is damaged.
  private let sums: [LookupUse: [UInt8]]
  private let calls: any SystemCalls

  /// Opens a directory, named in any way that ``ListInput`` accepts.
  init(_ path: String, calls: any SystemCalls) throws(Failure) {
    self.calls = calls
    directory = try Self.directory(path, calls)
    sums = (try? directory.databaseSums()) ?? [:]
  }

  private static func directory(
    _ path: String, _ calls: any SystemCalls
  ) throws(Failure) -> LookupDirectory {
    do throws(ShardDirectoryError) {
      if case .lookup(let directory) = try ListInput(path, calls: calls) { return directory }
    } catch {
      throw Failure(.emit, error)
    }
    do throws(LookupDirectoryError) {
      return try LookupDirectory(path, calls: calls)
    } catch {
      throw Failure(.emit, error)
    }
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
