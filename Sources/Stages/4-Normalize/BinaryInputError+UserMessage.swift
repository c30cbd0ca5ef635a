// Messages for inputs that are not text: what they are, and which command reads them; and for the packed form.

package import Records

extension BinaryInputError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    let name = InputName.quoted(input)
    let isFile = input != "-"
    let file = ShellQuoting.quoted(input)
    guard content != .store else {
      return UserMessage(
        "\(name) is a store", hint: "read its records with: cdpipe cat \(isFile ? file : "FILE") | …")
    }
    guard content != .packedForm else {
      return UserMessage(
        "\(name) is in the packed form, which only filters read",
        hint: "write it as text: leave out --packed, and unset CDPIPE_PACKED")
    }
    return UserMessage(
      "\(name) is compressed (\(content.rawValue))",
      hint: isFile ? "unpack it with: cdpipe unzip \(file) | …" : "add 'cdpipe unzip' before this stage")
  }
}

extension PackedFormError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of stage: StageName?) -> UserMessage {
    switch self {
    case .notPacked:
      UserMessage(
        "the input begins like the packed form, but its header is damaged",
        hint: "write it again with the same version of cdpipe")
    case .version(let version):
      UserMessage(
        "the input is in version \(version) of the packed form, which this version of cdpipe does not read",
        hint: "use the same version of cdpipe on both sides of the pipe")
    case .otherRows(.rawRows):
      UserMessage("the packed input has raw rows", hint: "add 'cdpipe normalize' before this stage")
    case .otherRows where stage == .normalize:
      UserMessage("the packed input has records", hint: "leave out 'cdpipe normalize'")
    case .otherRows:
      UserMessage(
        "the packed input has records, which this command reads only as text",
        hint: "leave out '--packed' and unset CDPIPE_PACKED")
    case .truncated(let rows):
      UserMessage(
        "the packed input ends after \(Figures.counted(rows, "row")), before its end mark",
        hint: "look for an error of the command that wrote it")
    case .afterText:
      UserMessage(
        "the input starts as text and continues in the packed form, which must come first",
        hint: "write all parts as text: leave out '--packed' and unset CDPIPE_PACKED")
    case .damaged(let rows):
      UserMessage(
        "the packed input is damaged after \(Figures.counted(rows, "row"))",
        hint: "write it again")
    }
  }
}
