// Messages for errors and warnings of rule files.

import MessageRules
package import Records

extension RuleError {
  /// Describes the error.
  package var userMessage: UserMessage {
    let place = mark.place
    switch self {
    case .document(let error): return error.userMessage
    case .unknownKey(_, let key, let known):
      return UserMessage("\(place): unknown key '\(key)'", hint: KeySuggestion.hint(key, known))
    case .wrongShape(_, let key, let wanted):
      return UserMessage("\(place): '\(key)' must be \(wanted.phrase)")
    case .missingKey(_, let key, let owner): return UserMessage("\(place): \(owner) needs '\(key)'")
    case .empty(_, let key): return UserMessage("\(place): '\(key)' is empty")
    case .unknownValue(_, let key, let value, let known):
      return UserMessage(
        "\(place): unknown value '\(value)' for '\(key)'", hint: KeySuggestion.hint(value, known))
    case .unknownCountry(_, let value):
      return UserMessage("\(place): unknown country code '\(value)'", hint: CountryName.hint)
    case .unknownLanguage(_, let value):
      return UserMessage(
        "\(place): the language '\(value)' is not recognised: only languages with a script or letters of their own are",
        hint:
          "use one of: \(MessageLanguage.allCases.map(\.code).joined(separator: ", ")); for others, use keywords"
      )
    case .unknownVersion(_, let value):
      return UserMessage("\(place): unknown version '\(value)' of rule files", hint: "write version: 1")
    case .repeatedName(_, let name, let line):
      return UserMessage("\(place): another rule named '\(name)'; the first is at line \(line)")
    case .wrongSubAction(_, let subAction, let action):
      let owner = subAction.action.map { "belongs to '\($0.name)'" } ?? "fits every action"
      return UserMessage("\(place): '\(subAction.name)' \(owner), not to '\(action.name)'")
    case .badNumber(_, let text):
      return UserMessage(
        "\(place): '\(text)' is not a number, range or pattern with a country calling code",
        hint: "write it like +8613800138000, 33162000000..33162999999, +82 70 XXXX XXXX or +33162*")
    case .badDomain(_, let text):
      return UserMessage(
        "\(place): '\(text)' is not a domain name in ASCII",
        hint: "write it like example.com, without https:// and without a path")
    case .emptyKeyword(_, let text):
      return UserMessage(
        "\(place): '\(PrintableText.line(text))' is empty after folding: it has only marks or invisible characters",
        hint: "to keep marks, write 'fold: { marks: false }'")
    case .longKeyword(_, let limit): return UserMessage("\(place): a keyword longer than \(limit) characters")
    case .pattern(_, let reason, let at):
      return UserMessage("\(place): regular expression, character \(at): \(reason.text)", hint: reason.hint)
    case .tooMany(_, let item, let limit):
      return UserMessage("\(place): more than \(Figures.grouped(UInt64(limit))) \(item.phrase)")
    }
  }
}

extension RuleError.Shape {
  fileprivate var phrase: String {
    switch self {
    case .text: "text"
    case .texts: "text or a list of texts"
    case .list: "a list"
    case .keys: "keys with values"
    case .boolean: "true or false"
    case .link: "true, false, a domain or a list of domains"
    }
  }
}

extension RuleError.LimitedItem {
  fileprivate var phrase: String {
    switch self {
    case .rules: "rules"
    case .keywords: "keywords"
    case .groups: "lists of keywords"
    case .patterns: "regular expressions"
    case .tests: "tests"
    case .symbols: "different characters"
    case .nodes: "characters in all keywords"
    }
  }
}

extension PatternErrorReason {
  /// What is wrong with a regular expression.
  var text: String {
    switch self {
    case .backreference: "backreferences are not supported"
    case .lookAround: "look-around and possessive parts are not supported"
    case .flags: "flags are not supported"
    case .unbalanced("("): "unclosed '('"
    case .unbalanced: "unmatched ')'"
    case .openClass: "unclosed '['"
    case .emptyClass: "empty character class"
    case .badRange: "a range that ends before it starts"
    case .nothingToRepeat: "nothing to repeat"
    case .badRepetition: "invalid repetition"
    case .unknownEscape: "invalid escape"
    case .unknownScript(let name): "unknown script '\(name)'"
    case .tooDeep(let limit): "groups nested deeper than \(limit)"
    case .tooLarge(let limit): "more than \(limit) steps, counting repetitions"
    case .matchesAll: "it matches every text"
    }
  }

  /// What to write instead.
  var hint: String? {
    switch self {
    case .backreference: "write the repeated text out"
    case .lookAround: "use 'not:' or 'contains-none' for what must not occur"
    case .flags: "set folding for the whole file with 'fold:'"
    case .unbalanced("("): "write the character itself as \\("
    case .unbalanced: "write the character itself as \\)"
    case .openClass: "write the character itself as \\["
    case .badRepetition(let limit): "write {min,max} with at most \(limit)"
    case .unknownEscape: "write a backslash as \\\\"
    case .unknownScript: "use a script such as \\p{Han}, \\p{Hangul} or \\p{Latin}, or \\p{L} for any letter"
    case .tooLarge: "use smaller repetitions, or several expressions"
    case .matchesAll: "require at least one character"
    case .emptyClass, .badRange, .nothingToRepeat, .tooDeep: nil
    }
  }
}

extension RuleWarning {
  /// Describes the warning.
  package var text: String {
    switch self {
    case .neverReached(let mark, let rule, let previous):
      "\(mark.place): rule '\(rule)' is never reached: '\(previous)' before it matches every message"
    case .shadowed(let mark, let rule, let previous):
      "\(mark.place): rule '\(rule)' can never match: '\(previous)' before it matches whatever it matches"
    case .contradiction(let mark, let rule):
      "\(mark.place): rule '\(rule)' can never match: its conditions exclude each other"
    case .moreUnreachable(let mark, let count):
      "\(mark.file): \(Figures.counted(UInt64(count), "more rule")) can never match"
    case .manySubActions(let mark, let count, let limit):
      "\(mark.place): \(count) different sub-actions; iOS reportedly supports \(limit) per app"
    }
  }
}
