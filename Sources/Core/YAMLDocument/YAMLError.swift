// What can be wrong with a YAML text before anything is known of what its keys mean.

/// What is wrong with a YAML text.
public enum YAMLError: Error, Equatable, Sendable {
  /// What a document does without.
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
  /// YAML that documents do without.
  case notSupported(Mark, what: Unsupported)
  /// A key stands twice in one mapping.
  case repeatedKey(Mark, key: String, firstLine: Int)
}
