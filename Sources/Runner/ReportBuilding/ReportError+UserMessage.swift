// Messages for errors of report pages.

package import Records

extension ReportError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    let name = ReportProgram.name
    let variable = ReportProgram.variable
    return switch self {
    case .noProgram:
      UserMessage(
        "a report as a page needs \(name), which is neither next to cdpipe nor on the PATH",
        hint: "build it with 'make report', set \(variable)=FILE, or use --report FILE.json")
    case .notAProgram(let path): UserMessage("\(variable) is '\(path)', which is not a program")
    case .notStarted(let path, let code):
      UserMessage("cannot start '\(path)': \(SystemMessages.reason(code))")
    case .failed(let path, let status):
      UserMessage("'\(path)' could not write the report's page: it failed with status \(status)")
    }
  }
}
