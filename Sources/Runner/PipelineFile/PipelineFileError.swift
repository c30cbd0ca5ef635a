// The errors of a pipeline file and of overrides, with their positions.

package import Records
import SystemIO

package struct PipelineFileError: Error {
  package let failure: Failure
  /// The position of the error; nil if it concerns a whole file or an override.
  package let mark: Mark?
  /// The key that the error is about; nil if it is not about one.
  package let key: String?

  private init(_ failure: Failure, at mark: Mark? = nil, key: String? = nil) {
    self.failure = failure
    self.mark = mark
    self.key = key
  }

  /// Bad data, or a usage error for what was typed on the command line.
  private init(
    _ mark: Mark, _ code: String, _ text: String, hint: String? = nil, key: String? = nil,
    errorClass: ErrorClass = .badData
  ) {
    self.init(
      Failure(
        nil, mark.isFromCommandLine ? .usage : errorClass, code, "\(mark.place): \(text)", hint: hint),
      at: mark, key: key)
  }

  /// The name of the root of a file, which is not a key.
  static let wholeFile = "the pipeline file"

  /// What a value must be, after the name of its key.
  enum Shape: String {
    case scalar = "takes one value, not a list or keys"
    case mapping = "must be keys with values, such as { key: value }"
    case sequence = "must be a list"
    case truth = "must be true or false"
    case integer = "must be a whole number"
    case paths = "must be a path, a glob, or a list of them"
  }

  // MARK: Files

  static func unreadable(_ error: SystemError) -> PipelineFileError { PipelineFileError(Failure(nil, error)) }

  static func tooLarge(_ file: String, limit: Int) -> PipelineFileError {
    PipelineFileError(
      Failure(
        nil, .badData, "too-large", "'\(file)' is larger than \(Figures.bytes(limit)): is it a pipeline file?"
      ))
  }

  /// The text is not YAML, or uses a feature of YAML that pipeline files don't support.
  static func document(_ error: YAMLError) -> PipelineFileError {
    var key: String?
    if case .repeatedKey(_, let repeated, _) = error { key = repeated }
    return PipelineFileError(
      Failure(nil, .badData, "document", error.userMessage), at: error.mark, key: key)
  }

  static func unreadableInclude(_ mark: Mark, _ failure: Failure) -> PipelineFileError {
    PipelineFileError(
      mark, "unreadable-include", failure.message.message, errorClass: failure.errorClass)
  }

  static func circularInclude(_ mark: Mark, file: String) -> PipelineFileError {
    PipelineFileError(
      Failure(nil, .badData, "circular-include", "\(mark.place): '\(file)' includes itself"), at: mark)
  }

  static func tooManyIncludes(_ mark: Mark, limit: Int) -> PipelineFileError {
    PipelineFileError(
      Failure(nil, .badData, "too-many-includes", "\(mark.place): more than \(limit) included files"),
      at: mark)
  }

  // MARK: Keys and values

  static func unknownKey(_ mark: Mark, key: String, known: [String]) -> PipelineFileError {
    PipelineFileError(
      mark, "unknown-key", "unknown key '\(key)'", hint: KeySuggestion.hint(key, known), key: key)
  }

  static func wrongShape(_ mark: Mark, key: String, wanted: Shape) -> PipelineFileError {
    let text =
      key == Inclusion.key && wanted == .scalar
      ? "'include' must be a file or a list of files"
      : "\(key == wholeFile ? key : "'\(key)'") \(wanted.rawValue)"
    return PipelineFileError(mark, "wrong-shape", text)
  }

  static func missingKey(_ mark: Mark, key: String, of owner: String) -> PipelineFileError {
    let text =
      key == "path" ? "a source needs 'path', 'url' or 'generate'" : "\(owner) needs '\(key)'"
    return PipelineFileError(mark, "missing-key", text, key: key)
  }

  static func exclusiveKeys(_ mark: Mark, key: String, other: String) -> PipelineFileError {
    PipelineFileError(mark, "exclusive-keys", "'\(key)' and '\(other)' exclude each other", key: key)
  }

  static func unorderedKeys(_ mark: Mark, _ key: String, _ other: String) -> PipelineFileError {
    PipelineFileError(
      mark, "unordered-keys", "the order of '\(key)' and '\(other)' matters: write each as an item of a list",
      key: other)
  }

  static func lonelyKey(_ mark: Mark, key: String, needs: String) -> PipelineFileError {
    PipelineFileError(mark, "lonely-key", "'\(key)' has no effect without '\(needs)'", key: key)
  }

  static func repeatedName(_ mark: Mark, name: String, firstLine: Int) -> PipelineFileError {
    PipelineFileError(
      mark, "repeated-name", "another source named '\(name)'; the first is at line \(firstLine)")
  }

  static func nothingEnabled(_ mark: Mark) -> PipelineFileError {
    PipelineFileError(mark, "nothing-enabled", "no source is enabled")
  }

  // MARK: Variables and overrides

  static func unknownVariable(_ mark: Mark, name: String) -> PipelineFileError {
    PipelineFileError(
      mark, "unknown-variable", "'${\(name)}' has no value",
      hint: "set it in the environment or with --set vars.\(name)=VALUE, or write ${\(name):-DEFAULT}")
  }

  /// `${` that is not followed by a name.
  static func badVariable(_ mark: Mark, text: String) -> PipelineFileError {
    PipelineFileError(
      mark, "bad-variable", "'\(text)' is not the name of a variable", hint: "write a literal ${ as $${")
  }

  /// An override that is not `KEY=VALUE`, or whose key does not exist.
  static func badOverride(_ text: String) -> PipelineFileError {
    PipelineFileError(
      Failure(
        nil, .usage, "bad-override",
        text.contains("=") ? "--set \(text) matches nothing" : "--set needs KEY=VALUE, got '\(text)'",
        hint: "use --set STAGE.OPTION=VALUE, such as --set normalize.region=KR"))
  }

  /// An override of a list with several items that does not select one.
  static func ambiguousOverride(_ text: String, key: String, count: Int) -> PipelineFileError {
    PipelineFileError(
      Failure(
        nil, .usage, "ambiguous-override",
        "--set \(text): there are \(count) of them, and none is named '\(key)'",
        hint: "select one by its name or number, such as sources.1.path=FILE"))
  }
}

/// The JSON form of a pipeline file that can't be run.
package struct InvalidPipeline: Encodable {
  /// An error. The position is missing if the error is not at one, such as that of a missing input.
  private struct Reported: Encodable {
    var file: String?
    var line: Int?
    var column: Int?
    var key: String?
    var source: String?
    var message: String
    var hint: String?
  }

  private var file: String
  private var isValid = false
  /// One: checking ends at the first error.
  private var errors: [Reported]

  /// Describes an error, and its position, key or source, if they are known.
  package init(
    _ file: String, _ message: UserMessage, at mark: Mark? = nil, key: String? = nil, source: String? = nil
  ) {
    self.file = file
    var error = Reported(key: key, source: source, message: message.message, hint: message.hint)
    if let mark, !mark.isFromCommandLine {
      (error.file, error.line, error.column) = (mark.file, mark.line, mark.column)
      let place = mark.place + ": "
      if error.message.hasPrefix(place) { error.message.removeFirst(place.count) }
    }
    errors = [error]
  }
}
