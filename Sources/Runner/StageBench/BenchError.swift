// Errors of benchmarks.

package import Records
package import SystemPackage

/// An error of a benchmark.
package enum BenchError: ErrorCause {
  /// The path of this program is unknown.
  case noProgram
  /// A process could not be started.
  case notStarted(Errno)
  /// A stage failed; it printed why.
  case stageFailed(name: String, status: Int32)
  /// The stages wrote different bytes depending on how they were run.
  case differentOutputs(name: String)
  /// The file to compare with is not a result.
  case notAResult(path: String)
  /// The earlier result was measured with other data.
  case otherData(path: String, BenchResult)

  /// The error class.
  package var errorClass: ErrorClass {
    switch self {
    case .noProgram, .notStarted: .unavailable
    case .stageFailed, .differentOutputs: .inputOutput
    case .notAResult, .otherData: .badData
    }
  }
}
