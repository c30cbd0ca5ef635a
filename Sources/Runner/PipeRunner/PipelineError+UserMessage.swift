// Messages for errors of pipelines.

import InputStages
package import Records

extension PipelineError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .mismatch(let stage, let input, let before, let output):
      UserMessage(
        "\(stage.rawValue) reads \(input.rawValue), but \(before.rawValue) writes \(output.rawValue)")
    case .inputShrank(let path, let read, let size):
      UserMessage(
        "'\(path)' became shorter while it was read: it ended after \(read) of \(size) bytes",
        hint: "run it again when nothing writes to the file, or replace the file with a rename")
    }
  }
}
