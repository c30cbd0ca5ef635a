// The errors of a pipeline file, with their positions.

package import Records
package import SystemIO

/// An error of a pipeline file.
package enum PipelineFileError: Error, ErrorCause {
  /// The shapes that a value can have.
  package enum Shape: String, Sendable {
    /// A text, number or Boolean.
    case scalar = "a value"
    /// A list.
    case sequence = "a list"
    /// Keys and values.
    case mapping = "keys with values"
    /// `true` or `false`, without quotes.
    case truth = "true or false"
    /// An integer.
    case integer = "a whole number"
    /// One or several files.
    case paths = "a path, a glob, or a list of them"
  }

  /// The file can't be read.
  case unreadable(SystemError)
  /// The file exceeds the maximum size of a pipeline file.
  case tooLarge(file: String, limit: Int)
  /// The text is not YAML, or uses a feature of YAML that pipeline files don't support.
  case document(YAMLError)
  /// Two sources have the same name.
  case repeatedName(Mark, name: String, firstLine: Int)
  /// An unknown key, and the keys that are allowed.
  case unknownKey(Mark, key: String, known: [String])
  /// A value with the wrong shape.
  case wrongShape(Mark, key: String, wanted: Shape)
  /// A required key is missing.
  case missingKey(Mark, key: String, of: String)
  /// All sources are disabled.
  case nothingEnabled(Mark)
  /// Two keys that exclude each other.
  case exclusiveKeys(Mark, key: String, other: String)
  /// An included file can't be read.
  case unreadableInclude(Mark, SystemError)
  /// A file includes itself, directly or through others.
  case circularInclude(Mark, file: String)
  /// More included files, or deeper nesting, than the limit.
  case tooManyIncludes(Mark, limit: Int)
  /// A variable without a value.
  case unknownVariable(Mark, name: String)
  /// `${` that is not followed by a name.
  case badVariable(Mark, text: String)
  /// A key that has no effect without another key.
  case lonelyKey(Mark, key: String, needs: String)
  /// An override that is not `KEY=VALUE`, or whose key does not exist.
  case badOverride(String)
  /// An override of a list with several items that does not select one.
  case ambiguousOverride(String, key: String, count: Int)

  /// The position of the error; nil if it concerns a whole file or an override.
  package var mark: Mark? {
    switch self {
    case .unreadable, .tooLarge, .badOverride, .ambiguousOverride: nil
    case .document(let error): error.mark
    case .repeatedName(let mark, _, _), .unknownKey(let mark, _, _), .wrongShape(let mark, _, _),
      .missingKey(let mark, _, _), .nothingEnabled(let mark), .exclusiveKeys(let mark, _, _),
      .unreadableInclude(let mark, _), .circularInclude(let mark, _), .tooManyIncludes(let mark, _),
      .unknownVariable(let mark, _), .badVariable(let mark, _), .lonelyKey(let mark, _, _):
      mark
    }
  }

  /// The key that the error is about; nil if it is not about one.
  package var key: String? {
    switch self {
    case .unknownKey(_, let key, _), .missingKey(_, let key, _), .exclusiveKeys(_, let key, _),
      .lonelyKey(_, let key, _), .document(.repeatedKey(_, let key, _)):
      key
    default: nil
    }
  }

  /// Bad data; a usage error for overrides; missing input for a file that does not exist.
  package var errorClass: ErrorClass {
    switch self {
    case .unreadable(let failure): failure.errorClass
    case .badOverride, .ambiguousOverride: .usage
    case .unknownKey(let mark, _, _), .wrongShape(let mark, _, _), .missingKey(let mark, _, _),
      .exclusiveKeys(let mark, _, _):
      mark.isFromCommandLine ? .usage : .badData
    case .unknownVariable(let mark, _), .badVariable(let mark, _), .lonelyKey(let mark, _, _):
      mark.isFromCommandLine ? .usage : .badData
    case .unreadableInclude(let mark, let failure): mark.isFromCommandLine ? .usage : failure.errorClass
    case .nothingEnabled(let mark), .repeatedName(let mark, _, _): mark.isFromCommandLine ? .usage : .badData
    case .tooLarge, .document, .circularInclude, .tooManyIncludes: .badData
    }
  }
}
