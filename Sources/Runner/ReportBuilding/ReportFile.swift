// A report file of a run: created before the run, so that errors show early, and published at the end.
//
// Not for its content (RunReport, RunMetrics).

package import Records
import SystemIO

/// A file that is published at the end of a run.
package final class ReportFile {
  private var file: OutputFile?

  /// Creates the file under a temporary name.
  package init(_ path: String) throws(Failure) {
    file = try asFailure(nil) { () throws(SystemError) in try OutputFile(path) }
  }

  /// Writes the content and publishes the file. Call it once.
  package func publish(_ text: [UInt8]) throws(Failure) {
    guard var file = file.take() else { return }
    do throws(SystemError) {
      try file.write(text.span)
      try file.publish()
    } catch {
      throw Failure(nil, error)
    }
  }

  /// Runs a program that writes a report's page to the file, and publishes the file. Call it once.
  package func publish(_ report: [UInt8], by program: ReportProgram) throws(Failure) {
    guard let file = file.take() else { return }
    try program.write(report, to: file.descriptor)
    do throws(SystemError) {
      try file.publish()
    } catch {
      throw Failure(nil, error)
    }
  }
}
