// `diff`: compares two disjoint lists number by number and reports the differences as runs.

package import Records
import SystemIO

/// A run of consecutive numbers with the same difference between two lists.
package struct ListChange: Equatable, Sendable {
  /// How the numbers differ.
  package enum ChangeKind: String, Sendable {
    /// The numbers are in the new list only.
    case added
    /// The numbers are in the old list only.
    case removed
    case relabelled
    /// The labels are equal; the scores differ.
    case votes
    /// The labels and scores are equal; the sources or days differ.
    case changed

    /// The word in a line of `diff`, which does not distinguish the fields.
    package var word: String { self == .votes ? ChangeKind.changed.rawValue : rawValue }
  }

  /// How the numbers differ.
  package var kind: ChangeKind
  package var first: UInt64
  package var last: UInt64
  /// The record fields in the old list, in the text form; empty if the numbers are not in it.
  package var old: [UInt8]
  /// The record fields in the new list, in the text form; empty if the numbers are not in it.
  package var new: [UInt8]
}

/// Compares two sorted, disjoint lists.
///
/// A line that is not a record ends the comparison, because the result would be wrong without it. A run ends where a
/// record of either list begins or ends.
///
/// Memory: a read buffer and a batch per list. Work: O(records of both lists).
package struct ListDifference: ~Copyable {
  private var old: SortedList
  private var new: SortedList
  private let comparesAllFields: Bool

  /// Opens the lists. One of them may be `-` for standard input.
  ///
  /// - Parameter allFields: whether to compare sources, scores and days, too. Stores contain none of them.
  package init(
    old: String, new: String, allFields: Bool, _ context: StageContext
  ) throws(Failure) {
    try SetOptions.checkPipes([old, new], context)
    let oldList = try SortedList(old, context, .disjoint, .fatal, counts: true)
    let newList = try SortedList(new, context, .disjoint, .fatal, counts: true)
    self.old = oldList
    self.new = newList
    comparesAllFields = allFields
  }

  /// Passes every difference to `take`, in ascending order.
  package mutating func walk(_ take: (ListChange) throws(Failure) -> Void) throws(Failure) {
    try old.advance()
    try new.advance()
    // The first number of each current record that has not been compared yet.
    var oldFirst = old.first
    var newFirst = new.first
    while oldFirst != .max || newFirst != .max {
      if oldFirst < newFirst {
        let end = min(old.last, newFirst &- 1)
        try take(change(.removed, oldFirst, end))
        oldFirst = try old.front(after: end)
      } else if newFirst < oldFirst {
        let end = min(new.last, oldFirst &- 1)
        try take(change(.added, newFirst, end))
        newFirst = try new.front(after: end)
      } else {
        let end = min(old.last, new.last)
        if let kind = difference() { try take(change(kind, oldFirst, end)) }
        oldFirst = try old.front(after: end)
        newFirst = try new.front(after: end)
      }
    }
  }

  private borrowing func change(_ kind: ListChange.ChangeKind, _ first: UInt64, _ last: UInt64) -> ListChange
  {
    ListChange(
      kind: kind, first: first, last: last, old: kind == .added ? [] : [UInt8](copying: old.recordFields),
      new: kind == .removed ? [] : [UInt8](copying: new.recordFields))
  }

  /// How the two current records differ; nil if they don't.
  private borrowing func difference() -> ListChange.ChangeKind? {
    let one = old.recordFields
    let other = new.recordFields
    if one.hasSameBytes(as: other) { return nil }
    let label = one.extracting(0..<RecordFields.labelLength(one))
    let otherLabel = other.extracting(0..<RecordFields.labelLength(other))
    if !label.hasSameBytes(as: otherLabel) { return .relabelled }
    if !comparesAllFields { return nil }
    return RecordFields.score(one) == RecordFields.score(other) ? .changed : .votes
  }
}

extension SortedList {
  /// The first number after `end`, up to which this list has been processed: the rest of the current record, or the
  /// start of the next record.
  fileprivate mutating func front(after end: UInt64) throws(Failure) -> UInt64 {
    if last > end { return end &+ 1 }
    try advance()
    return first
  }
}
