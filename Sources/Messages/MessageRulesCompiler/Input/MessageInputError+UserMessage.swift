// Messages for inputs that can't be read as messages.

package import Records

extension MessageInputError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    let name = InputName.plain(input)
    switch reason {
    case .header(.noHeader(let column)):
      return UserMessage("\(name): \(MessageReject.noHeader(column).text)", hint: "use --evaluate label")
    case .header(let reason):
      return UserMessage(
        "\(name): \(reason.text) in the header", hint: "name the columns sender, text and country")
    case .carriageReturns:
      return UserMessage(
        "\(name): the lines end with carriage returns alone", hint: #"convert it: tr '\r' '\n' <FILE"#)
    case .otherFormat(let found, let chosen, let byName):
      return UserMessage(
        "\(name): \(byName ? "the name is that of \(chosen.phrase)" : "--format \(chosen.rawValue)")"
          + ", but the first line is \(found.phrase)",
        hint: byName
          ? "rename the file, or use --format \(found.rawValue)"
          : "remove --format, or use --format \(found.rawValue)")
    }
  }
}

extension MessageFormat {
  /// The format in a sentence.
  fileprivate var phrase: String {
    switch self {
    case .json: "JSON"
    case .csv: "CSV"
    case .tsv: "a table with tabs"
    }
  }
}
