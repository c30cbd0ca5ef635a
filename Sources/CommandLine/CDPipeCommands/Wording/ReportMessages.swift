// Why there is no page of a report, in sentences.

import SystemPackage

enum ReportMessages {
  static func sentence(_ failure: ReportError) -> UserMessage {
    let name = ReportProgram.name
    let variable = ReportProgram.variable
    return switch failure {
    case .noProgram:
      UserMessage(
        "a report as a page needs \(name), which is neither beside cdpipe nor on the PATH",
        hint:
          "'make report' builds it, and \(variable)=FILE says where it is; --report FILE.json needs nothing")
    case .notAProgram(let path):
      UserMessage("\(variable) names '\(path)', which is no program")
    case .notStarted(let path, let code):
      UserMessage("cannot start '\(path)': \(SystemMessages.reason(code))")
    case .failed(let path, let status):
      UserMessage("'\(path)' made no page of the report: it ended with status \(status)")
    }
  }
}
