// The counts of a list's records: by label, source, prefix, country and type.
//
// Not for counting (RecordTally), or for displaying the counts (the command layer).

package import NumberPlan

/// The counts of a list's records.
package struct RecordCounts: Equatable, Sendable {
  /// A count of records and of the single numbers in them.
  package struct Count: Equatable, Sendable {
    /// Records; a range counts once.
    package var records: UInt64 = 0
    /// Single numbers; `UInt64.max` if there are more, which only ranges made for the purpose can reach.
    package var entries: UInt64 = 0

    /// Creates a count.
    package init(records: UInt64 = 0, entries: UInt64 = 0) {
      self.records = records
      self.entries = entries
    }

    /// Whether nothing was counted.
    package var isZero: Bool { records == 0 && entries == 0 }

    /// Adds another count.
    package mutating func add(_ other: Count) {
      records &+= other.records
      let (sum, isOver) = entries.addingReportingOverflow(other.entries)
      entries = isOver ? .max : sum
    }
  }

  /// A country, or what can be determined of it.
  package struct Country: Hashable, Sendable {
    /// The country calling code; 0 for digits that start with none.
    package var callingCode: UInt16
    /// The region; nil if the numbers are not valid and several regions share the calling code.
    package var region: Region?

    /// Creates a country.
    package init(callingCode: UInt16, region: Region?) {
      self.callingCode = callingCode
      self.region = region
    }
  }

  /// All records.
  package var all = Count()
  /// The records that are ranges.
  package var ranges: UInt64 = 0
  /// Counts by label, without escapes.
  package var labels: [[UInt8]: Count] = [:]
  /// The count of labels beyond the maximum number.
  package var otherLabels = Count()
  /// Counts by source, without escapes.
  package var sources: [[UInt8]: Count] = [:]
  /// The count of sources beyond the maximum number.
  package var otherSources = Count()
  /// Counts by prefix: the calling code and three more digits.
  package var prefixes: [UInt64: Count] = [:]
  /// The count of prefixes beyond the maximum number, and of ranges that span too many prefixes to be split.
  package var otherPrefixes = Count()
  /// Counts by country.
  package var countries: [Country: Count] = [:]
  /// Counts by the type of the numbers.
  package var types: [NumberType: Count] = [:]
  /// The numbers of ranges that span too many prefixes to be split; they are in no country and of no type.
  package var unsplit: UInt64 = 0

  /// Creates counts of nothing.
  package init() {}
}
