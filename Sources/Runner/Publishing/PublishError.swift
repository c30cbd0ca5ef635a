// Why nothing was published, as data. Only the command layer makes sentences.

public import PipeStage
public import ShardDirectories
public import SystemIO

/// Why nothing was published. What was current is still.
public enum PublishError: Error, ErrorCause {
  /// Another run has the lock; what it said about itself, as far as it can be read.
  case locked(directory: String, holder: PublishHolder?)
  /// Something stands at a path that publishing does not make: it is not replaced.
  case notOurs(path: String)
  /// The outputs hold no directory of shards with a manifest in the version's own folder.
  case noManifest(ShardDirectoryError)
  /// What was written is not what it should be.
  case failedVerification(ShardDirectoryError)
  /// Fewer single numbers than there must be.
  case tooFewEntries(count: UInt64, least: UInt64)
  /// Too many numbers of the current version are gone, or too many are new.
  case changedTooMuch(gone: UInt64, new: UInt64, of: UInt64, limitPercent: Double)
  /// The new version is current, but that may not outlive a crash of the system.
  case notDurable(version: String, SystemCause)
  /// There are no versions in the directory.
  case nothingPublished(directory: String)
  /// No version before the current one.
  case nothingBefore(version: String)
  /// No version begins so, or several do.
  case noSuchVersion(String, matches: Int)
  /// The current version is damaged, and the sources don't bring its content any more.
  case damagedCurrent(String, VersionError)
  /// More rows were rejected than may be.
  case tooManyRejects(count: UInt64, of: UInt64, RejectPolicy.Limit)
  /// The version to go back to is damaged.
  case damagedVersion(String, VersionError)

  /// What failed after the switch to the new version.
  public typealias SystemCause = any ErrorCause

  /// Bad data for what is refused; try again for a lock.
  public var errorClass: ErrorClass {
    switch self {
    case .locked: .tryLater
    case .notOurs: .cannotCreate
    case .noManifest, .tooFewEntries, .changedTooMuch, .damagedVersion, .damagedCurrent,
      .tooManyRejects:
      .badData
    case .failedVerification, .notDurable: .inputOutput
    case .nothingPublished: .noInput
    case .nothingBefore, .noSuchVersion: .usage
    }
  }
}

/// Why a version is not what was published.
public enum VersionError: Error, Sendable {
  /// Its shards do not match its manifest.
  case shards(ShardDirectoryError)
  /// The shards are valid, but the hash over them and the other files is not the version's id.
  case otherContent
  /// A file can't be read.
  case unreadable(SystemError)
}

/// Who holds the lock of a published folder.
public struct PublishHolder: Equatable, Sendable {
  /// The process.
  public var process: Int
  /// The machine.
  public var host: String
  /// Since when, as `2026-03-31T04:30:00Z`.
  public var since: String

  /// Parses the content of the lock file: `PID HOST TIME`.
  public init?(_ note: String) {
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
