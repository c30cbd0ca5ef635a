// Why a pipeline can't run, or can't continue.

package import Records

/// Why a pipeline can't run, or can't continue.
package enum PipelineError: ErrorCause {
  /// A stage's input kind differs from the previous stage's output kind.
  case mismatch(StageName, input: DataKind, after: StageName, output: DataKind)
  /// A file ended before the size that it had when it was opened: it was truncated or rewritten.
  case inputShrank(path: String, read: UInt64, size: UInt64)
  /// A file that was divided into slices has another size than then.
  case changedSinceDivided(path: String)
  /// The runs or parts that other processes wrote are not complete, or not theirs.
  case otherRecords(read: UInt64, expected: UInt64)

  /// A usage error for mismatched stages; an input/output error for an input that shrank; else bad data.
  package var errorClass: ErrorClass {
    switch self {
    case .mismatch: .usage
    case .inputShrank: .inputOutput
    case .changedSinceDivided, .otherRecords: .badData
    }
  }
}
