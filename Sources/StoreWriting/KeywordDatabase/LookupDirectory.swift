// A Live Caller ID Lookup directory on disk: its manifest and the hashes of its files.
//
// Not for: the rows of its databases (KeywordRows, LookupRecords), or checking them (LookupDirectory+Verification).

package import Records
package import SystemIO
import SystemPackage

/// Why a directory can't be read.
package enum LookupDirectoryError: Error, ErrorCause, Equatable {
  /// A file can't be read, or the temporary file of runs can't be used.
  case unreadable(SystemError)
  /// The manifest is not one of a Live Caller ID Lookup directory, or of a version that is not known.
  case invalidManifest(path: String)
  /// The hashes do not belong to the manifest.
  case invalidSums(path: String)
  /// A row of a shard, at an offset in bytes, is invalid.
  case row(RowReason, path: String, offset: UInt64)
  /// A number has two rows in a database.
  case duplicateNumber(UInt64, use: LookupUse, directory: String)
  /// Another directory was put in place while this one was read.
  case replaced(path: String)
  /// A file is not the one that was written.
  case otherFile(path: String)
  /// A database's file does not belong to the directory.
  case unlistedShard(path: String)
  /// A configuration does not fit the manifest.
  case otherConfiguration(path: String)
  /// A value in the manifest is not that of the rows.
  case contradiction(path: String, key: String)

  /// The class of the error.
  package var errorClass: ErrorClass {
    switch self {
    case .unreadable(let error): error.errorClass
    default: .badData
    }
  }
}

/// A directory.
package struct LookupDirectory: Sendable {
  /// The directory; empty for the working directory.
  package let path: String
  /// The path of the manifest.
  package let manifestPath: String
  /// Its manifest.
  package let manifest: LookupManifest
  private let calls: any SystemCalls

  /// Reads the manifest of a directory.
  package init(_ path: String, calls: any SystemCalls = KernelCalls()) throws(LookupDirectoryError) {
    try self.init(manifestAt: FilePath(path).appending(LookupManifest.fileName).string, calls: calls)
  }

  /// Reads the manifest at a path. The other files are beside it.
  package init(
    manifestAt path: String, calls: any SystemCalls = KernelCalls()
  ) throws(LookupDirectoryError) {
    manifest = try Self.manifest(at: path, calls)
    manifestPath = path
    self.path = FilePath(path).removingLastComponent().string
    self.calls = calls
  }

  private static func manifest(
    at path: String, _ calls: any SystemCalls
  ) throws(LookupDirectoryError) -> LookupManifest {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try InputFile.bytes(of: path, limit: LookupManifest.bytesMax, calls: calls)
    } catch {
      throw .unreadable(error)
    }
    guard let manifest = LookupManifest(json: bytes) else { throw .invalidManifest(path: path) }
    return manifest
  }

  /// Whether a directory's manifest is one of this format.
  package static func isOne(_ path: String, calls: any SystemCalls = KernelCalls()) -> Bool {
    (try? LookupDirectory(path, calls: calls)) != nil
  }

  /// Throws if there is another directory in this one's place by now.
  package func checkUnchanged() throws(LookupDirectoryError) {
    guard try Self.manifest(at: manifestPath, calls) == manifest else { throw .replaced(path: manifestPath) }
  }

  /// The SHA-256 of the list of hashes: the same for the same files.
  package var contentID: String { manifest.contentID }

  /// The path of a file of the directory.
  package func file(_ name: String) -> String { FilePath(path).appending(name).string }

  /// The names of all files, in the order of the list of hashes, which is without the first two.
  ///
  /// - Complexity: O(shards).
  package var names: [String] {
    [LookupManifest.fileName, LookupManifest.sumsName]
      + LookupUse.allCases.flatMap { use in
        (0..<manifest[use].shards).flatMap { [use.database($0), use.configuration($0)] }
      } + [LookupManifest.serviceName, LookupManifest.scriptName]
  }

  /// The record of a number: whether it is blocked, and its name; nil if there is none. Only its shards are read.
  ///
  /// - Complexity: O(rows of the shards).
  package func record(of number: UInt64) throws(LookupDirectoryError) -> (isBlocked: Bool, label: String)? {
    let hash = Keyword(number).hash
    var isBlocked = false
    var label: [UInt8] = []
    for use in LookupUse.allCases {
      let path = file(use.database(manifest.function(use).index(hash)))
      var rows = KeywordRows(use, .shard(path: path), calls: calls)
      repeat { try rows.advance() } while rows.number < number
      guard rows.number == number else { continue }
      switch use {
      case .identity: label = rows.label
      case .block: isBlocked = rows.isBlocked
      }
    }
    return isBlocked || !label.isEmpty ? (isBlocked, RecordFields.fields(label.span).label) : nil
  }

  /// The hashes of the files, in the order of the list.
  package func sums() throws(LookupDirectoryError) -> FileSums {
    try FileSums(file(LookupManifest.sumsName), contentID: manifest.contentID, calls: calls)
  }

  /// Throws if the list of hashes is not that of the manifest, with exactly the files of the directory.
  ///
  /// - Complexity: O(shards).
  package func checkSums() throws(LookupDirectoryError) {
    var sums = try sums()
    var isSame = true
    for name in names.dropFirst(2) {
      let found = try sums.next()
      isSame = isSame && found?.name == name
    }
    let last = try sums.next()
    guard isSame, last == nil else { throw .invalidSums(path: file(LookupManifest.sumsName)) }
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
