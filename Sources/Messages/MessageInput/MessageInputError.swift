// The error of an input that can't be read as messages.

public import PipeStage

/// An input that can't be read as messages at all.
public struct MessageInputError: ErrorCause {
  /// The name of the input; `-` for standard input.
  public var input: String
  /// Why the input can't be read, such as a missing column in the header.
  public var reason: MessageReject
  /// Always bad data.
  public var errorClass: ErrorClass { .badData }
}
