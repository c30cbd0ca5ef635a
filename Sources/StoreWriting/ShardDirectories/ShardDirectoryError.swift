// Why a directory of shards can't be used. The command layer turns the data into sentences.

package import CallManifest
package import Records
package import SystemIO

/// Why a directory of shards can't be used.
package enum ShardDirectoryError: Error, ErrorCause, Equatable {
  /// A directory contains no manifest.
  case noManifest(directory: String)
  /// A directory contains no manifest but stores: the paths of the first of them.
  case storesOnly(directory: String, stores: [String])
  /// A directory contains no manifest but directories that have one: the paths of the first of them.
  case directoriesOnly(directory: String, directories: [String])
  /// A published folder contains no version yet.
  case notPublished(directory: String)
  /// A path is a symbolic link whose destination does not exist.
  case brokenLink(path: String, destination: String)
  /// A file is not a manifest, where a directory of shards is needed.
  case notShards(path: String)
  /// The manifest or a delta can't be opened or read.
  case unreadable(SystemError)
  /// The manifest is larger than any manifest can be.
  case tooLarge(path: String, limit: Int)
  /// The manifest is invalid, or a store contradicts it.
  case manifest(ManifestError, path: String)
  /// A store that the manifest names can't be opened.
  case missingStore(path: String, code: CInt)
  /// A store that the manifest names is invalid.
  case invalidStore(StoreVerificationError, path: String)
  /// A store that the manifest names has another content hash.
  case otherStore(path: String, expected: [UInt8], found: [UInt8])
  /// A delta that the manifest names is invalid.
  case invalidDelta(DeltaVerificationError, path: String)
  /// A delta is valid, but not the one that the manifest names.
  case otherDelta(path: String)
  /// The manifest is that of a Live Caller ID Lookup directory, which can't be read.
  case lookup(LookupDirectoryError)

  /// Bad data; no input when a file is missing; an input/output error when the machine can't read it.
  package var errorClass: ErrorClass {
    switch self {
    case .noManifest, .storesOnly, .directoriesOnly, .notPublished, .brokenLink: .noInput
    case .unreadable(let error): error.errorClass
    case .lookup(let error): error.errorClass
    case .missingStore(_, let code): .opening(code)
    case .invalidDelta(let error, _): error.errorClass
    default: .badData
    }
  }
}
