// Two stores walked together, and where they differ: the one place that says what a difference is.
//
// Records are compared whole: numbers, kind and label. A range that grew, shrank or changed its label is a range
// removed and a range added.

import CallStoreFormat
import CallStoreReader

/// A walk through two stores at once.
struct StoreDifference: ~Copyable {
  /// What stands at the front.
  enum Finding {
    /// A record of the old store alone.
    case removal
    /// A record of the new store alone.
    case addition
    /// Two records that begin with the same number and are not the same.
    case change
    /// A record of both.
    case same
  }

  var old: RecordWalk
  var new: RecordWalk

  init(_ old: borrowing CallStore, _ new: borrowing CallStore) {
    self.old = RecordWalk(old)
    self.new = RecordWalk(new)
  }

  /// What stands at the front; nil behind the end of both.
  mutating func finding(
    _ oldStore: borrowing CallStore, _ newStore: borrowing CallStore
  ) throws(DifferenceError) -> Finding? {
    let hasOld: Bool
    do throws(CallStoreError) { hasOld = try old.hasRecord(oldStore) } catch { throw .old(error) }
    let hasNew: Bool
    do throws(CallStoreError) { hasNew = try new.hasRecord(newStore) } catch { throw .new(error) }
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

  /// The number at which what was found stands: that of the records at the front with the smaller number.
  func place(of finding: Finding) -> UInt64 {
    finding == .removal ? old.first : new.first
  }

  /// Goes behind what was found.
  mutating func pass(_ finding: Finding) {
    if finding != .addition { old.advance() }
    if finding != .removal { new.advance() }
  }
}

/// Which of the two stores could not be read.
enum DifferenceError: Error {
  case old(CallStoreError)
  case new(CallStoreError)
}
