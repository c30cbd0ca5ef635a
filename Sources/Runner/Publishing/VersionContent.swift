// The content of a version and its identity.

package import StoreWriting
import CallManifest
import Hashing
import FoundationEssentials
package import Records
package import SystemIO
import SystemPackage

/// The content of a version's folder.
struct VersionContent {
  /// The identity: the manifest's `contentID` if the version contains only shards, otherwise a SHA-256 of that and the
  /// other files.
  let id: String
  fileprivate let shards: ShardDirectory

  /// The count of single numbers in the shards.
  var entries: UInt64 { shards.entries }
  /// The count of single numbers of each kind.
  var kinds: KindCounts { shards.manifest.entries }

  /// The version's folder.
  let path: String

  /// Reads the manifest and hashes the files that are neither shards nor deltas.
  init(_ path: String, calls: any SystemCalls) throws(Failure) {
    let shards: ShardDirectory
    do throws(ShardDirectoryError) {
      shards = try ShardDirectory(path, calls: calls)
    } catch {
      throw Failure(nil, PublishError.noManifest(error))
    }
    // The content id covers shards and deltas. The manifest is not hashed because it also records the sources; its
    // signature changes every night.
    let known = Set(shards.shardNames + shards.deltaNames + [Manifest.fileName, ManifestSignature.fileName])
    var hash = SHA256Hasher()
    hash.update("\(shards.contentID)\n")
    var hasOthers = false
    do throws(SystemError) {
      // A lock file that could not be removed is not part of the version.
      for name in try DirectoryTree.files(path, calls: calls) where !known.contains(name) && name != ".lock" {
        hasOthers = true
        let digest = try FileHash.sha256(path + "/" + name, calls: calls)
        hash.update("\(digest) \(name)\n")
      }
    } catch {
      throw Failure(nil, error)
    }
    self.shards = shards
    self.path = path
    id = hasOthers ? hash.hex : shards.contentID
  }

  /// The single numbers that differ from an earlier version, from the deltas that start there; nil if the manifest has no
  /// deltas, or the earlier version can't be read.
  func changes(since earlier: String, calls: any SystemCalls) -> NumberChanges? {
    guard let old = try? ShardDirectory(earlier, calls: calls) else { return nil }
    return try? shards.changes(since: old.shards)
  }

  /// Reads all stores and deltas back and checks every byte.
  func verify() throws(Failure) {
    do throws(ShardDirectoryError) {
      try shards.verify()
    } catch {
      throw Failure(nil, PublishError.failedVerification(error))
    }
  }
}

extension ShardDirectory {
  /// The files in the folder of a published version that its manifest does not name, if the folder's content is not
  /// that of the version: at least one of them was added or changed. Empty for any other directory.
  ///
  /// - Complexity: O(bytes of these files).
  package func unlistedFiles(calls: any SystemCalls = KernelCalls()) throws(Failure) -> [String] {
    guard let version else { return [] }
    let folder = FilePath(manifestPath).removingLastComponent()
    guard try VersionContent(folder.string, calls: calls).id != version else { return [] }
    let listed = manifest.fileNames.union([Manifest.fileName, ManifestSignature.fileName, ".lock"])
    do throws(SystemError) {
      return try DirectoryTree.files(folder.string, calls: calls).filter { !listed.contains($0) }
        .map { folder.appending($0).string }
    } catch {
      throw Failure(nil, error)
    }
  }
}

extension PublishedFolder {
  /// The signatures of a version's files, without reading their content; nil if one is inaccessible. The signature of
  /// the manifest is left out: it is checked by itself.
  ///
  /// - Complexity: O(files).
  func looks(of id: String, calls: any SystemCalls) -> PublishState.VerifiedFiles? {
    var text = ""
    guard let names = try? DirectoryTree.files(version(id), calls: calls) else { return nil }
    for name in names where name != ManifestSignature.fileName {
      guard let stamp = FileSignature(of: version(id) + "/" + name, calls: calls) else { return nil }
      text += "\(stamp.size) \(stamp.modified) \(name)\n"
    }
    return PublishState.VerifiedFiles(version: id, looks: SHA256Hasher.hex(of: text))
  }

  /// The size of all files in a version's folder.
  ///
  /// - Complexity: O(files).
  func bytes(of version: String, calls: any SystemCalls) throws(SystemError) -> UInt64 {
    var bytes: UInt64 = 0
    for name in try DirectoryTree.files(version, calls: calls) {
      let path = version + "/" + name
      do throws(Errno) {
        bytes &+= UInt64(clamping: try calls.status(FilePath(path), followsLinks: false).size)
      } catch {
        throw SystemError(.openInput, path, error)
      }
    }
    return bytes
  }

  /// Whether a version contains nothing but files and folders, so that stores and deltas can be opened by their paths.
  ///
  /// - Complexity: O(files).
  func hasOnlyFiles(_ id: String, calls: any SystemCalls) throws(SystemError) -> Bool {
    for name in try DirectoryTree.files(version(id), calls: calls) {
      let path = version(id) + "/" + name
      do throws(Errno) {
        guard try calls.status(FilePath(path), followsLinks: false).type == .regular else { return false }
      } catch {
        if error == .notPermitted { return false }
        throw SystemError(.openInput, path, error)
      }
    }
    return true
  }

  /// Checks every byte of a version: the shards against the manifest, and all files against the version's id.
  ///
  /// - Complexity: O(bytes).
  func check(_ id: String, calls: any SystemCalls) throws(VersionError) {
    let path = version(id)
    var hasOnlyFiles = true
    do throws(SystemError) {
      hasOnlyFiles = try self.hasOnlyFiles(id, calls: calls)
    } catch {
      throw .unreadable(error)
    }
    guard hasOnlyFiles else { throw .otherContent }
    do throws(ShardDirectoryError) {
      _ = try ShardDirectory(path, calls: calls)
    } catch {
      throw .shards(error)
    }
    let content: VersionContent
    do throws(Failure) {
      content = try VersionContent(path, calls: calls)
    } catch {
      if let cause = error.cause as? SystemError { throw .unreadable(cause) }
      if case .noManifest(let cause)? = error.cause as? PublishError { throw .shards(cause) }
      throw .otherContent
    }
    do throws(ShardDirectoryError) {
      try content.shards.verify()
    } catch {
      throw .shards(error)
    }
    guard content.id == id else { throw .otherContent }
  }
}
