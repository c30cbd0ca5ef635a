// Whether a result is too odd to be published: far fewer numbers than there must be, or others than yesterday.

import PipeStage
import SetStage
import ShardDirectories
import SystemIO

/// The guards of a result.
struct ResultGuards {
  private let options: PublishOptions

  init(_ options: PublishOptions) {
    self.options = options
  }

  /// Throws what is wrong with a version, beside the current one's folder.
  func check(_ staged: VersionContent, against current: String) throws(StageError) {
    try checkCount(staged)
    guard let limit = options.maxChangePercent else { return }
    try check(try VersionChange(from: current, to: staged.path), limit)
  }

  /// The same beside nothing but the count of the current one's numbers, 0 if there is none: as many others pass.
  func check(_ staged: VersionContent, againstCount before: UInt64) throws(StageError) {
    try checkCount(staged)
    guard let limit = options.maxChangePercent else { return }
    try check(VersionChange(before: before, after: staged.entries), limit)
  }

  private func checkCount(_ staged: VersionContent) throws(StageError) {
    if let least = options.minEntries, staged.entries < least {
      throw StageError(nil, PublishError.tooFewEntries(count: staged.entries, least: least))
    }
  }

  private func check(_ change: VersionChange, _ limit: Double) throws(StageError) {
    guard change.before > 0 else { return }
    let most = Double(change.before) * limit / 100
    if Double(change.gone) > most || Double(change.new) > most {
      throw StageError(
        nil,
        PublishError.changedTooMuch(
          gone: change.gone, new: change.new, of: change.before, limitPercent: limit))
    }
  }
}

/// How many single numbers two versions differ in. Labels don't count.
struct VersionChange: Equatable {
  /// Numbers in the old one.
  var before: UInt64 = 0
  /// Numbers that the new one lacks.
  var gone: UInt64 = 0
  /// Numbers that only the new one has.
  var new: UInt64 = 0

  /// As far as two counts tell.
  init(before: UInt64, after: UInt64) {
    self.before = before
    gone = before - min(before, after)
    new = after - min(before, after)
  }

  /// Walks through both folders' shards.
  ///
  /// - Complexity: O(records of both); ranges are not expanded.
  init(from old: String, to new: String) throws(StageError) {
    do throws(ShardDirectoryError) {
      before = try ShardDirectory(old).entries
    } catch {
      throw StageError(nil, error)
    }
    let context = StageContext(meter: StageMeter(.diff), rejects: try RejectLog())
    var difference = try ListDifference(old: old, new: new, allFields: false, context)
    var (gone, added): (UInt64, UInt64) = (0, 0)
    try difference.walk { (change) throws(StageError) in
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
