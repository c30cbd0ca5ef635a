// The options of publishing, and its steps for tests of crash safety.

/// The options of publishing.
package struct PublishOptions: Equatable, Sendable {
  /// The maximum number of versions to keep: one per day for almost three years. Each is a folder, and every run looks
  /// at all of them.
  package static let keepMax = 1000
  /// The maximum number of versions that deltas start from. Each needs a pass over both versions; a phone that missed
  /// more versions loads everything again.
  package static let deltasMax = 30
  /// The default of ``signatureSeconds``: two weeks, so that a phone that was off for some days has a valid list.
  package static let defaultSignatureSeconds: Int64 = 14 * 86_400
  /// The maximum of ``signatureSeconds``: ten years.
  package static let signatureSecondsMax: Int64 = 3_650 * 86_400

  /// The folder that holds the versions and names the current one.
  package var directory: String
  /// The number of versions to keep, including the current one.
  package var keep = 7
  /// The maximum age of versions in days; older ones are removed even if fewer than `keep` remain. Nil for no limit.
  package var keepDays: Int?
  /// The number of previous versions from which deltas to a new version are written.
  package var deltas = 1
  /// The minimum count of single numbers in a version; nil for none.
  package var minEntries: UInt64?
  /// The maximum share of numbers that a version may remove or add, in percent of the current version's numbers; nil
  /// for no limit.
  package var maxChangePercent: Double?
  /// The files of the private keys that sign each version; empty for unsigned versions.
  package var signingKeys: [String] = []
  /// The number of seconds for which a signature is valid. Every run renews it.
  package var signatureSeconds = defaultSignatureSeconds

  /// Creates options with default values.
  package init(directory: String) {
    self.directory = directory
  }
}

/// The steps of publishing: the state on disk changes between any two. Tests in the same process look at it at each of them.
package enum PublishStep: String, CaseIterable, Sendable {
  /// The lock is held; the folder has not been read yet.
  case locked
  /// The leftovers of an interrupted run are removed.
  case cleaned
  /// The sources are fetched.
  case fetched
  /// The staging folder exists and is empty.
  case staged
  /// All files are written to the staging folder.
  case written
  /// Every file was read back and is valid, and the result passed the guards.
  case judged
  /// The staging folder's files and names are durable.
  case synced
  /// A file of the damaged current version was replaced by a valid one. Reported for each file, only when a version is
  /// repaired.
  case mending
  /// The new version is in the versions folder; `current` does not lead to it yet.
  case placed
  /// `current` leads to the new version.
  case current
  /// `current` is durable, and `manifest.json` leads to the new version.
  case durable
  /// The new version is in the history.
  case noted
  /// Expired versions are removed.
  case pruned
}
