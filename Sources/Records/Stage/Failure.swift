// Why a run failed.

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

/// Why a run failed: what the user reads, and what a program compares.
///
/// A failure is made by a static function next to the code that throws it:
///
///     extension Failure {
///       static func wrongChecksum(member: String) -> Failure {
///         Failure(.unzip, .badData, "wrong-checksum", "member '\(member)' is damaged: wrong checksum", hint: "…")
///       }
///     }
package struct Failure: Error {
  /// The stage that failed; nil for an error outside the stages.
  package var stage: StageName?
  /// The class, which decides the exit status.
  package var errorClass: ErrorClass
  /// A stable word for tests and programs, such as `wrong-checksum`.
  package var code: String
  /// What is wrong, and what to type or change.
  package var message: UserMessage
  /// Whether the input can't be read any further. The rows before that place are valid.
  package var endsInput = false
  /// Whether the source that was being read is the cause, so that a run may continue without it.
  package var blamesSource: Bool
  /// The failed system call, if it was one.
  package var systemError: SystemError?
  /// The index of the source with the invalid bytes; nil when no single source is responsible, or outside a run.
  package var sourceIndex: Int?
  /// The name of that source in a run of several; otherwise nil.
  package var sourceName: String?
  /// The error as an enum.
  package var cause: (any ErrorCause)?

  package init(
    _ stage: StageName?, _ errorClass: ErrorClass, _ code: String, _ text: String, hint: String? = nil,
    endsInput: Bool = false, blamesSource: Bool? = nil
  ) {
    self.init(
      stage, errorClass, code, UserMessage(text, hint: hint), endsInput: endsInput, blamesSource: blamesSource)
  }

  package init(
    _ stage: StageName?, _ errorClass: ErrorClass, _ code: String, _ message: UserMessage,
    endsInput: Bool = false, blamesSource: Bool? = nil
  ) {
    self.stage = stage
    self.errorClass = errorClass
    self.code = code
    self.message = message
    self.endsInput = endsInput
    self.blamesSource = blamesSource ?? errorClass.blamesSource
  }

  /// A failed system call, as a failure of a stage.
  package init(_ stage: StageName?, _ error: SystemError) {
    self.init(
      stage, error.errorClass, "system", error.userMessage(of: stage), endsInput: error.endsInput)
    systemError = error
    cause = error
  }

  package init(_ stage: StageName?, _ cause: any ErrorCause) {
    if let error = cause as? SystemError {
      self.init(stage, error)
      return
    }
    self.init(
      stage, cause.errorClass, "",
      (cause as? any UserMessageConvertible)?.userMessage(of: stage) ?? UserMessage("\(cause)"),
      endsInput: cause.endsInput, blamesSource: cause.blamesSource)
    self.cause = cause
  }

  /// The same failure, of another stage.
  package func of(_ stage: StageName?) -> Failure {
    var failure = systemError.map { Failure(stage, $0) } ?? self
    failure.stage = stage
    return failure
  }

  /// The message, with the source if it is one of several.
  package var userMessage: UserMessage {
    guard let sourceName else { return message }
    let name = PrintableText.name(sourceName)
    // Some messages are about a source by themselves.
    if message.message.contains("source '\(name)'") { return message }
    return message.prefixed("source '\(name)': ")
  }
}

/// An error as an enum, where code branches on its cases.
package protocol ErrorCause: Sendable {
  /// The class of the error.
  var errorClass: ErrorClass { get }
  /// Whether the input can't be read any further. The rows before that place are valid.
  var endsInput: Bool { get }
  /// Whether the source that was being read is the cause, so that a run may continue without it.
  var blamesSource: Bool { get }
}

extension ErrorCause {
  package var endsInput: Bool { false }
  package var blamesSource: Bool { errorClass.blamesSource }
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
package func asFailure<Result: ~Copyable>(
  _ stage: StageName?, _ body: () throws(SystemError) -> Result
) throws(Failure) -> Result {
  do throws(SystemError) {
    return try body()
  } catch {
    throw Failure(stage, error)
  }
}
