// A file that tells about a run: made before the run begins, so that one that can't be made is an error then, and put in
// place when the run is over.
//
// Not for: what stands in it (RunReport, RunMetrics).

import PipeStage
import SystemIO

/// A file that waits for a run's end.
final class ReportFile {
  private var file: OutputFile?

  /// Makes the file beside its name.
  init(_ path: String) throws(StageError) {
    file = try asStageError(nil) { () throws(SystemError) in try OutputFile(path) }
  }

  /// Fills the file and puts it in place. Only once.
  func publish(_ text: [UInt8]) throws(StageError) {
    guard var file = file.take() else { return }
    do throws(SystemError) {
      try file.write(text.span)
      try file.publish()
    } catch {
      throw StageError(nil, error)
    }
  }

  /// Lets a program make a page of a report in the file, and puts it in place. Only once.
  func publish(_ report: [UInt8], by program: ReportProgram) throws(StageError) {
    guard let file = file.take() else { return }
    try program.write(report, to: file.descriptor)
    do throws(SystemError) {
      try file.publish()
    } catch {
      throw StageError(nil, error)
    }
  }
}
