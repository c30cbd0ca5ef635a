// Why a baseline can't be used. It carries data; the command layer makes the sentences.

public import CallStoreWriter
public import PipeStage
public import SystemIO

/// What is wrong with a manifest that was read, at one place in it.
public enum ManifestErrorReason: Equatable, Sendable {
  /// A key that must be there is not.
  case missing
  /// The value is of another type.
  case wrongType
  /// A number outside its limits.
  case outOfRange
  /// Not 64 lower-case hexadecimal digits.
  case notAHash
  /// Not a file name of a shard; a path would lead elsewhere.
  case notAName
  /// The shards do not ascend, or two have one id.
  case notInOrder
  /// It is not what follows from the rest.
  case contradiction
  /// The key stands twice.
  case twice
  /// The store that is named says something else of itself.
  case notTheStores
}

/// Why a baseline can't be used.
public enum ManifestError: Error, ErrorCause, Equatable {
  /// The manifest can't be opened or read.
  case unreadable(SystemError)
  /// The file is larger than any manifest.
  case tooLarge(path: String, limit: Int)
  /// The file is not JSON; the line and column where that shows, if they are known.
  case notJSON(path: String, line: Int?, column: Int?)
  /// The file is not UTF-8; the line where that shows, from 1.
  case notUTF8(path: String, line: Int)
  /// JSON, but no manifest of this program.
  case notAManifest(path: String)
  /// A version of the form that this program does not know.
  case otherVersion(path: String, version: Int)
  /// A value is not what it should be; `key` is the way to it, as `shards[2].from`.
  case defect(ManifestErrorReason, path: String, key: String)
  /// A store that the manifest names can't be opened.
  case missingStore(path: String, code: CInt)
  /// A store that the manifest names is not sound.
  case damagedStore(StoreVerificationError, path: String)
  /// A store that the manifest names is another one.
  case otherStore(path: String, wanted: [UInt8], found: [UInt8])

  /// Bad data, or no input where a file can't be opened.
  public var errorClass: ErrorClass {
    switch self {
    case .unreadable(let failure): failure.errorClass
    case .missingStore: .noInput
    default: .badData
    }
  }
}
