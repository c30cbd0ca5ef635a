// The error of an input that can't be read as messages.

public import PipeStage

/// An input that can't be read as messages at all.
public struct MessageInputError: ErrorCause {
  public var input: String
  public var reason: MessageReject
  public var errorClass: ErrorClass { .badData }
}
