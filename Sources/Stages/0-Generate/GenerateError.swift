// Why a pattern is invalid, and why `generate` fails.

package import Records
package import SystemIO

/// Why a pattern is invalid.
package enum NumberPatternErrorReason: Equatable, Sendable {
  /// It is empty.
  case empty
  /// It has a character that is not a digit, a wildcard or punctuation.
  case unexpected(Unicode.Scalar)
  /// It starts with 0, which no country calling code does.
  case leadingZero
  /// It has more digits than a number can have.
  case tooManyDigits(limit: Int)
  /// Something follows a star, which matches any number of digits.
  case starNotLast
  /// A plus sign is not at the start.
  case plusNotFirst
  /// The dots of a range are not between two numbers.
  case malformedRange
  /// The ends of a range have different numbers of digits.
  case unequalLengths
  /// The last number of a range is less than the first.
  case descending
  /// The calling code is not assigned, so the length of the numbers is unknown.
  case noCallingCode
  /// This calling code has no numbers of this length.
  case impossibleLength(digits: Int, callingCode: UInt16)
  /// The numbering plan has no numbers with this prefix.
  case noNumbers
  /// The pattern is longer than all of the requested lengths.
  case noLength
  /// An area code of the North American plan must have three digits.
  case areaNotThreeDigits
  /// An area code of the North American plan must start with 2 to 9.
  case areaBelow200(code: Int)
  /// N11 is a service code, such as 911.
  case areaIsService(code: Int)
  /// N9X is reserved for longer numbers, 37X and 96X for future plans.
  case areaIsReserved(code: Int)
  /// The numbering plan has no numbers with this area code.
  case areaNotAssigned(code: Int)
}

/// Why `generate` fails.
package enum GenerateError: Error, ErrorCause {
  /// The origin of a pattern.
  package enum Origin: Equatable, Sendable {
    /// On the command line or in a pipeline file.
    case argument
    /// The same, as an exclusion.
    case excluded
    /// A line of a pattern file, from 1.
    case file(String, line: Int)
  }

  /// A pattern is invalid, at the given character, from 1, or 0 for the whole pattern.
  case badPattern(String, position: Int, NumberPatternErrorReason, Origin)
  /// Label, source and score together are not valid record fields.
  case badFields(RecordFieldsError)
  /// There is no pattern at all; `file` is the pattern file if there is one.
  case noPatterns(file: String?)
  /// There are too many patterns; `file` is the pattern file if it is the cause.
  case tooManyPatterns(limit: Int, file: String?)
  /// The patterns' automaton has too many states; `file` is the pattern file if there is one.
  case tooManyStates(limit: Int, file: String?)
  /// A pattern file is too large.
  case fileTooLarge(path: String, bytesMax: Int)
  /// A pattern file can't be read.
  case unreadable(SystemError)

  /// A usage error, or bad data if a file is the cause.
  package var errorClass: ErrorClass {
    switch self {
    case .badPattern(_, _, _, .file), .fileTooLarge, .noPatterns(_?), .tooManyPatterns(_, _?),
      .tooManyStates(_, _?):
      .badData
    case .unreadable(let failure): failure.errorClass
    default: .usage
    }
  }
}
