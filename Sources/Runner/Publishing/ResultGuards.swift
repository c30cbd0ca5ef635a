// Checks whether a result is plausible: enough numbers, and not too many changes since the current version.

import Records
import RecordStages
import StoreWriting
import SystemIO

/// Checks a result before it is published.
struct ResultGuards {
  private let options: PublishOptions
  private let calls: any SystemCalls

  init(_ options: PublishOptions, calls: any SystemCalls) {
    self.options = options
    self.calls = calls
  }

  /// Checks a version against the current version's folder. Throws a ``PublishError``.
  func check(_ staged: VersionContent, against current: String) throws(Failure) {
    try checkCount(staged)
    guard let limit = options.maxChangePercent else { return }
    try check(try VersionChange(from: current, to: staged.path, calls: calls), limit)
  }

  /// Checks a version against only the count of the current version's numbers; 0 if there is none. Different numbers
  /// are not detected if the counts are similar.
  func check(_ staged: VersionContent, againstCount before: UInt64) throws(Failure) {
    try checkCount(staged)
    guard let limit = options.maxChangePercent else { return }
    try check(VersionChange(before: before, after: staged.entries), limit)
  }

  private func checkCount(_ staged: VersionContent) throws(Failure) {
    if let minimum = options.minEntries, staged.entries < minimum {
      throw Failure(nil, PublishError.tooFewEntries(count: staged.entries, minimum: minimum))
    }
  }

  private func check(_ change: VersionChange, _ limit: Double) throws(Failure) {
    guard change.before > 0 else { return }
    let most = Double(change.before) * limit / 100
    if Double(change.gone) > most || Double(change.new) > most {
      throw Failure(
        nil,
        PublishError.changedTooMuch(
          gone: change.gone, new: change.new, of: change.before, limitPercent: limit))
    }
  }
}

/// The single numbers in which two versions differ. Labels are ignored.
struct VersionChange: Equatable {
  /// The count of numbers in the old version.
  var before: UInt64 = 0
  /// The count of numbers that only the old version has.
  var gone: UInt64 = 0
  /// The count of numbers that only the new version has.
  var new: UInt64 = 0

  /// Estimates the change from two counts.
  init(before: UInt64, after: UInt64) {
    self.before = before
    gone = before - min(before, after)
    new = after - min(before, after)
  }

  /// Compares the shards of two folders.
  ///
  /// - Complexity: O(records of both); ranges are not expanded.
  init(from old: String, to new: String, calls: any SystemCalls) throws(Failure) {
    do throws(ShardDirectoryError) {
      before = try ShardDirectory(old, calls: calls).entries
    } catch {
      throw Failure(nil, error)
    }
    let context = StageContext(meter: StageMeter(.diff), rejects: try RejectLog(), calls: calls)
    var difference = try ListDifference(old: old, new: new, allFields: false, context)
    var (gone, added): (UInt64, UInt64) = (0, 0)
    try difference.walk { (change) throws(Failure) in
      let width = change.last - change.first + 1
      switch change.kind {
      case .removed: gone &+= width
      case .added: added &+= width
      case .relabelled, .changed: break
      }
    }
    self.gone = gone
    self.new = added
  }
}
