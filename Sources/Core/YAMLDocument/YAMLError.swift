// Errors in YAML text, independent of the meaning of its keys.

/// An error in YAML text.
public enum YAMLError: Error, Equatable, Sendable {
  /// Features of YAML that are not supported.
  public enum Unsupported: Sendable {
    /// `*name`
    case alias
    /// A key that is a list or a mapping.
    case complexKey
  }

  /// The text is not YAML.
  case notYAML(Mark, reason: String)
  /// Nested too deeply.
  case tooDeep(Mark, limit: Int)
  /// A feature of YAML that is not supported.
  case notSupported(Mark, what: Unsupported)
  /// A key occurs twice in one mapping.
  case repeatedKey(Mark, key: String, firstLine: Int)

  /// The position of the error.
  public var mark: Mark {
    switch self {
    case .notYAML(let mark, _), .tooDeep(let mark, _), .notSupported(let mark, _),
      .repeatedKey(let mark, _, _):
      mark
    }
  }
}
