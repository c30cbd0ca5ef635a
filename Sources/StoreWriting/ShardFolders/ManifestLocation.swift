// The paths of a manifest and of the files next to it, whether the user named the manifest or its directory.

package import CallManifest
import Hashing
package import Records
package import SystemIO
package import SystemPackage

package struct ManifestLocation: Sendable {
  package let path: String
  private let directory: FilePath

  /// Locates a manifest by its own path or that of its directory. Throws when the path's status can't be read.
  ///
  /// If it is a link, or in a directory that is one, its files are next to what the link leads to, as in a published
  /// folder.
  package init(_ path: String, calls: any SystemCalls) throws(SystemError) {
    let named = FilePath(path)
    let isDirectory = try FileKind(checking: named, calls: calls) == .directory
    var manifest = isDirectory ? named.appending(Manifest.fileName) : named
    do throws(Errno) {
      if let resolved = try Self.resolved(manifest, calls) { manifest = resolved }
    } catch {
      throw SystemError(.openInput, manifest.string, error)
    }
    self.path = manifest.string
    directory = manifest.removingLastComponent()
  }

  /// The path that a link leads to, without the working directory; nil if neither the file nor its directory is a link,
  /// or if there is no file.
  private static func resolved(_ path: FilePath, _ calls: any SystemCalls) throws(Errno) -> FilePath? {
    let directory = path.removingLastComponent()
    var isLink = try calls.destinationIfLink(path) != nil
    if !isLink, !directory.isEmpty { isLink = try calls.destinationIfLink(directory) != nil }
    guard isLink, try calls.statusIfPresent(path, followsLinks: true) != nil else { return nil }
    var resolved = try calls.resolve(path)
    let workingDirectory = try calls.resolve(".")
    if resolved.starts(with: workingDirectory) { _ = resolved.removePrefix(workingDirectory) }
    return resolved
  }

  /// The path of a file next to the manifest.
  package func file(_ name: String) -> String { directory.appending(name).string }
}

extension ShardFolder {
  /// Whether a path is that of a directory's manifest, or of a file that the manifest next to it names. That of a Live
  /// Caller ID Lookup directory counts, too.
  package static func isListed(_ path: FilePath, calls: any SystemCalls = KernelCalls()) -> Bool {
    let manifest = path.removingLastComponent().appending(Manifest.fileName)
    guard let name = path.lastComponent?.string, Directory.holdsFile(manifest.string, calls: calls) else {
      return false
    }
    if let lookup = try? CallerIDFolder(manifestAt: manifest.string, calls: calls) {
      return lookup.names.contains(name)
    }
    let names = Manifest.fileNames(inManifestAt: manifest.string, calls)
    return !names.isEmpty && (name == Manifest.fileName || names.contains(name))
  }
}

extension Manifest {
  /// Reads and validates the manifest at a path.
  ///
  /// - Complexity: O(bytes). At most ``bytesMax`` bytes are read.
  package init(path: String, calls: any SystemCalls, _ use: ShardUse = .input) throws(Failure) {
    let bytes = try Self.bytes(of: path, calls, use)
    do throws(ManifestError) {
      try self.init(bytes: bytes)
    } catch {
      throw .invalidManifest(error, path: path, use)
    }
  }

  /// The bytes of a manifest's file, at most ``bytesMax``.
  package static func bytes(
    of path: String, _ calls: any SystemCalls, _ use: ShardUse = .input
  ) throws(Failure) -> [UInt8] {
    let bytes = try asShards(use) { () throws(SystemError) in
      try InputFile.bytes(of: path, limit: bytesMax, calls: calls)
    }
    if bytes.count > bytesMax { throw .largeManifest(path: path, limit: bytesMax) }
    return bytes
  }

  /// The files that the manifest at a path names. Empty when there is no manifest or it can't be read: only files that
  /// a manifest is known to have named may be removed.
  package static func fileNames(inManifestAt path: String, _ calls: any SystemCalls) -> Set<String> {
    guard Directory.holdsFile(path, calls: calls) else { return [] }
    return (try? Manifest(path: path, calls: calls))?.fileNames ?? []
  }
}

// The names in a published folder that readers follow. PublishedFolder in Publishing describes the whole
// layout.

/// The names in a published folder that readers follow.
package enum PublishedNames {
  package static let current = "current"
  package static let versions = "versions"

  /// Whether a name has the form of a version's id: 64 hexadecimal digits.
  package static func isID(_ name: String) -> Bool { Hexadecimal.sha256(name) != nil }

  /// Whether a path is that of a version's folder, or is in one. Links are not followed.
  package static func isInVersion(_ path: FilePath) -> Bool {
    let names = path.components.map(\.string)
    return zip(names, names.dropFirst()).contains { $0 == versions && isID($1) }
  }
}
