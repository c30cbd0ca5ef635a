// Errors in YAML text, independent of the meaning of its keys.

/// An error in YAML text.
package enum YAMLError: Error, Equatable, Sendable {
  /// Features of YAML that are not supported.
  package enum Unsupported: Sendable {
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
  package var mark: Mark {
    switch self {
    case .notYAML(let mark, _), .tooDeep(let mark, _), .notSupported(let mark, _),
      .repeatedKey(let mark, _, _):
      mark
    }
  }
}

extension YAMLError {
  /// Describes the error.
  package var userMessage: UserMessage {
    switch self {
    case .notYAML(let mark, let reason): UserMessage("\(mark.place): not YAML: \(reason)")
    case .tooDeep(let mark, let limit): UserMessage("\(mark.place): nested deeper than \(limit) levels")
    case .notSupported(let mark, let feature):
      UserMessage(
        "\(mark.place): \(feature == .alias ? "aliases (*name)" : "keys that are lists") are not supported")
    case .repeatedKey(let mark, let key, let line):
      UserMessage("\(mark.place): repeated key '\(key)'; the first is at line \(line)")
    }
  }
}

extension Mark {
  /// The place in a message: file, line and column.
  package var place: String { line == 0 ? file : "\(file):\(line):\(column)" }
}
