// The counts in a report: rejects by reason, and records by label, calling code and prefix.

extension RunReport {
  /// A reason for which a stage rejected rows, with the count.
  package struct RejectUse: Codable, Equatable, Sendable {
    /// The maximum number of examples per reason.
    package static let examplesMax = 3
    /// The maximum length of an example's text in characters.
    package static let textMax = 120

    /// A rejected row.
    package struct Example: Codable, Equatable, Sendable {
      /// The row's location, as printed on standard error.
      package var place = ""
      /// The row's text, truncated to ``textMax`` characters.
      package var text = ""

      /// Creates an empty example.
      package init() {}
    }

    /// The stage's name.
    package var stage = ""
    /// The reason's code, which is stable; docs/operations/exit-statuses.md lists the codes.
    package var reason = ""
    /// The reason as a readable text.
    package var words = ""
    /// The number of rows.
    package var count: UInt64 = 0
    /// The first rejected rows, as examples.
    package var examples: [Example] = []

    /// Creates a reason without rows.
    package init() {}
  }

  /// How many numbers are valid in their country, in a sample of all numbers.
  package struct Validity: Codable, Equatable, Sendable {
    /// The numbers that were checked.
    package var checked: UInt64 = 0
    /// The numbers among them that are not valid.
    package var invalid: UInt64 = 0

    /// Creates empty counts.
    package init() {}
  }

  /// The distribution of records over labels, calling codes or prefixes.
  package struct Tally: Codable, Equatable, Sendable {
    /// The maximum number of items to list: about as many as a reader looks through.
    package static let listedMax = 50
    /// The maximum length of an item's name in characters.
    package static let nameMax = 200

    /// A label, calling code or prefix.
    package struct Item: Codable, Equatable, Sendable {
      /// The label or the digits. Numbers that are only blocked have an empty label.
      package var name = ""
      /// The regions of a calling code, the main one first; nil for labels and prefixes.
      package var regions: [String]?
      /// The English name of the main country with a calling code; nil for labels and prefixes.
      package var country: String?
      /// The count of records; a range counts once.
      package var records: UInt64 = 0
      /// The count of single numbers.
      package var entries: UInt64 = 0

      /// Creates an empty item.
      package init() {}
    }

    /// The items that are not listed.
    package struct Others: Codable, Equatable, Sendable {
      /// The number of distinct labels, calling codes or prefixes; nil if there were too many to count.
      package var count: Int?
      package var records: UInt64 = 0
      package var entries: UInt64 = 0

      /// Creates an empty remainder.
      package init() {}
    }

    /// The most frequent items, by single numbers.
    package var items: [Item] = []
    /// The remaining items; nil if there are none.
    package var others: Others?

    /// Creates an empty tally.
    package init() {}
  }
}
