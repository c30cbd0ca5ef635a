// Why a pipeline can't run, or can't continue.

package import Records

/// Why a pipeline can't run, or can't continue.
package enum PipelineError: ErrorCause {
  /// A stage's input kind differs from the previous stage's output kind.
  case mismatch(StageName, input: DataKind, after: StageName, output: DataKind)
  /// A file ended before the size that it had when it was opened: it was truncated or rewritten.
  case inputShrank(path: String, read: UInt64, size: UInt64)

  /// A usage error for mismatched stages; an input/output error for an input that shrank.
  package var errorClass: ErrorClass {
    switch self {
    case .mismatch: .usage
    case .inputShrank: .inputOutput
    }
  }
}
