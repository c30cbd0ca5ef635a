// An output in a report: the files, their identity, and what they were before.

extension RunReport {
  /// A number for each kind of entry.
  package struct ByKind: Codable, Equatable, Sendable {
    package var blocking: UInt64
    package var identification: UInt64

    /// Makes a pair.
    package init(blocking: UInt64 = 0, identification: UInt64 = 0) {
      self.blocking = blocking
      self.identification = identification
    }

    /// Both kinds together.
    package var sum: UInt64 { blocking &+ identification }
  }

  /// One output of the run.
  package struct Output: Codable, Equatable, Sendable {
    /// A shard of a directory.
    package struct Shard: Codable, Equatable, Sendable {
      package var id = 0
      package var name = ""
      package var bytes: UInt64 = 0
      package var entries = ByKind()
      /// The store's identity, in hexadecimal.
      package var contentHash = ""

      /// Makes a shard of nothing.
      package init() {}
    }

    /// The previous output, or the baseline that the run built upon.
    package struct Change: Codable, Equatable, Sendable {
      /// The identity of what was before, in hexadecimal.
      package var from = ""
      /// Whether it is the same now.
      package var isUnchanged = false
      /// What it had.
      package var records = ByKind()
      package var entries = ByKind()
      /// Of a directory: shards that are as they were.
      package var shardsKept: Int?
      /// Single numbers that the deltas take out and put in; left out without deltas.
      package var removals: UInt64?
      package var additions: UInt64?

      /// Makes a change from nothing.
      package init() {}
    }

    /// The path, as it was given.
    package var path = ""
    /// store, tsv, csv or jsonl.
    package var format = ""
    /// All files of the output together.
    package var bytes: UInt64 = 0
    /// Of stores: what they have, and their identity.
    package var records: ByKind?
    package var entries: ByKind?
    package var contentID: String?
    /// Of a directory.
    package var shards: [Shard]?
    /// What is different from before; left out when nothing is known of that.
    package var change: Change?

    /// Makes an output of nothing.
    package init() {}
  }
}
