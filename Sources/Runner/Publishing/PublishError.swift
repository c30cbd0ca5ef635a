// Why nothing was published, as data. The messages are in UserMessages.

package import Records
package import StoreWriting
package import SystemIO

/// Why nothing was published. The current version is unchanged, except after ``notDurable(version:_:)``.
package enum PublishError: Error, ErrorCause {
  /// Another run holds the lock; `holder` is nil if the lock file can't be read.
  case locked(directory: String, holder: PublishHolder?)
  /// A path is occupied by something that publishing did not create; it is not replaced.
  case notOurs(path: String)
  /// A symbolic link is in the place of a file or folder of the published folder, or of the copies of sources.
  case isLink(path: String)
  /// The outputs do not include a directory of shards with a manifest in the version's own folder.
  case noManifest(ShardDirectoryError)
  /// Reading the outputs back failed, or their content is wrong.
  case failedVerification(ShardDirectoryError)
  /// Fewer single numbers than the minimum.
  case tooFewEntries(count: UInt64, minimum: UInt64)
  /// Too many numbers were removed or added, compared with the current version.
  case changedTooMuch(gone: UInt64, new: UInt64, of: UInt64, limitPercent: Double)
  /// The new version is current, but might be lost in a system crash.
  case notDurable(version: String, Failure)
  /// The directory contains no versions.
  case nothingPublished(directory: String)
  /// There is no version before the current one.
  case nothingBefore(version: String)
  /// No version's id starts with this text, or several do.
  case noSuchVersion(String, matches: Int)
  /// The current version is damaged, and the sources no longer result in its content.
  case damagedCurrent(String, VersionError)
  /// The link `current` leads to something that is not a version of the folder.
  case danglingCurrent(path: String, destination: String)
  /// The folder's state is damaged.
  case damagedState(path: String)
  /// The manifest of a version is missing or unusable.
  case noVersionManifest(path: String)
  /// More rows were rejected than the limit allows.
  case tooManyRejects(count: UInt64, of: UInt64, RejectPolicy.Limit)
  /// The version to roll back to is damaged.
  case damagedVersion(String, VersionError)
  /// The published versions are signed, and no key was named for signing the one to roll back to.
  case needsSigningKey
  /// A source's file changed during the run, so that its bytes can't be kept as the last good copy.
  case sourceChanged(path: String)

  /// The error class: bad data for rejected results, try later for a lock, and so on.
  package var errorClass: ErrorClass {
    switch self {
    case .locked: .tryLater
    case .notOurs, .isLink: .cannotCreate
    case .noManifest(let error): error.errorClass == .inputOutput ? .inputOutput : .badData
    case .tooFewEntries, .changedTooMuch, .damagedVersion, .damagedCurrent, .tooManyRejects,
      .sourceChanged, .danglingCurrent, .damagedState, .noVersionManifest:
      .badData
    case .failedVerification, .notDurable: .inputOutput
    case .nothingPublished, .nothingBefore, .noSuchVersion(_, matches: 0): .noInput
    case .noSuchVersion, .needsSigningKey: .usage
    }
  }
}

/// Why a version differs from what was published.
package enum VersionError: Error, Sendable {
  /// Its shards do not match its manifest.
  case shards(ShardDirectoryError)
  /// The shards are valid, but the hash of all files is not the version's id.
  case otherContent
  /// None of the keys that sign versions has signed its manifest.
  case unsigned
  /// A file can't be read.
  case unreadable(SystemError)

  /// The error of the machine that prevented the check, if there is one: the version may be valid.
  var machineError: (any ErrorCause)? {
    switch self {
    case .shards(let error): error.errorClass == .inputOutput ? error : nil
    case .unreadable(let error): error.errorClass == .inputOutput ? error : nil
    case .otherContent, .unsigned: nil
    }
  }
}

/// The process that holds the lock of a published folder.
package struct PublishHolder: Equatable, Sendable {
  /// The process id.
  package var process: Int
  /// The host name.
  package var host: String
  /// The time at which the lock was acquired, such as `2026-03-31T04:30:00Z`.
  package var since: String

  /// Parses the content of the lock file: `PID HOST TIME`.
  package init?(_ note: String) {
    let words = note.split(whereSeparator: { $0 == " " || $0.isNewline })
    guard words.count == 3, let process = Int(words[0]) else { return nil }
    self.process = process
    host = String(words[1])
    since = String(words[2])
  }

  init(process: Int, host: String, since: String) {
    self.process = process
    self.host = host
    self.since = since
  }

  var note: String { "\(process) \(host) \(since)\n" }
}
