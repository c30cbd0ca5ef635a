// The largest counts of many, and the sum of the others.

/// Counts by name, the one with the most numbers first.
package struct RankedCounts<Name> {
  /// What is not listed.
  package struct Others {
    /// How many names are not listed; nil if unknown.
    package let names: Int?
    /// The count of their records.
    package let count: RecordCounts.Count
  }

  /// The listed names with their counts.
  package let listed: [(name: Name, count: RecordCounts.Count)]
  /// The others; nil if all are listed.
  package let others: Others?

  /// Ranks counts. Equal ones are in the order of their names.
  ///
  /// - Parameters:
  ///   - rest: the count of records whose names are unknown.
  ///   - listedMax: the maximum number of listed names; nil for no limit.
  ///   - text: returns the name that orders equal counts.
  /// - Complexity: O(*n* log *n*).
  package init(
    _ counts: some Sequence<(key: Name, value: RecordCounts.Count)>, rest: RecordCounts.Count = .init(),
    listedMax: Int?, text: (Name) -> String
  ) {
    let sorted = counts.map { (name: $0.key, count: $0.value, text: text($0.key)) }.sorted { one, other in
      one.count.entries != other.count.entries
        ? one.count.entries > other.count.entries : one.text < other.text
    }
    listed = sorted.prefix(listedMax ?? sorted.count).map { ($0.name, $0.count) }
    let unlisted = sorted.dropFirst(listed.count)
    var sum = rest
    for item in unlisted { sum.add(item.count) }
    others =
      unlisted.isEmpty && rest.isZero ? nil : Others(names: rest.isZero ? unlisted.count : nil, count: sum)
  }
}
