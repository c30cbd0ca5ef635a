// Why something that a server serves can't be used. Not for: sentences (the program), refused requests (Refusal).

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
  /// The manifest is not one.
  case manifest(path: String, ManifestMistake)
  /// A shard's size or content hash is not the one in the manifest.
  case otherShard(path: String)
}

/// What is wrong with a manifest.
public enum ManifestMistake: Equatable, Sendable {
  /// It is not JSON of a manifest's form.
  case form
  /// It is of another format or version.
  case unknownVersion
  /// There are more shards than a manifest may have.
  case tooManyShards
  /// The shards' boundaries do not ascend.
  case order
  /// A file's name is none that a manifest may name.
  case name
}
