// The counts of a list's records: by label, source, prefix, country and type.
//
// Not for counting (RecordTally), or for displaying the counts (the command layer).

public import NumberPlan

/// The counts of a list's records.
public struct RecordCounts: Equatable, Sendable {
  /// A count of records and of the single numbers in them.
  public struct Count: Equatable, Sendable {
    /// Records; a range counts once.
    public var records: UInt64 = 0
    /// Single numbers; `UInt64.max` if there are more, which only ranges made for the purpose can reach.
    public var entries: UInt64 = 0

    /// Creates a count.
    public init(records: UInt64 = 0, entries: UInt64 = 0) {
      self.records = records
      self.entries = entries
    }

    /// Whether nothing was counted.
    public var isZero: Bool { records == 0 && entries == 0 }

    /// Adds another count.
    public mutating func add(_ other: Count) {
      records &+= other.records
      let (sum, isOver) = entries.addingReportingOverflow(other.entries)
      entries = isOver ? .max : sum
    }
  }

  /// A country, or what can be determined of it.
  public struct Country: Hashable, Sendable {
    /// The country calling code; 0 for digits that start with none.
    public var callingCode: UInt16
    /// The region; nil if the numbers are not valid and several regions share the calling code.
    public var region: Region?

    /// Creates a country.
    public init(callingCode: UInt16, region: Region?) {
      self.callingCode = callingCode
      self.region = region
    }
  }

  /// All records.
  public var all = Count()
  /// The records that are ranges.
  public var ranges: UInt64 = 0
  /// Counts by label, without escapes.
  public var labels: [[UInt8]: Count] = [:]
  /// The count of labels beyond the maximum number.
  public var otherLabels = Count()
  /// Counts by source, without escapes.
  public var sources: [[UInt8]: Count] = [:]
  /// The count of sources beyond the maximum number.
  public var otherSources = Count()
  /// Counts by prefix: the calling code and three more digits.
  public var prefixes: [UInt64: Count] = [:]
  /// The count of prefixes beyond the maximum number, and of ranges that span too many prefixes to be split.
  public var otherPrefixes = Count()
  /// Counts by country.
  public var countries: [Country: Count] = [:]
  /// Counts by the type of the numbers.
  public var types: [NumberType: Count] = [:]
  /// The numbers of ranges that span too many prefixes to be split; they are in no country and of no type.
  public var unsplit: UInt64 = 0

  /// Creates counts of nothing.
  public init() {}
}
