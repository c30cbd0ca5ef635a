// Why a run failed: the stage, and a cause that carries data. Only the command layer writes messages.

public import SystemIO
import SystemPackage

/// The class of an error. It decides the exit status.
package enum ErrorClass: Sendable {
  /// The data is invalid (65).
  case badData
  /// An input does not exist or can't be read (66).
  case noInput
  /// The network or a server failed (69).
  case unavailable
  /// An output can't be created (73).
  case cannotCreate
  /// An input/output error (74).
  case inputOutput
  /// The command was used incorrectly (64).
  case usage
  /// A resource is in use; a later attempt may succeed (75).
  case tryLater
  /// The reader of the output went away. Not an error: the work is over (0).
  case readerGone
  /// Nothing has changed, and an option asks for a status of its own in that case. Not an error (3).
  case unchanged

  /// The class of a failure to open an input: the fault of the path, or of the machine.
  package static func opening(_ errno: CInt) -> ErrorClass {
    Errno(rawValue: errno).blamesMachine ? .inputOutput : .noInput
  }

  /// Whether a source can be the cause: what it contains or answers, or that it is missing. A full disk, for example, is
  /// never a source's fault.
  package var blamesSource: Bool {
    switch self {
    case .badData, .noInput, .unavailable: true
    case .cannotCreate, .inputOutput, .usage, .tryLater, .readerGone, .unchanged: false
    }
  }
}

/// The cause of an error: a stage's own closed enum, which carries data and no prose.
package protocol ErrorCause: Sendable {
  /// The class of the error.
  var errorClass: ErrorClass { get }
  /// Whether the input can't be read any further. The rows before that place are valid.
  var endsInput: Bool { get }
  /// Whether the source that was being read is the cause, so that a run may continue without it.
  var blamesSource: Bool { get }
}

extension ErrorCause {
  /// False.
  package var endsInput: Bool { false }
  /// Follows from the class.
  package var blamesSource: Bool { errorClass.blamesSource }
}

/// Why a run failed.
package struct StageError: Error {
  /// The stage that failed; nil for an error outside the stages.
  package var stage: StageName?
  /// The cause.
  package var cause: any ErrorCause
  /// The index of the source with the invalid bytes; nil when no single source is responsible, or outside a run.
  package var sourceIndex: Int?
  /// The name of that source in a run of several; otherwise nil.
  package var sourceName: String?

  /// Makes an error.
  package init(_ stage: StageName?, _ cause: any ErrorCause) {
    self.stage = stage
    self.cause = cause
  }
}

extension SystemError: ErrorCause {
  /// Whether an input could not be opened or read.
  package var endsInput: Bool { operation == .openInput || operation == .readInput }

  /// Follows from the operation and the errno.
  package var errorClass: ErrorClass {
    switch operation {
    case .openInput: .opening(code.rawValue)
    case .readInput: code == .isDirectory ? .noInput : .inputOutput
    case .createOutput, .createSpill: code.blamesMachine ? .inputOutput : .cannotCreate
    case .writeOutput: code == .brokenPipe ? .readerGone : .inputOutput
    case .publishOutput, .writeSpill, .readSpill, .startThread: .inputOutput
    }
  }
}

/// Runs system calls on behalf of a stage.
package func asStageError<Result: ~Copyable>(
  _ stage: StageName?, _ body: () throws(SystemError) -> Result
) throws(StageError) -> Result {
  do throws(SystemError) {
    return try body()
  } catch {
    throw StageError(stage, error)
  }
}
