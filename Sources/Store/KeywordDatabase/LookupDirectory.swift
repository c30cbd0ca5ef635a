// A Live Caller ID Lookup directory on disk: its manifest and the hashes of its files.
//
// Not for: the rows of its databases.

public import PipeStage
public import SystemIO
import SystemPackage

/// Why a directory can't be read.
public enum LookupDirectoryError: Error, ErrorCause, Equatable {
  /// A file can't be read.
  case unreadable(SystemError)
  /// The manifest is not one of a Live Caller ID Lookup directory, or of a version that is not known.
  case invalidManifest(path: String)
  /// The hashes do not belong to the manifest.
  case invalidSums(path: String)

  /// The class of the error.
  public var errorClass: ErrorClass {
    switch self {
    case .unreadable(let error): error.errorClass
    case .invalidManifest, .invalidSums: .badData
    }
  }
}

/// A directory.
package struct LookupDirectory: Sendable {
  /// The maximum size of a manifest in bytes.
  private static let manifestBytesMax = 64 << 10

  /// The directory.
  package let path: String
  /// Its manifest.
  package let manifest: LookupManifest
  private let calls: any SystemCalls

  /// Reads the manifest.
  package init(_ path: String, calls: any SystemCalls = KernelCalls()) throws(LookupDirectoryError) {
    let file = FilePath(path).appending(LookupManifest.fileName).string
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try InputFile.bytes(of: file, limit: Self.manifestBytesMax, calls: calls)
    } catch {
      throw .unreadable(error)
    }
    guard let manifest = LookupManifest(json: bytes) else {
      throw .invalidManifest(path: file)
    }
    self.path = path
    self.manifest = manifest
    self.calls = calls
  }

  /// Whether a directory's manifest is one of this format.
  package static func isOne(_ path: String, calls: any SystemCalls = KernelCalls()) -> Bool {
    (try? LookupDirectory(path, calls: calls)) != nil
  }

  /// The path of a file of the directory.
  package func file(_ name: String) -> String { FilePath(path).appending(name).string }

  /// The hashes of the files, in the order of the list.
  package func sums() throws(LookupDirectoryError) -> FileSums {
    try FileSums(file(LookupManifest.sumsName), contentID: manifest.contentID, calls: calls)
  }

  /// The SHA-256 of each shard of the databases, one after another, 32 bytes each.
  ///
  /// - Complexity: O(shards).
  package func databaseSums() throws(LookupDirectoryError) -> [LookupUse: [UInt8]] {
    var sums = try sums()
    var found: [LookupUse: [UInt8]] = [:]
    while let sum = try sums.next() {
      for use in LookupUse.allCases
      where sum.name == use.database((found[use]?.count ?? 0) / FileSum.hashBytes) {
        found[use, default: []] += sum.sha256
      }
    }
    for use in LookupUse.allCases where found[use]?.count != FileSum.hashBytes * manifest[use].shards {
      throw .invalidSums(path: file(LookupManifest.sumsName))
    }
    return found
  }
}
