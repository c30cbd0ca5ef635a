// The options of a Live Caller ID Lookup directory.

/// What kind of caller a record is.
package enum CallerCategory: String, CaseIterable, Sendable {
  /// A person.
  case person
  /// A business.
  case business
}

/// The options of a Live Caller ID Lookup directory. The number of shards and the baseline are ``ShardOptions``.
package struct LookupOptions: Equatable, Sendable {
  /// The default number of numbers in a shard, on average. Processing such a shard needs 60 MB.
  package static let defaultEntriesPerShard = 16_384
  /// The maximum number of numbers in a shard: the programs that process them hold a shard in memory.
  package static let entriesPerShardMax = 1_048_576

  /// The categories of the labels that match a pattern; the first one that matches decides.
  package struct CategoryRule: Equatable, Sendable {
    /// The pattern, as of `--block`.
    package var glob: String
    /// The category.
    package var category: CallerCategory

    /// Makes a rule.
    package init(glob: String, category: CallerCategory) {
      self.glob = glob
      self.category = category
    }
  }

  /// The bundle identifier of the app's extension, from which the names of the use cases are made.
  package var bundleIdentifier = ""
  /// The average number of numbers in a shard, if the number of shards is not chosen.
  package var entriesPerShard = LookupOptions.defaultEntriesPerShard
  /// The minutes for which phones keep an answer; 0 for their default.
  package var cacheMinutes: UInt32 = 0
  /// The categories of labels.
  package var categories: [CategoryRule] = []
  /// Whether the identity is added that Apple looks up before it accepts a service.
  package var hasTestIdentity = false

  /// Makes the default options.
  package init() {}
}
