// The error of an input that can't be read as messages.

public import PipeStage

/// An input that can't be read as messages at all.
public struct MessageInputError: ErrorCause {
  /// The input.
  public var input: String
  /// The reason.
  public var reason: MessageReject
  /// The error class.
  public var errorClass: ErrorClass { .badData }
}
