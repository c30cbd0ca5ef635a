// Why patterns stand for no numbers, and why `generate` ended early.

public import CallRecord
public import PipeStage
public import SystemIO

/// What is wrong with a pattern.
public enum NumberPatternErrorReason: Equatable, Sendable {
  /// There is nothing in it.
  case empty
  /// A character that is neither a digit nor a wildcard nor punctuation.
  case unexpected(Unicode.Scalar)
  /// The number would begin with 0, which no country calling code does.
  case leadingZero
  /// More digits than a number has.
  case tooManyDigits(limit: Int)
  /// A star, any number of digits, with something behind it.
  case starNotLast
  /// A plus sign that is not in front.
  case plusNotFirst
  /// Dots of a range with something else than two numbers around them.
  case malformedRange
  /// The ends of a range have different numbers of digits.
  case unequalLengths
  /// The last number of a range is below its first.
  case descending
  /// Nobody has such a calling code, so that the length of the numbers is not known.
  case noCallingCode
  /// No number of this calling code has so many digits.
  case impossibleLength(digits: Int, callingCode: UInt16)
  /// The numbering plan has no number that begins so.
  case noNumbers
  /// None of the lengths that were asked for is as long as the pattern.
  case noLength
  /// An area code of the North American plan has three digits.
  case areaNotThreeDigits
  /// An area code of the North American plan begins with 2 to 9.
  case areaBelow200(code: Int)
  /// N11 is a service code, such as 911.
  case areaIsService(code: Int)
  /// N9X is kept for longer numbers, 37X and 96X for other plans to come.
  case areaIsReserved(code: Int)
  /// The numbering plan has no number of the area code.
  case areaNotAssigned(code: Int)
}

/// Why `generate` ended early.
public enum GenerateError: Error, ErrorCause {
  /// Where a pattern was written.
  public enum Origin: Equatable, Sendable {
    /// On the command line or in a pipeline file.
    case argument
    /// As an exclusion, likewise.
    case excluded
    /// In a file of patterns, in a line mappingErrors from 1.
    case file(String, line: Int)
  }

  /// A pattern stands for no numbers; the position is a character of it, mappingErrors from 1, or 0 for the whole.
  case badPattern(String, position: Int, NumberPatternErrorReason, Origin)
  /// Label, source and score together are no record fields.
  case badFields(RecordFieldsError)
  /// There is no pattern at all.
  case noPatterns
  /// More patterns than there may be.
  case tooManyPatterns(limit: Int)
  /// Patterns that can be told apart only in more ways than there may be.
  case tooManyStates(limit: Int)
  /// A file of patterns that is larger than one can be.
  case fileTooLarge(path: String, bytesMax: Int)
  /// A file of patterns that can't be read.
  case unreadable(SystemError)

  /// It was asked for in a way that can't be; or a file has it.
  public var errorClass: ErrorClass {
    switch self {
    case .badPattern(_, _, _, .file), .fileTooLarge: .badData
    case .unreadable(let failure): failure.errorClass
    default: .usage
    }
  }
}
