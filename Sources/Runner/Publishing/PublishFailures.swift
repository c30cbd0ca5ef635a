// Why nothing was published, and what is wrong with a version.

package import Records

/// The current version is unchanged, except after ``notDurable(version:_:)``.
extension Failure {
  private static let prefix = "publish-"
  private static let unchanged = "the current version is unchanged"
  private static let allowRejects = "to allow it once, use --set publish.max-rejects=100%; \(unchanged)"

  /// Whether publishing itself failed or refused the result.
  package var isOfPublishing: Bool { code.hasPrefix(Self.prefix) }

  /// Whether the new version is current, but might be lost in a system crash.
  package var isNotDurable: Bool { code == "publish-not-durable" }

  private static func publishing(
    _ errorClass: ErrorClass, _ code: String, _ text: String, hint: String?
  ) -> Failure {
    Failure(nil, errorClass, prefix + code, text, hint: hint)
  }

  // MARK: The folder

  /// Another run holds the lock; `holder` is nil if the lock file can't be read.
  static func locked(_ directory: String, by holder: PublishHolder?) -> Failure {
    publishing(
      .tryLater, "locked",
      "'\(directory)' is locked by "
        + (holder.map { "process \($0.process) on \($0.host), since \($0.since)" } ?? "another run"),
      hint: "try again when it has finished; a lock ends with its process")
  }

  /// A path is occupied by something that publishing did not create; it is not replaced.
  static func notOurs(path: String) -> Failure {
    publishing(
      .cannotCreate, "not-ours", "'\(path)' is not a link made by publishing",
      hint: "publish to another folder, or move the file away")
  }

  /// A symbolic link is in the place of a file or folder of the published folder, or of the copies of sources.
  static func isLink(path: String) -> Failure {
    publishing(
      .cannotCreate, "is-link", "'\(path)' is a symbolic link, which publishing does not follow",
      hint: "remove the link")
  }

  package static func nothingPublished(in directory: String) -> Failure {
    publishing(
      .noInput, "nothing-published", "nothing is published in '\(directory)'",
      hint: "publish with 'cdpipe run' and a pipeline file that has 'publish'")
  }

  /// The link `current` leads to something that is not a version of the folder.
  static func danglingCurrent(path: String, destination: String) -> Failure {
    publishing(
      .badData, "dangling-current", "'\(path)' leads to '\(destination)', which is missing or not a version",
      hint: "run the pipeline file: it publishes a version again")
  }

  static func damagedState(path: String) -> Failure {
    publishing(
      .badData, "damaged-state", "'\(path)' is damaged: earlier events and rollbacks are not known",
      hint: "run the pipeline file: it writes the file again")
  }

  static func noVersionManifest(path: String) -> Failure {
    publishing(
      .badData, "no-version-manifest",
      "the version in '\(path)' is damaged: its manifest is missing or unusable",
      hint: "run the pipeline file, which repairs the current version; remove the folder of another one")
  }

  // MARK: The result

  /// The outputs do not include a directory of shards with a manifest in the version's own folder.
  static func noManifest(_ error: Failure) -> Failure {
    publishing(
      error.errorClass == .inputOutput ? .inputOutput : .badData, "no-manifest",
      "the outputs are not a version: \(error.message.message)",
      hint: "write one output as shards into the version's own folder: { format: store } without path")
  }

  static func failedVerification(_ error: Failure) -> Failure {
    publishing(
      .inputOutput, "failed-verification", "verification of the outputs failed: \(error.message.message)",
      hint: "check the disk and the memory; \(unchanged)")
  }

  static func tooFewEntries(_ count: UInt64, minimum: UInt64) -> Failure {
    publishing(
      .badData, "too-few-entries",
      "the result has \(Figures.counted(count, "number")), fewer than min-entries (\(Figures.grouped(minimum))); "
        + "nothing published", hint: "check the sources; \(unchanged)")
  }

  static func changedTooMuch(gone: UInt64, new: UInt64, of before: UInt64, limit: Double) -> Failure {
    publishing(
      .badData, "changed-too-much",
      "of \(Figures.grouped(before)) numbers, \(Figures.grouped(gone)) were removed and \(Figures.grouped(new)) "
        + "added, more than max-change (\(Figures.plain(limit))%); nothing published",
      hint: "to allow it once, use --set publish.max-change=100%; \(unchanged)")
  }

  package static func tooManyPublishedRejects(
    _ count: UInt64, of total: UInt64, _ limit: RejectPolicy.Limit
  ) -> Failure {
    let text =
      switch limit {
      case .count(let max):
        "more than \(Figures.grouped(max)) rows were rejected (publish.max-rejects); nothing published"
      case .percent(let max):
        "\(Figures.grouped(count)) of \(Figures.grouped(total)) rows were rejected, more than "
          + "publish.max-rejects (\(Figures.plain(max))%); nothing published"
      }
    return publishing(.badData, "too-many-rejects", text, hint: allowRejects)
  }

  static func notDurable(version: String, _ cause: Failure) -> Failure {
    publishing(
      .inputOutput, "not-durable",
      "version \(PublishText.short(version)) is current, but might be lost in a system crash: "
        + cause.message.message, hint: "run it again to repair this")
  }

  /// A source's file changed during the run, so that its bytes can't be kept as the last good copy.
  static func sourceChanged(path: String) -> Failure {
    publishing(
      .badData, "source-changed",
      "'\(PrintableText.line(path))' changed during the run; the last good copy is still the previous one",
      hint: "replace the file with a rename, so that a run reads either the old one or the new one")
  }

  // MARK: Versions

  /// The current version is damaged, and the sources no longer result in its content.
  package static func damagedCurrent(_ version: String, _ problem: VersionProblem) -> Failure {
    let short = PublishText.short(version)
    if problem == .unsigned {
      return publishing(
        .badData, "damaged-current", "the current version \(short) was rolled back to, and \(problem.text)",
        hint: "sign it: cdpipe rollback DIR \(short) --sign KEYFILE")
    }
    return publishing(
      .badData, "damaged-current",
      "the current version \(short) is damaged, and the sources result in another one; nothing published: "
        + problem.text, hint: "make another version current with 'cdpipe rollback'")
  }

  static func damagedVersion(_ version: String, _ problem: VersionProblem) -> Failure {
    publishing(
      .badData, "damaged-version", "version \(PublishText.short(version)) is damaged: \(problem.text)",
      hint: "choose another version (see --list); \(unchanged)")
  }

  /// There is no version before the current one.
  static func nothingBefore(version: String) -> Failure {
    publishing(
      .noInput, "nothing-before", "there is no version before \(PublishText.short(version))",
      hint: "see the versions with --list")
  }

  /// No version's id starts with this text, or several do.
  static func noSuchVersion(_ text: String, matches: Int) -> Failure {
    publishing(
      matches == 0 ? .noInput : .usage, "no-such-version",
      matches == 0 ? "no version starts with '\(text)'" : "\(matches) versions start with '\(text)'",
      hint: "see the versions with --list")
  }

  /// The published versions are signed, and the pipeline file names no key.
  static func unsignedRun(_ directory: String) -> Failure {
    publishing(
      .usage, "unsigned",
      "the versions in '\(directory)' are signed, and apps with the key refuse one without a signature; "
        + "nothing published",
      hint: "add 'sign: KEYFILE' to 'publish', or allow it with --set publish.allow-unsigned=true")
  }

  /// A signature is valid until a time, which this clock can't tell.
  static var clockBefore1970: Failure {
    publishing(
      .inputOutput, "clock", "the clock of this machine is before 1970, and a signature needs the time",
      hint: "set the clock; \(unchanged)")
  }

  /// No serial number is higher than the last one.
  static var exhaustedSerials: Failure {
    publishing(
      .badData, "exhausted-serials",
      "the last signature has the highest serial number that there is: phones would refuse any other",
      hint: "publish to another folder with another key; \(unchanged)")
  }

  /// The published versions are signed, and no key was named for signing the one to roll back to.
  static var needsSigningKey: Failure {
    publishing(
      .usage, "needs-signing-key",
      "the versions are signed, and phones refuse an earlier one with its old signature",
      hint: "sign it again: --sign KEYFILE")
  }
}

package struct VersionProblem: Equatable, Sendable {
  package let text: String

  private init(text: String) { self.text = text }

  /// The shards are valid, but the hash of all files is not the version's id.
  static let otherContent = VersionProblem(text: "its files are not those that were published")
  package static let unsigned = VersionProblem(text: "none of the keys of 'sign' has signed it as it is")

  /// Throws an error of the machine: the version may be valid.
  init(_ error: Failure) throws(Failure) {
    if error.errorClass == .inputOutput { throw error }
    text = error.message.message
  }
}

struct PublishHolder: Equatable, Sendable {
  var process: Int
  var host: String
  /// The time at which the lock was acquired, such as `2026-03-31T04:30:00Z`.
  var since: String

  init(process: Int, host: String, since: String) {
    self.process = process
    self.host = host
    self.since = since
  }

  /// Parses the content of the lock file: `PID HOST TIME`.
  init?(_ note: String) {
    let words = note.split(whereSeparator: { $0 == " " || $0.isNewline })
    guard words.count == 3, let process = Int(words[0]) else { return nil }
    self.init(process: process, host: String(words[1]), since: String(words[2]))
  }

  var note: String { "\(process) \(host) \(since)\n" }
}
