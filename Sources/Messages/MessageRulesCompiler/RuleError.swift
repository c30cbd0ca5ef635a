// What can be wrong with a rule file, and where. The command layer describes it in sentences.

package import MessageRules
package import YAMLDocument

/// Why a regular expression is refused.
package enum PatternErrorReason: Equatable, Sendable {
  /// `\1`: what matched before would have to be remembered, and trying all ways can take for ever.
  case backreference
  /// `(?=`, `(?!`, `(?<=`, `(?<!`, `(?>`, `a++`: for the same reason.
  case lookAround
  /// `(?i)` and the like: folding is said for the whole file.
  case flags
  /// A group that no other expression closes, or a bracket that closes none.
  case unbalanced(Character)
  /// A class without its end.
  case openClass
  /// A class with nothing in it.
  case emptyClass
  /// `z-a`
  case badRange
  /// `*` after nothing that could be repeated.
  case nothingToRepeat
  /// `{3,1}` or a repetition over the limit.
  case badRepetition(limit: Int)
  /// A backslash and a character that mean nothing together.
  case unknownEscape
  /// `\p{…}` of a script that is not known.
  case unknownScript(String)
  /// Groups inside groups, deeper than the limit.
  case tooDeep(limit: Int)
  /// More steps than an expression may have, its repetitions written out.
  case tooLarge(limit: Int)
  /// It matches the empty text, so it matches every text.
  case matchesAll
}

/// What is wrong with a rule file.
package enum RuleError: Error, Sendable {
  /// The shapes that a value can have.
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
    case truth
    /// `true`, `false`, or domains.
    case link
  }

  /// The text is not YAML.
  case document(YAMLError)
  /// A key that nothing knows; the keys that could stand there.
  case unknownKey(Mark, key: String, known: [String])
  /// A value of another shape than needed.
  case wrongShape(Mark, key: String, wanted: Shape)
  /// A key that must be there is not.
  case missingKey(Mark, key: String, of: String)
  /// A list or mapping with nothing in it.
  case empty(Mark, key: String)
  /// A value that is none of those that are known.
  case unknownValue(Mark, key: String, value: String, known: [String])
  /// No country has these two letters.
  case unknownCountry(Mark, String)
  /// The file is of another version of the format.
  case unknownVersion(Mark, String)
  /// Two rules have one name.
  case repeatedName(Mark, name: String, firstLine: Int)
  /// A sub-action of another action.
  case wrongSubAction(Mark, MessageSubAction, of: MessageAction)
  /// No number, range or pattern of numbers.
  case badNumber(Mark, String)
  /// No domain name in ASCII.
  case badDomain(Mark, String)
  /// A keyword of which folding leaves nothing.
  case emptyKeyword(Mark, String)
  /// A keyword longer than any message.
  case longKeyword(Mark, limit: Int)
  /// A regular expression that is refused, and the character of it, from 1.
  case pattern(Mark, PatternErrorReason, at: Int)
  /// More of something than there may be.
  case tooMany(Mark, Surplus, limit: Int)

  /// What there can be too much of.
  package enum Surplus: Sendable {
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

  /// Where it stands.
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
      .unknownVersion(let mark, _), .repeatedName(let mark, _, _), .wrongSubAction(let mark, _, _),
      .badNumber(let mark, _), .badDomain(let mark, _), .emptyKeyword(let mark, _), .longKeyword(let mark, _),
      .pattern(let mark, _, _), .tooMany(let mark, _, _):
      mark
    }
  }
}

/// The mistakes of a rule file: one for a rule at most.
package struct RuleErrors: Error, Sendable {
  /// The mistakes in their order; not empty.
  package var list: [RuleError]

  /// The maximum that is collected: readers fix the first ones first.
  package static let max = 20
}

/// What a rule file may have and had better not.
package enum RuleWarning: Sendable {
  /// A rule after one that matches every message.
  case neverReached(Mark, rule: String, behind: String)
  /// More sub-actions than iOS is said to take from one app; Apple's documents name no number.
  case manySubActions(Mark, count: Int, limit: Int)
}
