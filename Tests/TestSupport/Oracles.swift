// The expected output of sort, by the simplest algorithm; slow on purpose.

/// The order of sorted records.
package enum SortOracle {
  /// The records by first number, wider ones first, equal ones in input order.
  ///
  /// - Complexity: O(n log n).
  package static func sorted(_ records: [TestRecord]) -> [TestRecord] {
    records.enumerated().sorted { one, other in
      if one.element.first != other.element.first { return one.element.first < other.element.first }
      if one.element.last != other.element.last { return one.element.last > other.element.last }
      return one.offset < other.offset
    }.map(\.element)
  }
}
