// Why bytes are not a usable manifest.
//
// Not for: the files that it describes (ShardDirectoryError in ShardDirectories).

/// Why bytes are not a usable manifest.
public enum ManifestError: Error, Equatable, Sendable {
  /// Not JSON; the line and column of the first error, from 1, if they are known.
  case notJSON(line: Int?, column: Int?)
  /// Not UTF-8; the first line that is not, from 1.
  case notUTF8(line: Int)
  /// JSON, but not a manifest.
  case notAManifest
  /// A version of the format that this library does not support.
  case unsupportedVersion(Int)
  /// An invalid value; `key` is its path, such as `shards[2].from`.
  case invalid(Reason, key: String)

  /// What is wrong with a value.
  public enum Reason: Equatable, Sendable {
    /// A required key is missing.
    case missing
    /// The value has the wrong type.
    case wrongType
    /// A number is outside its limits.
    case outOfRange
    /// Not 64 lower-case hexadecimal digits.
    case notAHash
    /// Not a file name of a shard; a path could lead out of the directory.
    case notAName
    /// The shards do not ascend, or two have the same id.
    case notInOrder
    /// The value contradicts the others.
    case contradiction
    /// The key occurs twice in its object.
    case duplicateKey
    /// The store's file contradicts the value.
    case differsFromStore
  }
}
