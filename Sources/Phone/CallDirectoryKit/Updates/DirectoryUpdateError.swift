// Why an update ended early. The error contains data; the app formats the message.

public import CallManifest

/// Why an update ended early. The app keeps the list that it has, and tries again later.
public enum DirectoryUpdateError: Error, Equatable, Sendable {
  /// The manifest is not signed, altered, older than the last one, expired, or signed by another key. Nothing changed.
  case untrusted(ManifestSignatureError)
  /// The file is not a manifest, or has an invalid value. Nothing changed.
  case manifest(ManifestError)
  /// The list has a shard for an extension that the app does not have. Nothing changed.
  case missingExtension(Int)
  /// The server responded with a status that is not a success.
  case refused(name: String, status: Int)
  /// The server redirected a request to an address without TLS.
  case insecureRedirect(name: String)
  /// A file is larger than its size in the manifest, or than the limit for all files.
  case tooLarge(name: String)
  /// A file can't be unpacked, or does not match its hash in the manifest.
  case damaged(name: String)
  /// A file can't be read or written; the code is the `errno`.
  case disk(code: Int32, path: String)
  /// An update of the same folder is in progress.
  case inProgress

  /// Whether a switch of versions on the server explains the error: a manifest and a signature that do not belong
  /// together, or a file of a version that is not there any more.
  var mayBeSwitchOfVersions: Bool {
    switch self {
    case .untrusted(.altered): true
    case .refused(let name, let status):
      (status == Self.notFound || status == Self.gone) && name != Manifest.fileName
        && name != ManifestSignature.fileName
    default: false
    }
  }

  static let notFound = 404
  static let gone = 410
}
