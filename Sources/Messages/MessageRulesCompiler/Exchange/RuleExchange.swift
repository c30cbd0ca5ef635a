// Rules in the formats of other applications. Both have keywords and expressions for the sender, the text, or either,
// and apply allowing filters first; other rules have no counterpart there.
//
// Not for: reading rule files. An import writes a rule file as text, so that it can be edited.

import Records
import MessageRules

/// A filter or rule without a counterpart, which was left out or changed.
package enum RuleExchangeNote: Equatable, Sendable {
  /// A filter without a counterpart here: its number, from 1, and its text.
  case filterLeftOut(Int, String, Reason)
  /// A rule without a counterpart there.
  case ruleLeftOut(String)
  /// The number of filters that distinguish capital from small letters, which folding here does not.
  case caseIsFolded(Int)

  /// Why a filter was left out.
  package enum Reason: Equatable, Sendable {
    /// It tests for a language that rules can't recognise.
    case language
    /// Its regular expression is rejected.
    case expression(PatternErrorReason)
    /// Its kind, action or field is unknown.
    case unknown
    /// It has no text.
    case empty
  }
}

/// Why a file can't be imported.
package enum RuleExchangeError: Error, Equatable, Sendable {
  /// It is not this application's file.
  case notTheFormat
  /// It has an unsupported version.
  case unsupportedVersion(Int)
}

/// Import from and export to other applications.
package enum RuleExchange {
  /// An application.
  package enum Application: Sendable {
    /// Bouncer: the list of filters that it keeps as `filters.json`.
    case bouncer
    /// Simply Filter SMS: the file that it exports.
    case simplyFilterSMS
  }

  /// The converted text, and notes about the conversion.
  package struct Result: Sendable {
    /// The text.
    package var text: String
    /// Notes about what was left out or changed.
    package var notes: [RuleExchangeNote]
  }

  /// Makes a rule file from an application's filters.
  package static func importing(
    _ bytes: [UInt8], from application: Application
  ) throws(RuleExchangeError) -> Result {
    let filters: [ForeignFilter?]
    switch application {
    case .bouncer: filters = try BouncerFile.filters(bytes)
    case .simplyFilterSMS: filters = try SimplyFilterFile.filters(bytes)
    }
    return ImportedRules.make(filters)
  }

  /// Writes rules as an application's filters.
  package static func exporting(_ file: RuleFile, to application: Application) -> Result {
    var notes: [RuleExchangeNote] = []
    var filters: [ForeignFilter] = []
    for rule in file.rules {
      guard let found = ExportedRules.filters(of: rule) else {
        notes.append(.ruleLeftOut(rule.name))
        continue
      }
      filters += found
    }
    switch application {
    case .bouncer: return Result(text: BouncerFile.text(filters), notes: notes)
    case .simplyFilterSMS: return Result(text: SimplyFilterFile.text(filters), notes: notes)
    }
  }
}

/// A filter of either application.
struct ForeignFilter: Equatable {
  enum RuleField: Hashable { case any, sender, body }
  enum Matching: Equatable { case contains, word, expression, language }

  var text: String
  var place: RuleField
  var matching: Matching
  var action: MessageAction
  var subAction = MessageSubAction.none
  var isCaseSensitive = false
}

/// Makes a rule file from the filters of another application.
enum ImportedRules {
  /// The filters that become one rule: those that test the same field in the same way and have the same action.
  private struct RuleGroup: Equatable {
    var place: ForeignFilter.RuleField
    /// The condition's key.
    var key: String
    var action: MessageAction
    var subAction: MessageSubAction
  }

  static func make(_ filters: [ForeignFilter?]) -> RuleExchange.Result {
    var notes: [RuleExchangeNote] = []
    var groups: [(group: RuleGroup, texts: [String])] = []
    var caseSensitive = 0
    // Both applications apply allowing filters first.
    let numbered = filters.enumerated().map { ($0.offset + 1, $0.element) }
    let ordered =
      numbered.filter { $0.1?.action == .allow } + numbered.filter { $0.1?.action != .allow }
    for (number, filter) in ordered {
      guard let filter else {
        notes.append(.filterLeftOut(number, "", .unknown))
        continue
      }
      if let reason = problem(with: filter) {
        notes.append(.filterLeftOut(number, filter.text, reason))
        continue
      }
      if filter.isCaseSensitive { caseSensitive += 1 }
      let isLanguage = filter.matching == .language
      let group = RuleGroup(
        place: isLanguage ? .body : filter.place,
        key: isLanguage ? "language" : filter.matching == .contains ? "contains" : "matches",
        action: filter.action, subAction: filter.subAction)
      let text = filter.matching == .word ? "\\b" + escaped(filter.text) + "\\b" : filter.text
      // Order only matters between different actions, so a filter may join an earlier group if only the same action
      // follows it.
      if let last = groups.lastIndex(where: { $0.group == group }),
        groups[last...].allSatisfy({
          $0.group.action == group.action && $0.group.subAction == group.subAction
        })
      {
        groups[last].texts.append(text)
      } else {
        groups.append((group, [text]))
      }
    }
    if caseSensitive > 0 { notes.append(.caseIsFolded(caseSensitive)) }
    return RuleExchange.Result(text: text(groups), notes: notes)
  }

  private static func problem(with filter: ForeignFilter) -> RuleExchangeNote.Reason? {
    if filter.matching == .language { return MessageLanguage(code: filter.text) == nil ? .language : nil }
    if !filter.text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) { return .empty }
    guard filter.matching == .expression else { return nil }
    do throws(PatternParser.PatternParseError) {
      _ = try PatternParser.parse(filter.text)
      return nil
    } catch {
      return .expression(error.reason)
    }
  }

  /// The text as an expression that matches it literally.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if scalar.isASCII, !scalar.properties.isAlphabetic, scalar.value > 0x20, scalar.value &- 0x30 >= 10 {
        result += "\\"
      }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  private static func text(_ groups: [(group: RuleGroup, texts: [String])]) -> String {
    var lines = ["version: 1", groups.isEmpty ? "rules: []" : "rules:"]
    for (index, (group, texts)) in groups.enumerated() {
      lines.append("  - name: \"\(group.action.name) \(index + 1)\"")
      lines.append("    action: \(group.action.name)")
      if group.subAction != .none { lines.append("    sub-action: \(group.subAction.name)") }
      lines.append("    when:")
      let list = texts.map { JSONQuoting.quoted($0, isYAML: true) }
      switch group.place {
      case .sender, .body:
        lines.append("      \(group.place == .sender ? "sender" : "body"):")
        lines.append("        \(group.key):")
        lines += list.map { "          - \($0)" }
      case .any:
        lines.append("      any:")
        for field in ["sender", "body"] {
          lines.append("        - \(field):")
          lines.append("            \(group.key):")
          lines += list.map { "              - \($0)" }
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// Makes filters from rules that consist only of a list of keywords or expressions.
enum ExportedRules {
  static func filters(of rule: Rule) -> [ForeignFilter]? {
    guard let condition = rule.condition else { return nil }
    let conditions: [(ForeignFilter.RuleField, ForeignFilter.Matching, String)]?
    if case .any(let parts) = condition, let both = conditionsForBothFields(parts) {
      conditions = both.map { (ForeignFilter.RuleField.any, $0.1, $0.2) }
    } else {
      conditions = texts(of: condition)
    }
    return conditions.map { conditions in
      conditions.map {
        ForeignFilter(
          text: $0.2, place: $0.0, matching: $0.1, action: rule.action, subAction: rule.subAction)
      }
    }
  }

  /// Conditions that are the same for sender and body become one filter for either.
  private static func conditionsForBothFields(
    _ parts: [RuleCondition]
  ) -> [(ForeignFilter.RuleField, ForeignFilter.Matching, String)]? {
    guard parts.count == 2, let one = texts(of: parts[0]), let other = texts(of: parts[1]),
      one.map(\.2) == other.map(\.2), one.map(\.1) == other.map(\.1),
      one.allSatisfy({ $0.0 == .sender }), other.allSatisfy({ $0.0 == .body })
    else { return nil }
    return one
  }

  private static func texts(
    of condition: RuleCondition
  ) -> [(ForeignFilter.RuleField, ForeignFilter.Matching, String)]? {
    switch condition {
    case .keywords(.bodyContains, let texts):
      return texts.map { (ForeignFilter.RuleField.body, ForeignFilter.Matching.contains, $0.text) }
    case .keywords(.senderContains, let texts):
      return texts.map { (ForeignFilter.RuleField.sender, ForeignFilter.Matching.contains, $0.text) }
    case .pattern(let field, let text, _):
      return [(field == .body ? .body : .sender, .expression, text.text)]
    case .any(let parts):
      var all: [(ForeignFilter.RuleField, ForeignFilter.Matching, String)] = []
      for part in parts {
        guard let found = texts(of: part) else { return nil }
        all += found
      }
      return all
    default: return nil
    }
  }
}
