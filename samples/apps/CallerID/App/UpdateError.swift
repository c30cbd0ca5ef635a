// Why an update ended early. Not for: a manifest's errors in detail, which only its publisher can fix (CallManifest).

/// Why an update ended early. The phone keeps what it had before.
enum UpdateError: Error, Equatable, Sendable {
  /// The server's answer has a status other than 200.
  case refused(name: String, status: Int)
  /// Not a manifest, or one of another version.
  case notAManifest
  /// A manifest with an invalid value: a name that is a path, an id that occurs twice.
  case badManifest
  /// A shard is for an extension that the app does not have.
  case missingExtension(Int)
  /// A file is larger than the manifest says, or larger than any file may be.
  case tooLarge(name: String)
  /// A file can't be unpacked, or is not the one that the manifest names.
  case damaged(name: String)
}
