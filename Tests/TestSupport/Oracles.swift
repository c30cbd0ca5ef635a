// What sort should give, by the plainest way there is. Slow on purpose: nothing here is clever.

/// The order of sorted records.
public enum SortOracle {
  /// The records by first number, wider ones first, equal ones in the order in which they came.
  ///
  /// - Complexity: O(n log n).
  public static func sorted(_ records: [TestRecord]) -> [TestRecord] {
    records.enumerated().sorted { one, other in
      if one.element.first != other.element.first { return one.element.first < other.element.first }
      if one.element.last != other.element.last { return one.element.last > other.element.last }
      return one.offset < other.offset
    }.map(\.element)
  }
}
