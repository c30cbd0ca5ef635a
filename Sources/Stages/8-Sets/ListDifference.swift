// `diff`: what two disjoint lists differ in, number by number, as runs.
//
// Not for how a difference is written: the command does that.

import CallRecord
public import PipeStage
import SystemIO

/// A run of numbers that two lists differ in.
public struct ListChange: Equatable, Sendable {
  /// What became of the numbers.
  public enum Kind: String, Sendable {
    /// They are in the new list only.
    case added
    /// They are in the old list only.
    case removed
    /// Their label is another one.
    case relabelled
    /// Their label is the same, their source or score is not.
    case changed
  }

  /// What became of the numbers.
  public var kind: Kind
  /// The first number.
  public var first: UInt64
  /// The last number.
  public var last: UInt64
  /// The record fields in the old list, as the text form has it; empty when the numbers are not in it.
  public var old: [UInt8]
  /// The record fields in the new list, as the text form has it; empty when the numbers are not in it.
  public var new: [UInt8]

  /// Makes a change.
  public init(kind: Kind, first: UInt64, last: UInt64, old: [UInt8], new: [UInt8]) {
    self.kind = kind
    self.first = first
    self.last = last
    self.old = old
    self.new = new
  }
}

/// Compares two sorted, disjoint lists.
///
/// A line that is no record ends the comparison: without it the answer would be wrong. A run is as long as both lists have one record for its numbers, or one has and the other has none.
///
/// Memory: a read buffer and a batch for each list. Work: O(records of both).
public struct ListDifference: ~Copyable {
  private var old: SortedList
  private var new: SortedList
  private let comparesAllFields: Bool

  /// Opens the lists; one of them may be `-`, standard input.
  ///
  /// - Parameter allFields: whether sources and scores are compared, too. Stores keep neither.
  public init(
    old: String, new: String, allFields: Bool, _ context: StageContext
  ) throws(StageError) {
    let oldList = try SortedList(old, context, .disjoint, .fatal, counts: true)
    let newList = try SortedList(new, context, .disjoint, .fatal, counts: true)
    self.old = oldList
    self.new = newList
    comparesAllFields = allFields
  }

  /// Hands over every run that the lists differ in, ascending.
  public mutating func walk(_ take: (ListChange) throws(StageError) -> Void) throws(StageError) {
    try old.advance()
    try new.advance()
    // Where the undecided rest of each record at the front begins.
    var oldFirst = old.first
    var newFirst = new.first
    while oldFirst != .max || newFirst != .max {
      if oldFirst < newFirst {
        let end = min(old.last, newFirst &- 1)
        try take(change(.removed, oldFirst, end))
        oldFirst = try old.front(behind: end)
      } else if newFirst < oldFirst {
        let end = min(new.last, oldFirst &- 1)
        try take(change(.added, newFirst, end))
        newFirst = try new.front(behind: end)
      } else {
        let end = min(old.last, new.last)
        if let kind = difference() { try take(change(kind, oldFirst, end)) }
        oldFirst = try old.front(behind: end)
        newFirst = try new.front(behind: end)
      }
    }
  }

  private borrowing func change(_ kind: ListChange.Kind, _ first: UInt64, _ last: UInt64) -> ListChange {
    ListChange(
      kind: kind, first: first, last: last, old: kind == .added ? [] : [UInt8](copying: old.recordFields),
      new: kind == .removed ? [] : [UInt8](copying: new.recordFields))
  }

  /// How the two records at the fronts differ; nil when they do not.
  private borrowing func difference() -> ListChange.Kind? {
    let one = old.recordFields
    let other = new.recordFields
    if one.hasSameBytes(as: other) { return nil }
    let label = one.extracting(0..<RecordFields.labelLength(one))
    let otherLabel = other.extracting(0..<RecordFields.labelLength(other))
    if !label.hasSameBytes(as: otherLabel) { return .relabelled }
    return comparesAllFields ? .changed : nil
  }
}

extension SortedList {
  /// The first number after `end`, up to which this list has been processed: the rest of the record at the front, or the
  /// start of the next record.
  fileprivate mutating func front(behind end: UInt64) throws(StageError) -> UInt64 {
    if last > end { return end &+ 1 }
    try advance()
    return first
  }
}
