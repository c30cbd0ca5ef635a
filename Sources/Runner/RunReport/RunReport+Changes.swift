// What a report has about time: the numbers in which the result differs from the version before, and the latest
// versions. Not for how they are found (ReportBuilding, Publishing).

extension RunReport {
  /// The single numbers in which the result differs from the version that was current before the run.
  package struct Changes: Codable, Equatable, Sendable {
    /// The maximum number of labels, and of countries, to list, as for `cdpipe diff --summary`.
    package static let listedMax = 20
    /// The maximum number of examples of each kind of change.
    package static let examplesMax = 10

    /// The changed numbers with a label or a calling code.
    package struct Item: Codable, Equatable, Sendable {
      /// The label, truncated to ``RunReport/Tally/nameMax`` characters, or the digits of the calling code. Empty for
      /// numbers without a label or without a calling code.
      package var name = ""
      /// The main region of a calling code; `001` for a network without a country; nil for labels.
      package var region: String?
      /// The English name of the country; nil for labels.
      package var country: String?
      package var added: UInt64 = 0
      package var removed: UInt64 = 0
      package var relabelled: UInt64 = 0

      /// Creates an item without numbers.
      package init() {}
    }

    /// The items that are not listed.
    package struct Others: Codable, Equatable, Sendable {
      /// The number of distinct labels or calling codes; nil if there were too many to count.
      package var count: Int?
      package var added: UInt64 = 0
      package var removed: UInt64 = 0
      package var relabelled: UInt64 = 0

      /// Creates an empty remainder.
      package init() {}
    }

    /// The changed numbers by label or by country.
    package struct Breakdown: Codable, Equatable, Sendable {
      /// The items with the most changed numbers.
      package var items: [Item] = []
      /// The remaining items; nil if there are none.
      package var others: Others?

      /// Creates an empty breakdown.
      package init() {}
    }

    /// Consecutive numbers that have changed alike.
    package struct Example: Codable, Equatable, Sendable {
      package var first: UInt64
      package var last: UInt64
      /// The label, truncated; of removed numbers, the old one.
      package var label: String
      /// The old label of relabelled numbers, truncated; nil for others.
      package var before: String?

      /// Creates an example.
      package init(first: UInt64, last: UInt64, label: String, before: String?) {
        self.first = first
        self.last = last
        self.label = label
        self.before = before
      }
    }

    /// Examples of each kind of change, spread evenly over the list.
    package struct Examples: Codable, Equatable, Sendable {
      package var added: [Example] = []
      package var removed: [Example] = []
      package var relabelled: [Example] = []

      /// Creates an empty list.
      package init() {}
    }

    /// The id of the version that the result is compared with.
    package var from: String
    /// All changed numbers.
    package var numbers = Output.Numbers(added: 0, removed: 0, relabelled: 0)
    /// Relabelled numbers count for their new label.
    package var labels = Breakdown()
    package var countries = Breakdown()
    package var examples = Examples()

    /// Creates an empty description of the changes from a version.
    package init(from: String) {
      self.from = from
    }
  }
}

extension RunReport {
  /// Something that happened to the published folder, as `cdpipe history --json` prints it.
  package struct Event: Codable, Equatable, Sendable {
    /// The maximum number of events in a report: a month of nights.
    package static let listedMax = 30

    /// What happened.
    package enum EventKind: String, Codable, Sendable {
      /// A new version became current.
      case published
      /// The current version was damaged, and was written again.
      case repaired
      /// The current version was written again to be signed.
      case signed
      /// Another version became current again.
      case rolledBack
      /// Runs resulted in the current version.
      case unchanged
      /// Runs resulted in a version that was rolled back.
      case withdrawn
    }

    package var event = EventKind.published
    /// When it happened, in UTC to the second.
    package var time = ""
    /// The id of the version.
    package var version = ""
    /// The id of the version that was current before; nil if there was none or it is unknown.
    package var replaced: String?
    /// The count of single numbers; nil for runs that published nothing.
    package var entries: UInt64?
    /// The size of the version's files; nil if unknown.
    package var bytes: UInt64?
    /// The numbers in which the version differs from the one that it replaced; nil if unknown.
    package var changes: Output.Numbers?
    /// The number of runs in a row that published nothing, and when the last of them was; nil for other events.
    package var runs: UInt64?
    package var lastTime: String?
    /// Whether the event made the current version current.
    package var isCurrent = false
    /// Whether the version still exists.
    package var isKept = true
    /// Whether the version was rolled back since, and is not published again by itself.
    package var isRolledBack = false

    /// Creates an event.
    package init() {}
  }
}
