// Errors in a rule file, with their positions: what is wrong, and what to write instead.

import MessageRules
import NumberPlan
package import Records

package struct RuleError: Error, Sendable {
  package var mark: Mark
  /// A stable word for tests, such as `unknown-key`.
  package var code: String
  /// What is wrong, with its position, and what to write.
  package var userMessage: UserMessage

  fileprivate init(_ mark: Mark, _ code: String, _ text: String, hint: String? = nil) {
    self.mark = mark
    self.code = code
    userMessage = UserMessage("\(mark.place): \(text)", hint: hint)
  }

  init(_ error: YAMLError) {
    switch error {
    case .notYAML(let mark, _), .tooDeep(let mark, _), .notSupported(let mark, _),
      .repeatedKey(let mark, _, _):
      self.mark = mark
    }
    code = "document"
    userMessage = error.userMessage
  }
}

/// The errors of a rule file: at most one per rule.
package struct RuleErrors: Error, Sendable {
  /// The errors in their order; not empty.
  package var list: [RuleError]

  /// The maximum number of errors that are collected: users fix the first ones first.
  package static let max = 20
}

extension RuleError {
  static func unknownKey(_ mark: Mark, key: String, known: [String]) -> RuleError {
    RuleError(mark, "unknown-key", "unknown key '\(key)'", hint: KeySuggestion.hint(key, known))
  }

  static func wrongShape(_ mark: Mark, key: String, expected: String) -> RuleError {
    RuleError(mark, "wrong-shape", "'\(key)' must be \(expected)")
  }

  static func missingKey(_ mark: Mark, key: String, of owner: String) -> RuleError {
    RuleError(mark, "missing-key", "\(owner) needs '\(key)'")
  }

  static func empty(_ mark: Mark, key: String) -> RuleError {
    RuleError(mark, "empty", "'\(key)' is empty")
  }

  static func unknownValue(_ mark: Mark, key: String, value: String, known: [String]) -> RuleError {
    RuleError(
      mark, "unknown-value", "unknown value '\(value)' for '\(key)'", hint: KeySuggestion.hint(value, known))
  }

  static func unknownCountry(_ mark: Mark, _ value: String) -> RuleError {
    RuleError(mark, "unknown-country", "unknown country code '\(value)'", hint: CountryName.hint)
  }

  /// A language that texts can't be recognised to be in.
  static func unknownLanguage(_ mark: Mark, _ value: String) -> RuleError {
    let codes = MessageLanguage.allCases.map(\.code).joined(separator: ", ")
    return RuleError(
      mark, "unknown-language",
      "the language '\(value)' is not recognised: only languages with a script or letters of their own are",
      hint: "use one of: \(codes); for others, use keywords")
  }

  static func unknownVersion(_ mark: Mark, _ value: String) -> RuleError {
    RuleError(mark, "unknown-version", "unknown version '\(value)' of rule files", hint: "write version: 1")
  }

  static func repeatedName(_ mark: Mark, name: String, firstLine line: Int) -> RuleError {
    RuleError(mark, "repeated-name", "another rule named '\(name)'; the first is at line \(line)")
  }

  static func wrongSubAction(_ mark: Mark, _ subAction: MessageSubAction, of action: MessageAction)
    -> RuleError
  {
    let owner = subAction.action.map { "belongs to '\($0.name)'" } ?? "fits every action"
    return RuleError(mark, "wrong-sub-action", "'\(subAction.name)' \(owner), not to '\(action.name)'")
  }

  static func badNumber(_ mark: Mark, _ text: String) -> RuleError {
    RuleError(
      mark, "bad-number", "'\(text)' is not a number, range or pattern with a country calling code",
      hint: "write it like +8613800138000, 33162000000..33162999999, +82 70 XXXX XXXX or +33162*")
  }

  static func badDomain(_ mark: Mark, _ text: String) -> RuleError {
    RuleError(
      mark, "bad-domain", "'\(text)' is not a domain name in ASCII",
      hint: "write it like example.com, without https:// and without a path")
  }

  static func emptyKeyword(_ mark: Mark, _ text: String) -> RuleError {
    RuleError(
      mark, "empty-keyword",
      "'\(PrintableText.line(text))' is empty after folding: it has only marks or invisible characters",
      hint: "to keep marks, write 'fold: { marks: false }'")
  }

  static func longKeyword(_ mark: Mark, limit: Int) -> RuleError {
    RuleError(mark, "long-keyword", "a keyword longer than \(limit) characters")
  }

  /// A rejected regular expression, and the position of the character, from 1.
  static func pattern(_ mark: Mark, _ problem: PatternProblem, at place: Int) -> RuleError {
    RuleError(mark, "pattern", "regular expression, character \(place): \(problem.text)", hint: problem.hint)
  }

  static func tooMany(_ mark: Mark, _ items: String, limit: Int) -> RuleError {
    RuleError(mark, "too-many", "more than \(Figures.grouped(UInt64(limit))) \(items)")
  }
}

/// Why a regular expression is rejected, and what to write instead.
struct PatternProblem: Error, Equatable {
  var text: String
  var hint: String?

  init(_ text: String, hint: String? = nil) {
    self.text = text
    self.hint = hint
  }

  /// `\1`: the matched text would have to be remembered, and backtracking can take exponential time.
  static let backreference = PatternProblem(
    "backreferences are not supported", hint: "write the repeated text out")
  /// `(?=`, `(?!`, `(?<=`, `(?<!`, `(?>`, `a++`: for the same reason.
  static let lookAround = PatternProblem(
    "look-around and possessive parts are not supported",
    hint: "use 'not:' or 'contains-none' for what must not occur")
  /// `(?i)` and similar.
  static let flags = PatternProblem(
    "flags are not supported", hint: "set folding for the whole file with 'fold:'")
  static let unclosedGroup = PatternProblem("unclosed '('", hint: "write the character itself as \\(")
  static let unmatchedBracket = PatternProblem("unmatched ')'", hint: "write the character itself as \\)")
  static let openClass = PatternProblem("unclosed '['", hint: "write the character itself as \\[")
  /// `z-a`
  static let badRange = PatternProblem("a range that ends before it starts")
  /// `*` without a preceding part that can be repeated.
  static let nothingToRepeat = PatternProblem("nothing to repeat")
  /// A backslash before a character with which it has no meaning.
  static let unknownEscape = PatternProblem("invalid escape", hint: "write a backslash as \\\\")
  /// It matches the empty text, so it matches every text.
  static let matchesAll = PatternProblem("it matches every text", hint: "require at least one character")

  /// `{3,1}`, or a repetition above the limit.
  static func badRepetition(limit: Int) -> PatternProblem {
    PatternProblem("invalid repetition", hint: "write {min,max} with at most \(limit)")
  }

  static func unknownScript(_ name: String) -> PatternProblem {
    PatternProblem(
      "unknown script '\(name)'",
      hint: "use a script such as \\p{Han}, \\p{Hangul} or \\p{Latin}, or \\p{L} for any letter")
  }

  static func tooDeep(limit: Int) -> PatternProblem {
    PatternProblem("groups nested deeper than \(limit)")
  }

  static func tooLarge(limit: Int) -> PatternProblem {
    PatternProblem(
      "more than \(limit) steps, counting repetitions",
      hint: "use smaller repetitions, or several expressions")
  }
}

package enum CountryName {
  package static let hint = "use two letters, such as CN, KR or FR"

  /// Whether a text is the code of a country with telephone numbers, in upper or lower case.
  package static func isOne(_ text: String) -> Bool {
    text.utf8.count == 2 && Region(text.uppercased())?.isGeographic == true
  }
}
