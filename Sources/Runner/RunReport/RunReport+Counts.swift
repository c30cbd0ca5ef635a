// What a report counts: rejects by reason, and records by label, calling code and prefix.

extension RunReport {
  /// One reason for which a stage rejected rows.
  package struct RejectUse: Codable, Equatable, Sendable {
    /// The most examples of a reason.
    package static let examplesMax = 3
    /// The most characters of an example's text.
    package static let textMax = 120

    /// A row that was rejected.
    package struct Example: Codable, Equatable, Sendable {
      /// Its location, as printed on standard error.
      package var place = ""
      /// Its text, or the beginning of it.
      package var text = ""

      /// Makes an example without text.
      package init() {}
    }

    /// The stage.
    package var stage = ""
    /// The reason's word, which stays; docs/operations/exit-statuses.md lists them.
    package var reason = ""
    /// The reason in words for people.
    package var words = ""
    /// How many rows.
    package var count: UInt64 = 0
    /// The first of them.
    package var examples: [Example] = []

    /// Makes a reason without rows.
    package init() {}
  }

  /// How records are spread over labels, calling codes or prefixes.
  package struct Tally: Codable, Equatable, Sendable {
    /// The most items that are listed: as many as somebody looks through.
    package static let listedMax = 50
    /// The most characters of an item's name.
    package static let nameMax = 200

    /// One label, calling code or prefix.
    package struct Item: Codable, Equatable, Sendable {
      /// The label, or the digits. An empty label is that of a number that is only blocked.
      package var name = ""
      /// The regions that have a calling code, the main one first; left out for all else.
      package var regions: [String]?
      /// Records; a range is one.
      package var records: UInt64 = 0
      /// Single numbers.
      package var entries: UInt64 = 0

      /// Makes an item that nothing has.
      package init() {}
    }

    /// All that is not listed.
    package struct Others: Codable, Equatable, Sendable {
      /// How many labels, calling codes or prefixes they are; left out when they are too many to be told apart.
      package var count: Int?
      package var records: UInt64 = 0
      package var entries: UInt64 = 0

      /// Makes a rest of nothing.
      package init() {}
    }

    /// The most frequent ones, by single numbers.
    package var items: [Item] = []
    /// The others; left out when there are none.
    package var others: Others?

    /// Makes a tally of nothing.
    package init() {}
  }
}
