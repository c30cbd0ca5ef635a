// Why something that a server serves can't be used. Not for: sentences (the program), refused requests (RequestError).

public import CallManifest
public import CallStoreReader
public import MessageRules

/// Why something that is to be served can't be.
public enum SiteError: Error, Equatable, Sendable {
  /// A file can't be opened or read, with the errno.
  case cannotRead(path: String, errno: Int32)
  /// A file is larger than such a file may be.
  case tooLarge(path: String, bytesMax: Int)
  /// The rules can't be used.
  case rules(path: String, CompiledRulesError)
  /// A store can't be used.
  case store(path: String, CallStoreError)
  /// The manifest is invalid.
  case manifest(path: String, ManifestError)
  /// A shard has another size or content hash than the manifest says.
  case otherShard(path: String)
}
