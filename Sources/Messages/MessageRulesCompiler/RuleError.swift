// Errors in a rule file, with their positions. The command layer writes the messages.

package import MessageRules
package import Records

/// Why a regular expression is rejected.
package enum PatternErrorReason: Equatable, Sendable {
  /// `\1`: the matched text would have to be remembered, and backtracking can take exponential time.
  case backreference
  /// `(?=`, `(?!`, `(?<=`, `(?<!`, `(?>`, `a++`: for the same reason.
  case lookAround
  /// `(?i)` and similar: folding is set for the whole file.
  case flags
  /// A group that is not closed, or a bracket that closes none.
  case unbalanced(Character)
  /// A class without its closing bracket.
  case openClass
  /// An empty class.
  case emptyClass
  /// `z-a`
  case badRange
  /// `*` without a preceding part that can be repeated.
  case nothingToRepeat
  /// `{3,1}`, or a repetition above the limit.
  case badRepetition(limit: Int)
  /// A backslash before a character with which it has no meaning.
  case unknownEscape
  /// `\p{…}` with an unknown script.
  case unknownScript(String)
  /// Groups nested deeper than the limit.
  case tooDeep(limit: Int)
  /// An expression with more steps than the limit after its repetitions are expanded.
  case tooLarge(limit: Int)
  /// It matches the empty text, so it matches every text.
  case matchesAll
}

/// An error in a rule file.
package enum RuleError: Error, Sendable {
  /// The kinds of values that a key can have.
  package enum Shape: Sendable {
    /// One text.
    case text
    /// A text or a list of texts.
    case texts
    /// A list.
    case list
    /// Keys with values.
    case keys
    /// `true` or `false`.
    case boolean
    /// `true`, `false`, or domains.
    case link
  }

  /// The text is not YAML.
  case document(YAMLError)
  /// An unknown key; `known` are the keys that are allowed there.
  case unknownKey(Mark, key: String, known: [String])
  /// A value of the wrong kind.
  case wrongShape(Mark, key: String, expected: Shape)
  /// A required key is missing.
  case missingKey(Mark, key: String, of: String)
  /// An empty list or mapping.
  case empty(Mark, key: String)
  /// An unknown value; `known` are the allowed ones.
  case unknownValue(Mark, key: String, value: String, known: [String])
  /// Two letters that are not the code of a country.
  case unknownCountry(Mark, String)
  /// A language that texts can't be recognised to be in.
  case unknownLanguage(Mark, String)
  /// The file has an unsupported version of the format.
  case unknownVersion(Mark, String)
  /// Two rules have the same name.
  case repeatedName(Mark, name: String, firstLine: Int)
  /// A sub-action that does not belong to the rule's action.
  case wrongSubAction(Mark, MessageSubAction, of: MessageAction)
  /// A text that is not a number, a range or a pattern of numbers.
  case badNumber(Mark, String)
  /// A text that is not a domain name in ASCII.
  case badDomain(Mark, String)
  /// A keyword that folding leaves empty.
  case emptyKeyword(Mark, String)
  /// A keyword longer than any message.
  case longKeyword(Mark, limit: Int)
  /// A rejected regular expression, and the position of the character, from 1.
  case pattern(Mark, PatternErrorReason, at: Int)
  /// An exceeded limit.
  case tooMany(Mark, LimitedItem, limit: Int)

  /// The items that are limited.
  package enum LimitedItem: Sendable {
    /// Rules.
    case rules
    /// Keywords.
    case keywords
    /// Lists of keywords.
    case groups
    /// Regular expressions.
    case patterns
    /// Tests of all rules.
    case tests
    /// Different characters.
    case symbols
    /// Characters of all keywords.
    case nodes
  }

  /// The position of the error.
  package var mark: Mark {
    switch self {
    case .document(let failure):
      switch failure {
      case .notYAML(let mark, _), .tooDeep(let mark, _), .notSupported(let mark, _),
        .repeatedKey(let mark, _, _):
        mark
      }
    case .unknownKey(let mark, _, _), .wrongShape(let mark, _, _), .missingKey(let mark, _, _),
      .empty(let mark, _), .unknownValue(let mark, _, _, _), .unknownCountry(let mark, _),
      .unknownLanguage(let mark, _),
      .unknownVersion(let mark, _), .repeatedName(let mark, _, _), .wrongSubAction(let mark, _, _),
      .badNumber(let mark, _), .badDomain(let mark, _), .emptyKeyword(let mark, _), .longKeyword(let mark, _),
      .pattern(let mark, _, _), .tooMany(let mark, _, _):
      mark
    }
  }
}

/// The errors of a rule file: at most one per rule.
package struct RuleErrors: Error, Sendable {
  /// The errors in their order; not empty.
  package var list: [RuleError]

  /// The maximum number of errors that are collected: users fix the first ones first.
  package static let max = 20
}

/// Something in a rule file that is allowed, but probably unintended.
package enum RuleWarning: Sendable {
  /// A rule after one that matches every message.
  case neverReached(Mark, rule: String, after: String)
  /// A rule after one that matches whatever it would match.
  case shadowed(Mark, rule: String, by: String)
  /// A rule whose conditions exclude each other.
  case contradiction(Mark, rule: String)
  /// More rules that can never match than are listed.
  case moreUnreachable(Mark, count: Int)
  /// More sub-actions than iOS reportedly accepts from one app; Apple's documentation does not specify a number.
  case manySubActions(Mark, count: Int, limit: Int)
}
