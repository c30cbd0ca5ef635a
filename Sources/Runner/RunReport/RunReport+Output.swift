// An output in a report: its files, their identity, and the change from before.

extension RunReport {
  /// A count for each kind of entry.
  package struct ByKind: Codable, Equatable, Sendable {
    package var blocking: UInt64
    package var identification: UInt64

    /// Creates counts.
    package init(blocking: UInt64 = 0, identification: UInt64 = 0) {
      self.blocking = blocking
      self.identification = identification
    }

    /// The sum of both kinds.
    package var sum: UInt64 { blocking &+ identification }
  }

  /// An output of the run.
  package struct Output: Codable, Equatable, Sendable {
    /// A shard of a directory.
    package struct Shard: Codable, Equatable, Sendable {
      package var id = 0
      package var name = ""
      package var bytes: UInt64 = 0
      package var entries = ByKind()
      /// The store's content hash, in hexadecimal.
      package var contentHash = ""

      /// Creates an empty shard.
      package init() {}
    }

    /// The change from the previous output, or from the baseline of the run.
    package struct Change: Codable, Equatable, Sendable {
      /// The content hash or id of the previous output, in hexadecimal.
      package var from = ""
      /// Whether the content is unchanged.
      package var isUnchanged = false
      /// The records of the previous output.
      package var records = ByKind()
      package var entries = ByKind()
      /// The number of unchanged shards, for a directory.
      package var shardsKept: Int?
      /// The counts of single numbers that the deltas remove and add; nil without deltas.
      package var removals: UInt64?
      package var additions: UInt64?
      /// The counts of single numbers in which the output differs from its baseline; nil without deltas.
      package var numbers: Numbers?

      /// Creates an empty change.
      package init() {}
    }

    /// The single numbers that differ: each is counted once.
    package struct Numbers: Codable, Equatable, Sendable {
      /// Numbers that were not in the previous output.
      package var added: UInt64
      /// Numbers that were in the previous output only.
      package var removed: UInt64
      /// Numbers with another label.
      package var relabelled: UInt64

      /// Creates counts.
      package init(added: UInt64, removed: UInt64, relabelled: UInt64) {
        self.added = added
        self.removed = removed
        self.relabelled = relabelled
      }
    }

    /// The path as it was typed.
    package var path = ""
    /// The format: store, tsv, csv or jsonl.
    package var format = ""
    /// The total size of the output's files in bytes.
    package var bytes: UInt64 = 0
    /// For stores: the records and their content hash or id.
    package var records: ByKind?
    package var entries: ByKind?
    package var contentID: String?
    /// For a directory: its shards.
    package var shards: [Shard]?
    /// The change from before; nil if unknown.
    package var change: Change?

    /// Creates an empty output.
    package init() {}
  }
}
