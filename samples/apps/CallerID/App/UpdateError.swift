// Why an update ended early. Not for details of a manifest's errors, which only its publisher can fix (CallManifest).

/// Why an update ended early. The phone keeps its previous version.
enum UpdateError: Error, Equatable, Sendable {
  /// The server responded with a status other than 200.
  case refused(name: String, status: Int)
  /// The file is not a manifest, or a manifest of another version.
  case notAManifest
  /// The manifest has an invalid value, such as a name that is a path or a duplicate id.
  case badManifest
  /// A shard is for an extension that the app does not have.
  case missingExtension(Int)
  /// A file is larger than its size in the manifest, or than the limit for all files.
  case tooLarge(name: String)
  /// A file can't be unpacked, or does not match its hash in the manifest.
  case damaged(name: String)
}
