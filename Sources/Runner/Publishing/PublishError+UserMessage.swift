// Messages for errors of publishing.

import StoreWriting
import CallStoreReader
package import Records

extension PublishError: UserMessageConvertible {
  private static let unchanged = "the current version is unchanged"
  private static let otherFolder = "publish to another folder, or move the file away"
  private static let allowRejects = "to allow it once, use --set publish.max-rejects=100%; \(unchanged)"

  private static func seeList(_ message: String) -> UserMessage {
    UserMessage(message, hint: "see the versions with --list")
  }

  private static let needsSigningKeyMessage = UserMessage(
    "the versions are signed, and phones refuse an earlier one with its old signature",
    hint: "sign it again: --sign KEYFILE")

  private static func damagedCurrent(_ version: String, _ error: VersionError) -> UserMessage {
    if case .unsigned = error {
      return UserMessage(
        "the current version \(version) was rolled back to, and \(error.text)",
        hint: "sign it: cdpipe rollback DIR \(version) --sign KEYFILE")
    }
    return UserMessage(
      "the current version \(version) is damaged, and the sources result in another one; nothing published: "
        + error.text, hint: "make another version current with 'cdpipe rollback'")
  }

  private static func sourceChanged(_ path: String) -> UserMessage {
    UserMessage(
      "'\(PrintableText.line(path))' changed during the run; the last good copy is still the previous one",
      hint: "replace the file with a rename, so that a run reads either the old one or the new one")
  }

  private static func danglingCurrent(_ path: String, _ destination: String) -> UserMessage {
    UserMessage(
      "'\(path)' leads to '\(destination)', which is missing or not a version",
      hint: "run the pipeline file: it publishes a version again")
  }

  private static func damagedState(_ path: String) -> UserMessage {
    UserMessage(
      "'\(path)' is damaged: earlier events and rollbacks are not known",
      hint: "run the pipeline file: it writes the file again")
  }

  private static func noVersionManifest(_ path: String) -> UserMessage {
    UserMessage(
      "the version in '\(path)' is damaged: its manifest is missing or unusable",
      hint: "run the pipeline file, which repairs the current version; remove the folder of another one")
  }

  private static func tooManyRejects(_ count: UInt64, _ total: UInt64, max: Double) -> UserMessage {
    UserMessage(
      "\(Figures.grouped(count)) of \(Figures.grouped(total)) rows were rejected, more than "
        + "publish.max-rejects (\(Figures.plain(max))%); nothing published", hint: allowRejects)
  }

  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .locked(let directory, let holder):
      UserMessage(
        "'\(directory)' is locked by "
          + (holder.map { "process \($0.process) on \($0.host), since \($0.since)" } ?? "another run"),
        hint: "try again when it has finished; a lock ends with its process")
    case .notOurs(let path):
      UserMessage("'\(path)' is not a link made by publishing", hint: Self.otherFolder)
    case .isLink(let path):
      UserMessage("'\(path)' is a symbolic link, which publishing does not follow", hint: "remove the link")
    case .noManifest(let error):
      UserMessage(
        "the outputs are not a version: \(error.userMessage.message)",
        hint: "write one output as shards into the version's own folder: { format: store } without path")
    case .failedVerification(let error):
      UserMessage(
        "verification of the outputs failed: \(error.text)",
        hint: "check the disk and the memory; \(Self.unchanged)")
    case .tooFewEntries(let count, let min):
      UserMessage(
        "the result has \(Figures.counted(count, "number")), fewer than min-entries (\(Figures.grouped(min))); "
          + "nothing published", hint: "check the sources; \(Self.unchanged)")
    case .changedTooMuch(let gone, let new, let before, let limit):
      UserMessage(
        "of \(Figures.grouped(before)) numbers, \(Figures.grouped(gone)) were removed and \(Figures.grouped(new)) "
          + "added, more than max-change (\(Figures.plain(limit))%); nothing published",
        hint: "to allow it once, use --set publish.max-change=100%; \(Self.unchanged)")
    case .sourceChanged(let path): Self.sourceChanged(path)
    case .notDurable(let version, let cause):
      UserMessage(
        "version \(PublishMessages.short(version)) is current, but might be lost in a system crash: "
          + cause.message.message, hint: "run it again to repair this")
    case .nothingPublished(let directory):
      UserMessage(
        "nothing is published in '\(directory)'",
        hint: "publish with 'cdpipe run' and a pipeline file that has 'publish'")
    case .nothingBefore(let version):
      Self.seeList("there is no version before \(PublishMessages.short(version))")
    case .noSuchVersion(let text, let matches):
      Self.seeList(
        matches == 0 ? "no version starts with '\(text)'" : "\(matches) versions start with '\(text)'")
    case .needsSigningKey: Self.needsSigningKeyMessage
    case .damagedCurrent(let version, let error):
      Self.damagedCurrent(PublishMessages.short(version), error)
    case .danglingCurrent(let path, let destination): Self.danglingCurrent(path, destination)
    case .damagedState(let path): Self.damagedState(path)
    case .noVersionManifest(let path): Self.noVersionManifest(path)
    case .tooManyRejects(_, _, .count(let max)):
      UserMessage(
        "more than \(Figures.grouped(max)) rows were rejected (publish.max-rejects); nothing published",
        hint: Self.allowRejects)
    case .tooManyRejects(let count, let total, .percent(let max)):
      Self.tooManyRejects(count, total, max: max)
    case .damagedVersion(let version, let error):
      UserMessage(
        "version \(PublishMessages.short(version)) is damaged: \(error.text)",
        hint: "choose another version (see --list); \(Self.unchanged)")
    }
  }
}

extension VersionError {
  /// What is wrong with a version.
  var text: String {
    switch self {
    case .shards(let error): error.text
    case .otherContent: "its files are not those that were published"
    case .unsigned: "none of the keys of 'sign' has signed it as it is"
    case .unreadable(let error): error.userMessage.message
    }
  }
}

extension ShardDirectoryError {
  /// What is wrong with a directory of shards.
  var text: String {
    switch self {
    case .noManifest, .storesOnly, .directoriesOnly, .notPublished, .brokenLink, .notShards, .unreadable,
      .tooLarge, .manifest, .invalidDelta, .otherDelta, .lookup:
      userMessage.message
    case .missingStore(let path, let code):
      StoreVerificationError.unreadable(.cannotOpen(code)).userMessage(path: path).message
    case .invalidStore(let error, let path): error.userMessage(path: path).message
    case .otherStore(let path, _, _): "'\(path)' is not the store that the manifest lists"
    }
  }
}

extension RefreshError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .notRepeatable(let input):
      UserMessage(
        "\(InputName.quoted(input)) can be read only once, and the run would have to be repeated without the sources that "
          + "were left out",
        hint: "save it to a file, and name the file")
    }
  }
}
