// Messages for errors of pipeline files, rule files and overrides, with line and column.

package import Records

extension PipelineFileError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .unreadable(let error): error.userMessage
    case .tooLarge(let file, let limit):
      UserMessage("'\(file)' is larger than \(Figures.bytes(limit)): is it a pipeline file?")
    case .document(let error): error.userMessage
    case .repeatedName(let mark, let name, let line):
      UserMessage("\(mark.place): another source named '\(name)'; the first is at line \(line)")
    case .unknownKey(let mark, let key, let known):
      UserMessage("\(mark.place): unknown key '\(key)'", hint: KeySuggestion.hint(key, known))
    case .wrongShape(let mark, "include", .scalar):
      UserMessage("\(mark.place): 'include' must be a file or a list of files")
    case .wrongShape(let mark, let key, let wanted):
      UserMessage("\(mark.place): \(key == Self.wholeFile ? key : "'\(key)'") \(wanted.phrase)")
    case .missingKey(let mark, "path", _):
      UserMessage("\(mark.place): a source needs 'path', 'url' or 'generate'")
    case .missingKey(let mark, let key, let owner): UserMessage("\(mark.place): \(owner) needs '\(key)'")
    case .exclusiveKeys(let mark, let key, let other):
      UserMessage("\(mark.place): '\(key)' and '\(other)' exclude each other")
    case .nothingEnabled(let mark): UserMessage("\(mark.place): no source is enabled")
    case .lonelyKey(let mark, let key, let needs):
      UserMessage("\(mark.place): '\(key)' has no effect without '\(needs)'")
    case .unreadableInclude(let mark, let error):
      UserMessage("\(mark.place): \(error.userMessage.message)")
    case .circularInclude(let mark, let file):
      UserMessage("\(mark.place): '\(file)' includes itself")
    case .tooManyIncludes(let mark, let limit):
      UserMessage("\(mark.place): more than \(limit) included files")
    case .unknownVariable(let mark, let name):
      UserMessage(
        "\(mark.place): '${\(name)}' has no value",
        hint: "set it in the environment or with --set vars.\(name)=VALUE, or write ${\(name):-DEFAULT}")
    case .badVariable(let mark, let text):
      UserMessage("\(mark.place): '\(text)' is not the name of a variable", hint: "write a literal ${ as $${")
    case .badOverride(let text):
      UserMessage(
        text.contains("=") ? "--set \(text) matches nothing" : "--set needs KEY=VALUE, got '\(text)'",
        hint: "use --set STAGE.OPTION=VALUE, such as --set normalize.region=KR")
    case .ambiguousOverride(let text, let key, let count):
      UserMessage(
        "--set \(text): there are \(count) of them, and none is named '\(key)'",
        hint: "select one by its name or number, such as sources.1.path=FILE")
    }
  }
}

extension SourceFilesError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .noMatch(let glob):
      UserMessage("no file matches '\(PrintableText.line(glob))'", hint: Self.unsupportedSyntax(glob))
    case .tooMany(let limit):
      UserMessage(
        "more than \(Figures.grouped(UInt64(limit))) files",
        hint: "split them into several sources, or join files")
    }
  }
}

extension SourceFilesError {
  /// The hint for a glob with syntax that only shells or YAML have.
  private static func unsupportedSyntax(_ glob: String) -> String? {
    if glob.split(separator: "/").contains(where: { $0.hasPrefix("~") }) {
      return "'~' is not expanded: write ${HOME} instead"
    }
    if glob.hasPrefix("["), glob.hasSuffix("]"), glob.contains(",") {
      return "--set sets one path or glob: write the list in the pipeline file"
    }
    if glob.contains("{"), glob.contains("}") {
      return "braces are not expanded: write a list, such as path: [a.csv, b.csv]"
    }
    if glob.contains("**") {
      return "'**' is the same as '*' and matches no slash: write a list with a glob for each depth, "
        + "such as path: [\"*.csv\", \"*/*.csv\"]"
    }
    return nil
  }
}

extension PipelineFileError {
  /// The name that the parser uses for the root of a file, which is not a key.
  private static let wholeFile = "the pipeline file"
}

extension PipelineFileError.Shape {
  /// What a value of this shape is, after the name of its key.
  fileprivate var phrase: String {
    switch self {
    case .scalar: "takes one value, not a list or keys"
    case .mapping: "must be keys with values, such as { key: value }"
    case .sequence, .truth, .integer, .paths: "must be \(rawValue)"
    }
  }
}
