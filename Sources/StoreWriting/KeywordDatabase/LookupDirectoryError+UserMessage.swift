// Messages for Live Caller ID Lookup directories that can't be read.

package import Records

extension LookupDirectoryError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of stage: StageName?) -> UserMessage {
    switch self {
    case .unreadable(let error): error.userMessage(of: stage)
    case .invalidManifest(let path):
      UserMessage(
        "'\(path)' is not the manifest of a Live Caller ID Lookup directory, or one of a newer cdpipe",
        hint: "name a directory that 'cdpipe emit --format pir' has written")
    case .invalidSums(let path):
      UserMessage(
        "'\(path)' does not belong to the manifest beside it",
        hint: "write the directory again with --baseline none")
    case .row(let reason, let path, let offset):
      UserMessage("'\(path)', byte \(offset): \(reason.text)", hint: Self.remake)
    case .duplicateNumber(let number, let use, let directory):
      UserMessage(
        "\(number) occurs twice in the \(use.rawValue) shards of '\(directory)'", hint: Self.remake)
    case .replaced(let path):
      UserMessage(
        "'\(path)' was replaced while the directory was read", hint: "run the command again")
    case .otherFile(let path):
      UserMessage(
        "'\(path)' is damaged: its SHA-256 is not the one in SHA256SUMS", hint: Self.remake)
    case .unlistedShard(let path):
      UserMessage("'\(path)' is not a shard of the directory", hint: "remove the file")
    case .otherConfiguration(let path):
      UserMessage("'\(path)' is not the configuration that the manifest requires", hint: Self.remake)
    case .contradiction(let path, let key):
      UserMessage("\(path): '\(key)' is not the value of the shards", hint: Self.remake)
    }
  }

  private static let remake = "write the directory again: cdpipe emit --format pir"
}

extension LookupDirectoryError.RowReason {
  /// What is wrong with a row.
  fileprivate var text: String {
    switch self {
    case .notARow: "not a row of a keyword database"
    case .cutShort: "the file ends within a row"
    case .notANumber: "a keyword is not '+' and an E.164 number"
    case .invalidValue: "the value of a row is neither 0 or 1 nor a caller's identity"
    case .labelTooLong(let bytes):
      "a name of \(Figures.grouped(UInt64(bytes))) bytes is longer than the label of a record"
    case .notAscending(let previous, let number):
      "\(number) comes after \(previous): the rows of a shard must ascend"
    case .otherShard(let number, let shard): "\(number) belongs in shard \(shard)"
    }
  }
}
