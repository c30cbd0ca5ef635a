// Messages for Live Caller ID Lookup directories that can't be read.

public import KeywordDatabase
public import PipeStage

extension LookupDirectoryError: UserMessageConvertible {
  /// Describes the error for users.
  public func userMessage(of stage: StageName?) -> UserMessage {
    switch self {
    case .unreadable(let error): error.userMessage(of: stage)
    case .invalidManifest(let path):
      UserMessage(
        "'\(path)' is not the manifest of a Live Caller ID Lookup directory",
        hint: "name a directory that 'cdpipe emit --format pir' has written")
    case .invalidSums(let path):
      UserMessage(
        "'\(path)' does not belong to the manifest beside it",
        hint: "write the directory again with --baseline none")
    }
  }
}
