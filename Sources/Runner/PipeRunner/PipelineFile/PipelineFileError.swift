// What can be wrong with a pipeline file, and where.

public import PipeStage
public import SystemIO
public import YAMLDocument

/// What is wrong with a pipeline file.
public enum PipelineFileError: Error, ErrorCause {
  /// The shapes that a value can have.
  public enum Shape: String, Sendable {
    /// A text, number or truth value.
    case scalar = "a value"
    /// A list.
    case sequence = "a list"
    /// Keys and values.
    case mapping = "keys with values"
    /// `true` or `false`, without quotes.
    case truth = "true or false"
    /// An integer.
    case integer = "a whole number"
  }

  /// The file can't be read.
  case unreadable(SystemError)
  /// The file is larger than a pipeline file can be.
  case tooLarge(file: String, limit: Int)
  /// The text is not YAML, or YAML that a pipeline file does without.
  case document(YAMLError)
  /// Two sources have one name.
  case repeatedName(Mark, name: String, firstLine: Int)
  /// A key that nothing knows; the keys that could stand there.
  case unknownKey(Mark, key: String, known: [String])
  /// A value of another shape than needed.
  case wrongShape(Mark, key: String, wanted: Shape)
  /// A key that must be there is not.
  case missingKey(Mark, key: String, of: String)
  /// All sources are switched off.
  case nothingEnabled(Mark)
  /// Two keys that exclude each other.
  case exclusiveKeys(Mark, key: String, other: String)
  /// A file that is included can't be read.
  case unreadableInclude(Mark, SystemError)
  /// A file includes itself, perhaps by way of others.
  case circularInclude(Mark, file: String)
  /// More files, or a longer chain of them, than anybody can follow.
  case tooManyIncludes(Mark, limit: Int)
  /// A name that has no value anywhere.
  case unknownVariable(Mark, name: String)
  /// `${` with something behind it that is no name.
  case badVariable(Mark, text: String)
  /// A key that is of no use without another one.
  case lonelyKey(Mark, key: String, needs: String)
  /// An override that is not `KEY=VALUE`, or whose key leads nowhere.
  case badOverride(String)
  /// An override without an index although there are several.
  case ambiguousOverride(String, key: String, count: Int)

  /// The data is wrong; but what was asked for on the command line, or isn't there, is usage or no input.
  public var errorClass: ErrorClass {
    switch self {
    case .unreadable(let failure): failure.errorClass
    case .badOverride, .ambiguousOverride: .usage
    case .unknownKey(let mark, _, _), .wrongShape(let mark, _, _), .missingKey(let mark, _, _),
      .exclusiveKeys(let mark, _, _):
      mark.isTyped ? .usage : .badData
    case .unknownVariable(let mark, _), .badVariable(let mark, _), .lonelyKey(let mark, _, _):
      mark.isTyped ? .usage : .badData
    case .unreadableInclude(let mark, let failure): mark.isTyped ? .usage : failure.errorClass
    case .nothingEnabled(let mark), .repeatedName(let mark, _, _): mark.isTyped ? .usage : .badData
    case .tooLarge, .document, .circularInclude, .tooManyIncludes: .badData
    }
  }
}
