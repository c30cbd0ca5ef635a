// The error of an input that can't be read as messages.

package import Records

/// An input that can't be read as messages at all.
package struct MessageInputError: ErrorCause {
  /// The name of the input; `-` for standard input.
  package var input: String
  /// Why the input can't be read.
  package var reason: Reason
  /// Always bad data.
  package var errorClass: ErrorClass { .badData }

  /// Why an input can't be read as messages.
  package enum Reason: Sendable {
    /// A column is missing in the header.
    case header(MessageReject)
    /// The header has carriage returns: they end the lines, alone, and all rows would be a part of the header.
    case carriageReturns
    /// The first line is of another format than the chosen one; `byName`: chosen by the name of the file.
    case otherFormat(MessageFormat, chosen: MessageFormat, byName: Bool)
  }
}
