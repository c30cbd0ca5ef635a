// The options of a Live Caller ID Lookup directory.

/// What kind of caller a record is.
public enum CallerCategory: String, CaseIterable, Sendable {
  /// A person.
  case person
  /// A business.
  case business
}

/// The options of a Live Caller ID Lookup directory. The number of shards and the baseline are ``ShardOptions``.
public struct LookupOptions: Equatable, Sendable {
  /// The default number of numbers in a shard, on average. Processing such a shard needs 60 MB.
  public static let defaultEntriesPerShard = 16_384
  /// The maximum number of numbers in a shard: the programs that process them hold a shard in memory.
  public static let entriesPerShardMax = 1_048_576

  /// The categories of the labels that match a pattern; the first one that matches decides.
  public struct CategoryRule: Equatable, Sendable {
    /// The pattern, as of `--block`.
    public var glob: String
    /// The category.
    public var category: CallerCategory

    /// Makes a rule.
    public init(glob: String, category: CallerCategory) {
      self.glob = glob
      self.category = category
    }
  }

  /// The bundle identifier of the app's extension, from which the names of the use cases are made.
  public var bundleIdentifier = ""
  /// The average number of numbers in a shard, if the number of shards is not chosen.
  public var entriesPerShard = LookupOptions.defaultEntriesPerShard
  /// The minutes for which phones keep an answer; 0 for their default.
  public var cacheMinutes: UInt32 = 0
  /// The categories of labels.
  public var categories: [CategoryRule] = []
  /// Whether the identity is added that Apple looks up before it accepts a service.
  public var hasTestIdentity = false

  /// Makes the default options.
  public init() {}
}
