// Rules in the formats of other applications. Both have keywords and expressions for the sender, the text, or either,
// and apply allowing filters first; other rules have no counterpart there.

import FoundationEssentials
import MessageRules
package import Records

extension Failure {
  fileprivate static func notTheApplication(_ path: String) -> Failure {
    Failure(
      nil, .badData, "not-the-format", "'\(path)' is not a file of that application",
      hint: "set the application with --format")
  }
}

package enum RuleExchange {
  package enum Application: Sendable {
    /// Bouncer: the list of filters that it keeps as `filters.json`.
    case bouncer
    /// Simply Filter SMS: the file that it exports.
    case simplyFilterSMS
  }

  /// The converted text, and notes about the conversion.
  package struct Result: Sendable {
    package var text: String
    /// Notes about what was left out or changed.
    package var notes: [String]
  }

  /// Makes a rule file from an application's filters.
  package static func importing(
    _ bytes: [UInt8], path: String, from application: Application
  ) throws(Failure) -> Result {
    let filters: [ForeignFilter?]
    switch application {
    case .bouncer: filters = try BouncerFile.filters(bytes, path)
    case .simplyFilterSMS: filters = try SimplyFilterFile.filters(bytes, path)
    }
    return ImportedRules.make(filters)
  }

  package static func exporting(_ file: RuleFile, to application: Application) -> Result {
    var notes: [String] = []
    var filters: [ForeignFilter] = []
    for rule in file.rules {
      guard let found = ExportedRules.filters(of: rule) else {
        notes.append("skipped rule '\(rule.name)': the application has no such filter")
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
    var key: String
    var action: MessageAction
    var subAction: MessageSubAction
  }

  static func make(_ filters: [ForeignFilter?]) -> RuleExchange.Result {
    var notes: [String] = []
    var groups: [(group: RuleGroup, texts: [String])] = []
    var caseSensitive = 0
    // Both applications apply allowing filters first.
    let numbered = filters.enumerated().map { ($0.offset + 1, $0.element) }
    let ordered =
      numbered.filter { $0.1?.action == .allow } + numbered.filter { $0.1?.action != .allow }
    for (number, filter) in ordered {
      guard let filter else {
        notes.append("skipped filter \(number): unknown kind of filter")
        continue
      }
      if let reason = problem(with: filter) {
        let text = filter.text.isEmpty ? "" : " '\(PrintableText.line(filter.text))'"
        notes.append("skipped filter \(number)\(text): \(reason)")
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
    if caseSensitive > 0 {
      notes.append(
        "\(caseSensitive) \(caseSensitive == 1 ? "filter is" : "filters are") case-sensitive; the rules are not, "
          + "unless you write 'fold: { case: false }'"
      )
    }
    return RuleExchange.Result(text: text(groups), notes: notes)
  }

  private static func problem(with filter: ForeignFilter) -> String? {
    if filter.matching == .language {
      return MessageLanguage(code: filter.text) == nil ? "rules don't recognise this language" : nil
    }
    if !filter.text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) {
      return "it has no text"
    }
    guard filter.matching == .expression else { return nil }
    do throws(PatternParseError) {
      _ = try PatternParser.parse(filter.text)
      return nil
    } catch {
      return error.problem.text
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
        ForeignFilter(text: $0.2, place: $0.0, matching: $0.1, action: rule.action, subAction: rule.subAction)
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
    case .pattern(let field, let text, _): return [(field == .body ? .body : .sender, .expression, text.text)]
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

// Bouncer's filters: the JSON array that the app stores as `filters.json` in its group's container.
//
// Source: the app's published sources (github.com/afterxleep/Bouncer, `Filter` in FilterStore.swift): id, type, phrase,
// action, and optionally subAction, caseSensitive, useRegex. Allowing filters are applied first.

enum BouncerFile {
  private struct Filter: Codable {
    var id: String
    var type: String
    var phrase: String
    var action: String
    var subAction: String?
    var caseSensitive: Bool?
    var useRegex: Bool?
  }

  private static let subActions: [(name: String, subAction: MessageSubAction)] = [
    ("transactionOrder", .transactionalOrders), ("transactionFinance", .transactionalFinance),
    ("transactionReminders", .transactionalReminders), ("transactionHealth", .transactionalHealth),
    ("transactionOther", .transactionalOthers), ("promotionOffers", .promotionalOffers),
    ("promotionCoupons", .promotionalCoupons), ("promotionOther", .promotionalOthers),
  ]

  /// The filters in their order; nil for an unknown one.
  static func filters(_ bytes: [UInt8], _ path: String) throws(Failure) -> [ForeignFilter?] {
    guard let filters = try? JSONDecoder().decode([Filter].self, from: Data(bytes)) else {
      throw .notTheApplication(path)
    }
    return filters.map { filter in
      let places: [String: ForeignFilter.RuleField] = ["any": .any, "sender": .sender, "message": .body]
      guard let place = places[filter.type], let action = MessageAction(name: filter.action) else {
        return nil
      }
      var result = ForeignFilter(
        text: filter.phrase, place: place, matching: filter.useRegex == true ? .expression : .contains,
        action: action)
      result.isCaseSensitive = filter.caseSensitive == true
      let known = subActions.first { $0.name == filter.subAction }?.subAction ?? .none
      if known.action == action { result.subAction = known }
      return result
    }
  }

  static func text(_ filters: [ForeignFilter]) -> String {
    let list = filters.enumerated().map { index, filter in
      let names: [ForeignFilter.RuleField: String] = [.any: "any", .sender: "sender", .body: "message"]
      return Filter(
        id: identifier(index + 1), type: names[filter.place] ?? "any", phrase: filter.text,
        action: filter.action.name,
        subAction: subActions.first { $0.subAction == filter.subAction }?.name ?? "none",
        caseSensitive: false, useRegex: filter.matching == .expression)
    }
    return JSONDocument.text(list) + "\n"
  }

  /// An identifier that depends only on the index, so that the same rules produce the same bytes.
  private static func identifier(_ number: Int) -> String {
    let digits = String(number, radix: 16, uppercase: true)
    return "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
  }
}

// Simply Filter SMS's export: a JSON object with the format's name, its version, and the filters.
//
// Source: the app's published sources (github.com/adibendahan/SimplyFilterSMS-iOS, `FilterExportPayload`, version 1):
// format, version, exportedAt (ISO 8601), appVersion, filters with text, type, folder, target, matching, case. Its
// `exact` matches a word: no letter before or after it. For an unknown sender's message that no filter matches, the app
// answers `allow`; here the rules decide.

enum SimplyFilterFile {
  private static let name = "simply-filter-sms-filters"
  private static let version = 1
  /// A meaningless time, so that the same rules produce the same bytes. The app's import ignores it.
  private static let noTime = "2000-01-01T00:00:00Z"

  private struct Payload: Codable {
    var format: String
    var version: Int
    var exportedAt: String?
    var appVersion: String?
    var filters: [Filter]
  }

  private struct Filter: Codable {
    var text: String?
    var type: String?
    var folder: String?
    var target: String?
    var matching: String?
    var `case`: String?
  }

  /// The filters in their order; nil for an unknown one.
  static func filters(_ bytes: [UInt8], _ path: String) throws(Failure) -> [ForeignFilter?] {
    guard let payload = try? JSONDecoder().decode(Payload.self, from: Data(bytes)), payload.format == name,
      payload.version >= 1
    else { throw .notTheApplication(path) }
    guard payload.version <= version else {
      throw Failure(
        nil, .badData, "unsupported-version", "'\(path)' has the unsupported version \(payload.version)")
    }
    return payload.filters.map { filter in
      let places: [String: ForeignFilter.RuleField] = ["all": .any, "sender": .sender, "body": .body]
      let matchings: [String: ForeignFilter.Matching] = [
        "contains": .contains, "exact": .word, "regex": .expression,
      ]
      guard let text = filter.text, let place = places[filter.target ?? ""],
        let matching = filter.type == "denyLanguage"
          ? ForeignFilter.Matching.language : matchings[filter.matching ?? ""],
        let action = filter.type == "allow" ? MessageAction.allow : MessageAction(name: filter.folder ?? ""),
        ["allow", "deny", "denyLanguage"].contains(filter.type)
      else { return nil }
      var result = ForeignFilter(text: text, place: place, matching: matching, action: action)
      result.isCaseSensitive = filter.case == "sensitive"
      return result
    }
  }

  static func text(_ filters: [ForeignFilter]) -> String {
    let list = filters.filter { $0.action != .none }.map { filter in
      let targets: [ForeignFilter.RuleField: String] = [.any: "all", .sender: "sender", .body: "body"]
      let isAllowed = filter.action == .allow
      return Filter(
        text: filter.text, type: isAllowed ? "allow" : "deny",
        folder: isAllowed ? "junk" : filter.action.name,
        target: targets[filter.place], matching: filter.matching == .expression ? "regex" : "contains",
        case: "insensitive")
    }
    return JSONDocument.text(
      Payload(format: name, version: version, exportedAt: noTime, appVersion: "cdpipe", filters: list)) + "\n"
  }
}
