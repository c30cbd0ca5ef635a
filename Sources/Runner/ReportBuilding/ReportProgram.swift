// The program that formats a report as a page. It is looked up before a run, so that its absence is an early error.
//
// It is a separate program because few users need pages, and filters should not load a template library.

package import Records
import SystemIO
import SystemPackage

/// `cdpipe-report`.
package struct ReportProgram {
  /// The program's name.
  package static let name = "cdpipe-report"
  /// The environment variable that overrides its path.
  package static let variable = "CDPIPE_REPORT"

  private let path: String

  /// Finds the program.
  package init() throws(Failure) {
    if let path = RunningProcess.environment(Self.variable), !path.isEmpty {
      guard ProgramPath.isProgram(path) else { throw Failure(nil, ReportError.notAProgram(path: path)) }
      self.path = path
    } else {
      guard let path = ProgramPath.find(Self.name) else { throw Failure(nil, ReportError.noProgram) }
      self.path = path
    }
  }

  /// Whether a report's name is that of a page.
  package static func isPage(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix(".html") || name.hasSuffix(".htm")
  }

  /// Writes the page of a report to an open file.
  func write(_ report: [UInt8], to page: FileDescriptor) throws(Failure) {
    let input = try asFailure(nil) { () throws(SystemError) in
      // Appending writes at explicit offsets, so the file's own offset is still at the start.
      var file = try TemporaryFile(in: TemporaryFile.defaultDirectory)
      try file.append(report.span)
      return file
    }
    let ending: ChildProgram.Termination
    do throws(Errno) {
      ending = try ChildProgram(path, [], input: input.descriptor, output: page).wait()
    } catch {
      throw Failure(nil, ReportError.notStarted(path: path, error))
    }
    guard ending.status == 0 else {
      throw Failure(nil, ReportError.failed(path: path, status: ending.status))
    }
  }
}
