// The options of publishing.

/// The options of publishing.
public struct PublishOptions: Equatable, Sendable {
  /// The most versions that are kept: one a day for some years. Each is a folder, and all of them are looked through at
  /// every run.
  public static let keepMax = 1000
  /// The maximum number of versions that deltas lead from: each costs a pass over both versions, and a phone that
  /// missed more loads everything again.
  public static let deltasMax = 30

  /// The folder that holds the versions and names the current one.
  public var directory: String
  /// How many versions are kept, the current one included.
  public var keep = 7
  /// Versions that were published more days ago go, however few there are; nil for no such limit.
  public var keepDays: Int?
  /// How many of the last versions get a delta to a new one.
  public var deltas = 1
  /// A version with fewer single numbers is refused.
  public var minEntries: UInt64?
  /// A version is refused that lacks more of the current one's numbers than this, in percent of them, or has more that are new.
  public var maxChangePercent: Double?

  /// Makes options.
  public init(directory: String) {
    self.directory = directory
  }
}

/// The moments of publishing at which everything that is on the disk is one thing more than before. A test ends the
/// process at each of them.
public enum PublishStep: String, CaseIterable, Sendable {
  /// The lock is held; nothing was looked at yet.
  case locked
  /// What a dead run left is gone.
  case cleaned
  /// The sources are fetched.
  case fetched
  /// The folder that becomes the version is there, empty.
  case staged
  /// It is full: every file has its name.
  case written
  /// Every file was read back and is valid, and the guards let it pass.
  case judged
  /// The names in it are durable.
  case synced
  /// A file of the current version, which is damaged, was replaced by a valid one; reported for each file. Only when a
  /// version is rebuilt.
  case mending
  /// It has its place among the versions; nothing names it.
  case placed
  /// `current` names it.
  case current
  /// That is durable, and `manifest.json` leads to it.
  case durable
  /// It stands in the history.
  case noted
  /// Versions beyond those to be kept are gone.
  case pruned
}
