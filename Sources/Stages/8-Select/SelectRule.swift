// The rules of select: a rule keeps or drops the records to which all of its conditions apply, such as
// `country=DE,AT type=mobile score>=3`.

import NumberPlan
package import Records
import SystemIO

/// A rule: its conditions, and what happens to the records that meet all of them.
package struct SelectRule: Sendable {
  package enum Action: String, Sendable {
    case keep, drop
  }

  /// What a record must be. Of several values, one is enough.
  enum Condition: Sendable {
    case label([LabelGlob])
    case source([LabelGlob])
    /// A record without a score has 0.
    case score(ClosedRange<Int64>)
    /// The numbers of days, which a record without a day does not have; nil for records without a day.
    case days(ClosedRange<Int64>?)
    case isRange(Bool)
    case country(Set<Region>)
    case type(Set<NumberType>)
    case numbers(SelectedNumbers)
    /// Numbers in lists, or those that begin with prefixes in files.
    case lists([String], arePrefixes: Bool)
  }

  struct Test: Sendable {
    var condition: Condition
    /// Whether the condition must not hold.
    var isNegated = false
  }

  package let action: Action
  /// The conditions as they were typed.
  package let text: String
  let tests: [Test]

  /// Reads conditions, separated by spaces. An error has the class of a usage error.
  package init(_ action: Action, _ text: String) throws(Failure) {
    var reader = RuleTextReader(text)
    var tests: [Test] = []
    while let next = try reader.next() { tests.append(try next.test) }
    guard !tests.isEmpty else {
      throw .badRule("no-condition", "a rule needs a condition, such as country=DE")
    }
    self.action = action
    self.text = text
    self.tests = tests
  }

  /// The files of the rule.
  var lists: [String] {
    tests.flatMap { test -> [String] in
      if case .lists(let paths, _) = test.condition { paths } else { [] }
    }
  }

  /// A rule's text with its paths replaced, for a pipeline file whose paths are relative to it. An invalid text is
  /// returned as it is.
  package static func replacingPaths(in text: String, _ path: (String) -> String) -> String {
    var reader = RuleTextReader(text)
    var words: [String] = []
    do throws(Failure) {
      while let next = try reader.next() {
        guard next.name == .numbers || next.name == .prefixes else {
          words.append(next.typed)
          continue
        }
        let paths = next.values.map { ConditionValue.quoted(path($0.text)) }
        words.append("\(next.name)\(next.comparison.rawValue)\(paths.joined(separator: ","))")
      }
    } catch {
      return text
    }
    return words.joined(separator: " ")
  }
}

extension Failure {
  static func badRule(_ code: String, _ text: String, hint: String? = nil) -> Failure {
    Failure(.select, .usage, code, text, hint: hint)
  }
}

// MARK: - The text of a rule

/// A condition as it was typed.
private struct ConditionText {
  enum Name: String, CaseIterable {
    case country, type, label, source, score, date, number, prefix, numbers, prefixes
    case kind = "is"
  }

  enum Comparison: String, CaseIterable {
    case equal = "="
    case unequal = "!="
    case atLeast = ">="
    case atMost = "<="
    case above = ">"
    case below = "<"
  }

  let name: Name
  let comparison: Comparison
  let values: [ConditionValue]
  let typed: String

  var test: SelectRule.Test {
    get throws(Failure) {
      let isNegated = comparison == .unequal
      guard comparison == .equal || isNegated || name == .score || name == .date else {
        throw .badRule(
          "bad-comparison", "'\(typed)': only scores and dates are compared with '\(comparison.rawValue)'",
          hint: "use '=' or '!='")
      }
      return SelectRule.Test(condition: try condition, isNegated: isNegated)
    }
  }

  private var condition: SelectRule.Condition {
    get throws(Failure) {
      switch name {
      case .label: return .label(values.map(\.glob))
      case .source: return .source(values.map(\.glob))
      case .score: return .score(try compared { Int64($0) })
      case .date where (comparison == .equal || comparison == .unequal) && values.allSatisfy(\.text.isEmpty):
        return .days(nil)
      case .date:
        return .days(try compared { CalendarDay(Array($0.utf8).span).map { Int64($0.number) } })
      case .country: return .country(Set(try all { Region($0) }))
      case .type:
        return .type(Set(try all { text in NumberType.allCases.first { $0.code == text.lowercased() } }))
      case .kind:
        let kinds = Set(try all { ["range": true, "number": false][$0] })
        guard let kind = kinds.first, kinds.count == 1 else { throw badValue("") }
        return .isRange(kind)
      case .number: return .numbers(SelectedNumbers(try all { PhoneNumber.range($0) }))
      case .prefix:
        return .numbers(SelectedNumbers(try all { PhoneNumber.ranges(ofPrefix: $0) }.flatMap { $0 }))
      case .numbers, .prefixes:
        let paths = try all { $0.isEmpty || $0 == InputFile.standardInput ? nil : $0 }
        return .lists(paths, arePrefixes: name == .prefixes)
      }
    }
  }

  private func all<Value>(_ read: (String) -> Value?) throws(Failure) -> [Value] {
    var result: [Value] = []
    for value in values {
      guard let value = read(value.text) else { throw badValue(value.text) }
      result.append(value)
    }
    return result
  }

  /// The scores or days that a comparison allows; those that it excludes if it is `!=`.
  private func compared(_ read: (String) -> Int64?) throws(Failure) -> ClosedRange<Int64> {
    guard values.count == 1, let value = read(values[0].text) else {
      throw badValue(values.map(\.text).joined(separator: ","))
    }
    switch comparison {
    case .equal, .unequal: return value...value
    case .atLeast: return value...(.max)
    case .atMost: return .min...value
    case .above where value < .max: return value + 1...(.max)
    case .below where value > .min: return .min...value - 1
    case .above, .below: throw badValue(values[0].text)
    }
  }

  private func badValue(_ value: String) -> Failure {
    let text = PrintableText.line(value)
    switch name {
    case .country:
      return .badRule(
        "bad-country", "no region has the code '\(text)'",
        hint: "codes have two letters, such as CN, US or GB")
    case .type:
      return .badRule(
        "bad-type", "no type is named '\(text)'",
        hint: KeySuggestion.hint(text, NumberType.allCases.map(\.code)))
    case .score: return .badRule("bad-score", "'\(text)' is not a score", hint: "write score>=3")
    case .date:
      return .badRule("bad-date", "'\(text)' is not a day of the calendar", hint: "write date>=2026-11-29")
    case .kind: return .badRule("bad-kind", "'is' must be 'range' or 'number'")
    case .number, .prefix:
      return .badRule(
        "bad-number", "'\(text)' is not a \(name) of 1 to 15 digits",
        hint: name == .number
          ? "write the calling code and the number without blanks, or A..B; 'prefix=' selects what begins with digits"
          : "write the calling code and the digits that follow, such as prefix=4930")
    case .numbers, .prefixes:
      return .badRule("bad-list", "'\(name)' needs a file: standard input is for the records")
    case .label, .source: return .badRule("bad-text", "'\(text)' is not a text")
    }
  }
}

extension ConditionText.Name: CustomStringConvertible {
  var description: String { rawValue }
}

/// A value of a condition, without quotes and backslashes.
private struct ConditionValue {
  private(set) var text = ""
  private var parts: [LabelGlob.Part] = []

  /// The value as a pattern. A `*` or `?` that follows a backslash is an ordinary character.
  var glob: LabelGlob { LabelGlob(parts) }

  mutating func append(_ character: Character, isLiteral: Bool) {
    text.append(character)
    switch character {
    case "*" where !isLiteral: parts.append(.anyText)
    case "?" where !isLiteral: parts.append(.anyCharacter)
    default: parts.append(.character(character))
    }
  }

  /// A text as a value: in quotes if it has characters with a meaning.
  static func quoted(_ text: String) -> String {
    guard text.contains(where: { $0.isWhitespace || "\\,\"'".contains($0) }) else { return text }
    return "\"" + text.reduce(into: "") { $0 += $1 == "\\" || $1 == "\"" ? "\\\($1)" : "\($1)" } + "\""
  }
}

/// Splits a rule into conditions: `NAME=VALUE,VALUE`, separated by blanks. A value with blanks or commas is in quotes,
/// and a backslash makes the next character literal.
private struct RuleTextReader {
  private var rest: Substring

  init(_ text: String) { rest = text[...] }

  mutating func next() throws(Failure) -> ConditionText? {
    rest = rest.drop(while: \.isWhitespace)
    let start = rest
    if start.isEmpty { return nil }
    let word = rest.prefix { $0.isLetter || $0 == "-" }
    rest = rest.dropFirst(word.count)
    let sign = rest.prefix { "!<>=".contains($0) }
    guard let name = ConditionText.Name(rawValue: word.lowercased()) else {
      let text = PrintableText.line(word.isEmpty ? String(start.prefix { !$0.isWhitespace }) : String(word))
      throw .badRule(
        "unknown-condition", "unknown condition '\(text)'",
        hint: KeySuggestion.hint(text, ConditionText.Name.allCases.map(\.rawValue)))
    }
    guard let comparison = ConditionText.Comparison(rawValue: String(sign)) else {
      throw .badRule(
        "no-comparison", sign.isEmpty ? "'\(name)' needs a value" : "'\(sign)' compares nothing",
        hint: "write \(name)=…, without spaces around the sign")
    }
    rest = rest.dropFirst(sign.count)
    let values = try values()
    return ConditionText(
      name: name, comparison: comparison, values: values,
      typed: String(start[..<rest.startIndex]))
  }

  private mutating func values() throws(Failure) -> [ConditionValue] {
    var values = [ConditionValue()]
    var quote: Character?
    while let character = rest.first, quote != nil || !character.isWhitespace {
      rest.removeFirst()
      if character == "\\" {
        guard let literal = rest.popFirst() else {
          throw .badRule("open-escape", "a rule ends in a backslash")
        }
        values[values.count - 1].append(literal, isLiteral: true)
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "\"" || character == "'" {
        quote = character
      } else if quote == nil, character == "," {
        values.append(ConditionValue())
      } else {
        values[values.count - 1].append(character, isLiteral: false)
      }
    }
    if let quote { throw .badRule("open-quote", "a rule has no closing \(quote)") }
    return values
  }
}
