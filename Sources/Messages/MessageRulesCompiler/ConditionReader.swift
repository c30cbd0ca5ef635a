// Reads conditions from a rule file. All keys of a mapping must hold, unless `any`, `all` or `not` specify otherwise.

import MessageRules
import Records

/// Reads conditions.
struct ConditionReader {
  static let keys = ["sender", "body", "receiver", "all", "any", "not"]
  static let senderKeys = ["is", "contains", "prefix", "matches", "number", "country", "store"]
  static let bodyKeys = [
    "contains", "contains-all", "contains-none", "matches", "link", "script", "language",
  ]
  static let receiverKeys = ["country"]

  let isRegion: (String) -> Bool

  func condition(_ node: YAMLNode, of owner: String) throws(RuleError) -> RuleCondition {
    var parts: [RuleCondition] = []
    for entry in try node.keys(owner, known: Self.keys) {
      switch entry.key {
      case "sender": try readSender(entry.value, into: &parts)
      case "body": try readBody(entry.value, into: &parts)
      case "receiver":
        for entry in try entry.value.keys("receiver", known: Self.receiverKeys) {
          parts.append(.receiverCountry(try countries(entry.value)))
        }
      case "all": parts.append(.all(try conditions(entry.value, of: "all")))
      case "any": parts.append(.any(try conditions(entry.value, of: "any")))
      default: parts.append(.not(try condition(entry.value, of: "not")))
      }
    }
    return parts.count == 1 ? parts[0] : .all(parts)
  }

  private func conditions(_ node: YAMLNode, of owner: String) throws(RuleError) -> [RuleCondition] {
    let items = try node.list(owner)
    guard !items.isEmpty else { throw .empty(node.mark, key: owner) }
    var conditions: [RuleCondition] = []
    for item in items { conditions.append(try condition(item, of: owner)) }
    return conditions
  }

  private func readSender(_ node: YAMLNode, into parts: inout [RuleCondition]) throws(RuleError) {
    for entry in try node.keys("sender", known: Self.senderKeys) {
      switch entry.key {
      case "is": parts.append(.keywords(.senderIs, try entry.value.texts("is")))
      case "contains": parts.append(.keywords(.senderContains, try entry.value.texts("contains")))
      case "prefix": parts.append(.keywords(.senderPrefix, try entry.value.texts("prefix")))
      case "matches": parts.append(try patterns(.sender, entry.value))
      case "number": parts.append(try numbers(entry.value))
      case "country": parts.append(.senderCountry(try countries(entry.value)))
      default:
        let stores = try entry.value.texts("store").map { RuleCondition.store($0.text) }
        parts.append(stores.count == 1 ? stores[0] : .any(stores))
      }
    }
  }

  private func readBody(_ node: YAMLNode, into parts: inout [RuleCondition]) throws(RuleError) {
    for entry in try node.keys("body", known: Self.bodyKeys) {
      switch entry.key {
      case "contains": parts.append(.keywords(.bodyContains, try entry.value.texts("contains")))
      case "contains-all":
        for text in try entry.value.texts("contains-all") { parts.append(.keywords(.bodyContains, [text])) }
      case "contains-none":
        parts.append(.not(.keywords(.bodyContains, try entry.value.texts("contains-none"))))
      case "matches": parts.append(try patterns(.body, entry.value))
      case "link": parts.append(try link(entry.value))
      case "script": parts.append(.script(try scripts(entry.value)))
      default: parts.append(.language(try languages(entry.value)))
      }
    }
  }

  private func patterns(_ field: MessageField, _ node: YAMLNode) throws(RuleError) -> RuleCondition {
    var patterns: [RuleCondition] = []
    for text in try node.texts("matches") {
      do throws(PatternParser.PatternParseError) {
        patterns.append(.pattern(field, text, try PatternParser.parse(text.text)))
      } catch {
        throw .pattern(text.mark, error.reason, at: error.at + 1)
      }
    }
    return patterns.count == 1 ? patterns[0] : .any(patterns)
  }

  private func numbers(_ node: YAMLNode) throws(RuleError) -> RuleCondition {
    let texts = try node.texts("number")
    var ranges: [NumberRange] = []
    for text in texts {
      guard let found = NumberPatternText.ranges(text.text) else { throw .badNumber(text.mark, text.text) }
      ranges += found
    }
    return .number(texts, ranges)
  }

  private func countries(_ node: YAMLNode) throws(RuleError) -> [String] {
    var countries: [String] = []
    for text in try node.texts("country") {
      let country = text.text.uppercased()
      guard isRegion(country) else { throw .unknownCountry(text.mark, text.text) }
      countries.append(country)
    }
    return countries
  }

  private func link(_ node: YAMLNode) throws(RuleError) -> RuleCondition {
    switch node {
    case .scalar("true", isPlain: true, _): return .link
    case .scalar("false", isPlain: true, _): return .not(.link)
    case .mapping(_, let mark): throw .wrongShape(mark, key: "link", expected: .link)
    default: break
    }
    var domains: [String] = []
    for text in try node.texts("link") {
      guard let domain = Self.domain(text.text) else { throw .badDomain(text.mark, text.text) }
      domains.append(domain)
    }
    return .domain(domains)
  }

  /// A domain name in lower case: labels of ASCII letters, digits and hyphens with dots in between; nil for any other
  /// text.
  static func domain(_ text: String) -> String? {
    let labels = text.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    let isName =
      labels.count >= 1 && text.utf8.count <= 253
      && labels.allSatisfy { label in
        !label.isEmpty && label.utf8.count <= 63 && label.first != "-" && label.last != "-"
          && label.utf8.allSatisfy { $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x2D }
      }
    return isName ? labels.joined(separator: ".") : nil
  }

  private func scripts(_ node: YAMLNode) throws(RuleError) -> [TextScript] {
    var scripts: [TextScript] = []
    for text in try node.texts("script") {
      guard let script = TextScript.allCases.first(where: { $0.name == text.text }) else {
        throw .unknownValue(
          text.mark, key: "script", value: text.text, known: TextScript.allCases.map(\.name))
      }
      scripts.append(script)
    }
    return scripts
  }

  private func languages(_ node: YAMLNode) throws(RuleError) -> [MessageLanguage] {
    var languages: [MessageLanguage] = []
    for text in try node.texts("language") {
      guard let language = MessageLanguage(code: text.text) else {
        throw .unknownLanguage(text.mark, text.text)
      }
      languages.append(language)
    }
    return languages
  }
}
