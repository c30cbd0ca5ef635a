// Why a pipe ended early: which stage, and a cause that carries data. Only the command layer makes sentences.

public import SystemIO
import SystemPackage

/// The stages by their command names, in the order of the data; what works on lists of records comes last.
public enum StageName: String, Sendable, CaseIterable {
  /// Patterns to records.
  case generate
  /// URL to bytes.
  case download
  /// Archive to bytes.
  case unzip
  /// Bytes to raw rows.
  case parse
  /// Raw rows to records.
  case normalize
  /// Records in order.
  case sort
  /// Records ascending and disjoint.
  case dedupe
  /// Records to files.
  case emit
  /// Records of several lists, all of them.
  case union
  /// Records of a list, without the numbers of others.
  case subtract
  /// Records of a list, for the numbers that others have as well.
  case intersect
  /// What two lists of records differ in.
  case diff
  /// Messages to actions: no stage of a pipeline, but a filter with rejects as they have.
  case classify
}

/// What kind of trouble a failure is. It decides the exit status.
public enum ErrorClass: Sendable {
  /// The data is not what it should be (65).
  case badData
  /// There is no such input, or it can't be read (66).
  case noInput
  /// The network or a server failed (69).
  case unavailable
  /// An output can't be created (73).
  case cannotCreate
  /// An input/output error (74).
  case inputOutput
  /// What was asked for can't be done as asked (64).
  case usage
  /// Somebody else is at it: later it may go (75).
  case tryLater
  /// The reader of the output went away: no trouble at all, the work is just over (0).
  case readerGone
  /// There is nothing new, and whoever asked wants to be told by the status: no trouble, and nothing was done (3).
  case unchanged
}

/// The cause of a failure: a stage's own closed enum, which carries data and no prose.
public protocol ErrorCause: Sendable {
  /// What kind of trouble it is.
  var errorClass: ErrorClass { get }
}

/// Why a pipe ended early.
public struct StageError: Error {
  /// The stage that failed; nil for trouble outside the stages.
  public var stage: StageName?
  /// Why.
  public var cause: any ErrorCause
  /// The place among a run's sources of the one whose bytes are at fault; nil when the fault is not in a source's bytes
  /// alone, or outside a run.
  public var sourceIndex: Int?

  /// Makes a failure.
  public init(_ stage: StageName?, _ cause: any ErrorCause) {
    self.stage = stage
    self.cause = cause
  }
}

extension SystemError: ErrorCause {
  /// Reads from the errno and from what was being done.
  public var errorClass: ErrorClass {
    switch operation {
    case .openInput: .noInput
    case .readInput: code == .isDirectory ? .noInput : .inputOutput
    case .createOutput, .createSpill: .cannotCreate
    case .writeOutput: code == .brokenPipe ? .readerGone : .inputOutput
    case .publishOutput, .writeSpill, .readSpill, .startThread: .inputOutput
    }
  }
}

/// Runs system calls on behalf of a stage.
@inlinable
public func asStageError<Result: ~Copyable>(
  _ stage: StageName?, _ body: () throws(SystemError) -> Result
) throws(StageError) -> Result {
  do throws(SystemError) {
    return try body()
  } catch {
    throw StageError(stage, error)
  }
}
