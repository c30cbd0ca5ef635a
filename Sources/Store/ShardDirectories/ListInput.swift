// What a path names that a reading command accepts: one file, or a directory of shards.
//
// Not for: the content of files, such as stores and lists in the text form.

import CallManifest
public import SystemIO
import SystemPackage

/// A list as a user names it.
///
/// A directory of shards can be named by its own path, its manifest, its published folder, or a link to one of these.
/// Links are resolved once, so that all files are of one version, even if another one is published meanwhile.
public enum ListInput: Sendable {
  /// A store or another file; `-` is standard input. It may be missing.
  case file(String)
  /// A directory of shards.
  case shards(ShardDirectory)

  /// Finds out what a path names. The manifest of a directory is read; stores are not opened.
  ///
  /// - Complexity: O(bytes of the manifest).
  public init(_ path: String, calls: any SystemCalls = KernelCalls()) throws(ShardDirectoryError) {
    guard path != InputFile.standardInput else {
      self = .file(path)
      return
    }
    let kind: FileKind
    do throws(SystemError) {
      kind = try FileKind(checking: FilePath(path), calls: calls)
    } catch {
      throw .unreadable(error)
    }
    switch kind {
    case .directory:
      guard ShardDirectory.hasManifest(path, calls: calls) else { throw .noManifest(directory: path) }
      self = .shards(try ShardDirectory(path, calls: calls))
    case .regular where try Self.isManifest(path, calls):
      self = .shards(try ShardDirectory(path, calls: calls))
    case .regular, .other, .none:
      self = .file(path)
    }
  }

  /// The number of bytes that a manifest's format is searched in. `cdpipe emit` sorts the keys, and only the countries
  /// come before it.
  private static let headBytes = 64 << 10

  /// Whether a regular file is a manifest, by its name or its first bytes. Other JSON files may be lists.
  private static func isManifest(
    _ path: String, _ calls: any SystemCalls
  ) throws(ShardDirectoryError) -> Bool {
    if FilePath(path).lastComponent?.string == Manifest.fileName { return true }
    do throws(SystemError) {
      let head = try InputFile.bytes(of: path, limit: headBytes, calls: calls)
      guard head.first == UInt8(ascii: "{") else { return false }
      let format = Array("\"\(Manifest.format)\"".utf8)
      return head.indices.contains { head[$0] == format[0] && head[$0...].starts(with: format) }
    } catch {
      throw .unreadable(error)
    }
  }
}
