// Errors of formatting a report as a page.

package import Records
package import SystemPackage

/// An error of formatting a report as a page.
package enum ReportError: ErrorCause {
  /// The program is neither next to this one nor on the PATH.
  case noProgram
  /// The environment variable does not name a program.
  case notAProgram(path: String)
  /// The program could not be started.
  case notStarted(path: String, Errno)
  /// The program failed; it printed why.
  case failed(path: String, status: Int32)

  /// The error class.
  package var errorClass: ErrorClass {
    switch self {
    case .noProgram, .notAProgram, .notStarted: .unavailable
    case .failed: .inputOutput
    }
  }
}
