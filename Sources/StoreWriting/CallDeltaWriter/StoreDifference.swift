// Walks through two stores together and finds where they differ. Only this file defines what a difference is.
//
// Records are compared as a whole: numbers, kind and label. A range that grew, shrank or changed its label counts as a
// range removed and a range added.

import CallStoreFormat
import CallStoreReader

/// A walk through two stores at once.
struct StoreDifference: ~Copyable {
  /// How the current records of the two stores differ.
  enum Finding {
    /// A record of the old store alone.
    case removal
    /// A record of the new store alone.
    case addition
    /// Two records that start at the same number and are not the same.
    case change
    /// A record of both.
    case same
  }

  var old: RecordWalk
  var new: RecordWalk
  private let oldPath: String
  private let newPath: String

  /// Starts at the first records. The paths are for messages.
  init(_ old: borrowing CallStore, at oldPath: String, _ new: borrowing CallStore, at newPath: String) {
    self.old = RecordWalk(old)
    self.new = RecordWalk(new)
    self.oldPath = oldPath
    self.newPath = newPath
  }

  /// Compares the current records; nil after the end of both stores.
  mutating func finding(
    _ oldStore: borrowing CallStore, _ newStore: borrowing CallStore
  ) throws(DeltaError) -> Finding? {
    let hasOld = try old.hasRecord(oldStore, at: oldPath)
    let hasNew = try new.hasRecord(newStore, at: newPath)
    guard hasOld else { return hasNew ? .addition : nil }
    guard hasNew else { return .removal }
    let one = old.first
    let two = new.first
    if one != two { return one < two ? .removal : .addition }
    let isSame =
      old.last == new.last && old.kind == new.kind
      && oldStore.hasSame(old.label, as: new.label, of: newStore)
    return isSame ? .same : .change
  }

  /// The number at which a finding starts: the first number of the smaller current record.
  func firstNumber(of finding: Finding) -> UInt64 {
    finding == .removal ? old.first : new.first
  }

  /// Advances past the records of a finding.
  mutating func advance(past finding: Finding) {
    if finding != .addition { old.advance() }
    if finding != .removal { new.advance() }
  }
}
