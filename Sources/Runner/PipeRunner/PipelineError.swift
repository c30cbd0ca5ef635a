// Why a pipeline can't run, or can't continue.

public import PipeStage

/// Why a pipeline can't run, or can't continue.
public enum PipelineError: ErrorCause {
  /// The input of a stage is not what the stage before it outputs.
  case mismatch(StageName, input: DataKind, after: StageName, output: DataKind)
  /// A file ended before the size that it had when it was opened: it was truncated or rewritten meanwhile.
  case inputShrank(path: String, read: UInt64, size: UInt64)

  /// Usage for a pipeline that is not one; input/output for an input that changed.
  public var errorClass: ErrorClass {
    switch self {
    case .mismatch: .usage
    case .inputShrank: .inputOutput
    }
  }
}
