// Messages for inputs that are not text: what they are, and which command reads them.

public import PipeStage

extension BinaryInputError: UserMessageConvertible {
  /// Describes the error for users.
  public func userMessage(of _: StageName?) -> UserMessage {
    let name = InputName.quoted(input)
    let isFile = input != "-"
    let file = ShellQuoting.quoted(input)
    guard content != .store else {
      return UserMessage(
        "\(name) is a store", hint: "read its records with: cdpipe cat \(isFile ? file : "FILE") | …")
    }
    return UserMessage(
      "\(name) is compressed (\(content.rawValue))",
      hint: isFile ? "unpack it with: cdpipe unzip \(file) | …" : "add 'cdpipe unzip' before this stage")
  }
}
