// Why a server's file can't be used. Not for messages (the program) or rejected requests (RequestError).

public import CallManifest
public import CallStoreReader
public import MessageRules
public import MessageRulesCompiler

/// Why a file can't be served.
public enum SiteError: Error, Equatable, Sendable {
  /// A file can't be opened or read, with the errno.
  case cannotRead(path: String, errno: Int32)
  /// A file exceeds its maximum size.
  case tooLarge(path: String, bytesMax: Int)
  /// The rules can't be used.
  case rules(path: String, CompiledRulesError)
  /// The rule file has errors.
  case ruleFile(path: String, RuleFileErrors)
  /// A store can't be used.
  case store(path: String, CallStoreError)
  /// The manifest is invalid.
  case manifest(path: String, ManifestError)
  /// A shard's size or content hash differs from the manifest.
  case otherShard(path: String)
}
