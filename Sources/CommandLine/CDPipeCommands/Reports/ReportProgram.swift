// The program that makes a page of a report: looked for before a run, so that one that is missing is an error then.
//
// It is a program of its own since few want pages, and a template library is nothing that filters should start with.

import PipeStage
import SystemIO
import SystemPackage

/// Why there is no page.
enum ReportError: ErrorCause {
  /// The program is neither beside this one nor on the PATH.
  case noProgram
  /// What the environment names is no program.
  case notAProgram(path: String)
  /// The program could not be started.
  case notStarted(path: String, Errno)
  /// The program failed, and has said why.
  case failed(path: String, status: Int32)

  var errorClass: ErrorClass {
    switch self {
    case .noProgram, .notAProgram, .notStarted: .unavailable
    case .failed: .inputOutput
    }
  }
}

/// `cdpipe-report`.
struct ReportProgram {
  /// Its name.
  static let name = "cdpipe-report"
  /// The environment variable that names another.
  static let variable = "CDPIPE_REPORT"

  private let path: String

  /// Looks where it is.
  init() throws(StageError) {
    if let path = RunningProcess.environment(Self.variable), !path.isEmpty {
      guard ProgramPath.isProgram(path) else { throw StageError(nil, ReportError.notAProgram(path: path)) }
      self.path = path
    } else {
      guard let path = ProgramPath.find(Self.name) else { throw StageError(nil, ReportError.noProgram) }
      self.path = path
    }
  }

  /// Whether a report's name asks for a page.
  static func makes(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix(".html") || name.hasSuffix(".htm")
  }

  /// Makes the page of a report in a file that is open.
  func write(_ report: [UInt8], to page: FileDescriptor) throws(StageError) {
    let input = try asStageError(nil) { () throws(SystemError) in
      // Its own offset is still at the front: what is added is written by its place.
      var file = try TemporaryFile(in: TemporaryFile.defaultDirectory)
      try file.append(report.span)
      return file
    }
    let ending: ChildProgram.Termination
    do throws(Errno) {
      ending = try ChildProgram(path, [], input: input.descriptor, output: page).wait()
    } catch {
      throw StageError(nil, ReportError.notStarted(path: path, error))
    }
    guard ending.status == 0 else {
      throw StageError(nil, ReportError.failed(path: path, status: ending.status))
    }
  }
}
