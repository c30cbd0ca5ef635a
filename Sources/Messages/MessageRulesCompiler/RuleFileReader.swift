// Reads a rule file from YAML or JSON: reports every error with its position, at most one per rule, and continues with
// the next rule.

import MessageRules
import Records

package struct RuleFileReader {
  static let keys = ["version", "region", "fold", "rules"]
  static let ruleKeys = ["name", "when", "action", "sub-action"]
  static let foldKeys = ["width", "case", "compatibility", "marks", "spacing", "digits"]
  /// The only version of the format, as JSON and YAML may write the number.
  static let versions = ["1", "1.0"]

  private var errors: [RuleError] = []
  private var file = RuleFile()
  private var names: [String: Int] = [:]

  /// Reads the text of a rule file.
  ///
  /// - Parameter isRegion: whether two capital letters are the code of a region by whose rules numbers can be parsed.
  package static func read(
    _ text: [UInt8], file name: String, isRegion: @escaping (String) -> Bool
  ) throws(RuleErrors) -> RuleFile {
    let root: YAMLNode
    do throws(YAMLError) {
      root = try YAMLReader.read(JSONSurrogates.joined(text), file: name)
    } catch {
      throw RuleErrors(list: [RuleError(error)])
    }
    var reader = RuleFileReader()
    reader.read(root, isRegion)
    if !reader.errors.isEmpty { throw RuleErrors(list: reader.errors) }
    return reader.file
  }

  /// Reads one part; its error is collected, and reading continues.
  private mutating func attempt(_ body: (inout RuleFileReader) throws(RuleError) -> Void) {
    do throws(RuleError) {
      try body(&self)
    } catch {
      errors.append(error)
    }
  }

  private mutating func read(_ root: YAMLNode, _ isRegion: @escaping (String) -> Bool) {
    var list: [YAMLNode] = []
    attempt { (reader) throws(RuleError) in
      let entries = try root.keys("rules", known: Self.keys)
      for entry in entries {
        reader.attempt { (reader) throws(RuleError) in
          switch entry.key {
          case "version":
            let version = try entry.value.text("version")
            guard case .scalar(_, isPlain: true, _) = entry.value, Self.versions.contains(version) else {
              throw .unknownVersion(entry.value.mark, version)
            }
          case "region":
            let region = try entry.value.text("region").uppercased()
            guard isRegion(region) else { throw .unknownCountry(entry.value.mark, region) }
            reader.file.region = region
          case "fold": try reader.readFolding(entry.value)
          case "rules": list = try entry.value.list("rules")
          default: throw .unknownKey(entry.keyMark, key: entry.key, known: Self.keys)
          }
        }
      }
      guard entries.contains(where: { $0.key == "rules" }) else {
        throw .missingKey(root.mark, key: "rules", of: "a rule file")
      }
    }
    if list.count > MessageRulesLimits.rulesMax {
      errors.append(.tooMany(list[0].mark, "rules", limit: MessageRulesLimits.rulesMax))
      return
    }
    for (index, node) in list.enumerated() {
      guard errors.count < RuleErrors.max else { return }
      attempt { (reader) throws(RuleError) in try reader.readRule(node, number: index + 1, isRegion) }
    }
  }

  private mutating func readFolding(_ node: YAMLNode) throws(RuleError) {
    for entry in try node.keys("fold", known: Self.foldKeys) {
      let isOn = try entry.value.boolean(entry.key)
      switch entry.key {
      case "width": file.folding.width = isOn
      case "case": file.folding.letterCase = isOn
      case "compatibility": file.folding.compatibility = isOn
      case "marks": file.folding.marks = isOn
      case "spacing": file.folding.spacing = isOn
      case "digits": file.folding.digits = isOn
      default: throw .unknownKey(entry.keyMark, key: entry.key, known: Self.foldKeys)
      }
    }
  }

  private mutating func readRule(
    _ node: YAMLNode, number: Int, _ isRegion: @escaping (String) -> Bool
  ) throws(RuleError) {
    let entries = try node.keys("a rule", known: Self.ruleKeys)
    var name = String(number)
    if let entry = entries.first(where: { $0.key == "name" }) {
      name = try entry.value.text("name")
      if let first = names.updateValue(entry.value.mark.line, forKey: name) {
        throw .repeatedName(entry.value.mark, name: name, firstLine: first)
      }
    }
    guard let actionEntry = entries.first(where: { $0.key == "action" }) else {
      throw .missingKey(node.mark, key: "action", of: "a rule")
    }
    let actionName = try actionEntry.value.text("action")
    guard let action = MessageAction(name: actionName) else {
      throw .unknownValue(
        actionEntry.value.mark, key: "action", value: actionName, known: MessageAction.allCases.map(\.name))
    }
    var subAction = MessageSubAction.none
    if let entry = entries.first(where: { $0.key == "sub-action" }) {
      let subName = try entry.value.text("sub-action")
      let allowed = MessageSubAction.allCases.filter { $0.action == nil || $0.action == action }
      guard let known = MessageSubAction(name: subName) else {
        throw .unknownValue(entry.value.mark, key: "sub-action", value: subName, known: allowed.map(\.name))
      }
      guard allowed.contains(known) else { throw .wrongSubAction(entry.value.mark, known, of: action) }
      subAction = known
    }
    var condition: RuleCondition?
    if let entry = entries.first(where: { $0.key == "when" }) {
      condition = try ConditionReader(isRegion: isRegion).condition(entry.value, of: "when")
    }
    file.rules.append(
      Rule(name: name, condition: condition, action: action, subAction: subAction, mark: node.mark))
  }
}

/// Replaces JSON's escapes of characters beyond U+FFFF, pairs of four digits each, by YAML's escapes of eight digits.
enum JSONSurrogates {
  static func joined(_ text: [UInt8]) -> [UInt8] {
    guard text.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return text }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var at = 0
    while at < text.count {
      guard text[at] == UInt8(ascii: "\\"), at + 1 < text.count else {
        result.append(text[at])
        at += 1
        continue
      }
      if let high = unit(text, at), high & 0xFC00 == 0xD800, let low = unit(text, at + 6),
        low & 0xFC00 == 0xDC00
      {
        let scalar = 0x10000 + ((high & 0x3FF) << 10 | low & 0x3FF)
        let digits = String(scalar, radix: 16)
        result += Array("\\U\(String(repeating: "0", count: 8 - digits.utf8.count))\(digits)".utf8)
        at += 12
      } else {
        result += text[at..<at + 2]
        at += 2
      }
    }
    return result
  }

  private static func unit(_ text: [UInt8], _ at: Int) -> UInt32? {
    guard at + 6 <= text.count, text[at] == UInt8(ascii: "\\"), text[at + 1] == UInt8(ascii: "u") else {
      return nil
    }
    return UInt32(String(decoding: text[at + 2..<at + 6], as: UTF8.self), radix: 16)
  }
}

// Access to the values of a rule file's nodes; throws an error with the position for any other kind of value.
extension YAMLNode {
  /// The entries of a mapping that is not empty and has only known keys.
  func keys(_ owner: String, known: [String]) throws(RuleError) -> [YAMLEntry] {
    guard case .mapping(let entries, _) = self else {
      throw .wrongShape(mark, key: owner, expected: "keys with values")
    }
    for entry in entries where !known.contains(entry.key) {
      throw .unknownKey(entry.keyMark, key: entry.key, known: known)
    }
    guard !entries.isEmpty else { throw .empty(mark, key: owner) }
    return entries
  }

  func list(_ key: String) throws(RuleError) -> [YAMLNode] {
    guard case .sequence(let items, _) = self else { throw .wrongShape(mark, key: key, expected: "a list") }
    return items
  }

  func text(_ key: String) throws(RuleError) -> String {
    guard case .scalar(let text, _, _) = self, !isNull else {
      throw .wrongShape(mark, key: key, expected: "text")
    }
    return text
  }

  /// Whether it is null, as YAML and JSON write it without quotes; `null` in quotes is a text.
  private var isNull: Bool {
    guard case .scalar(let text, isPlain: true, _) = self else { return false }
    return ["null", "Null", "NULL", "~"].contains(text)
  }

  /// One text or several; none of them is null or empty.
  func texts(_ key: String) throws(RuleError) -> [RuleText] {
    let texts: [RuleText]
    switch self {
    case .scalar(let text, _, let mark) where !isNull: texts = [RuleText(text: text, mark: mark)]
    case .sequence(let items, _):
      texts = try items.map { (item) throws(RuleError) in RuleText(text: try item.text(key), mark: item.mark)
      }
    case .scalar, .mapping: throw .wrongShape(mark, key: key, expected: "text or a list of texts")
    }
    guard !texts.isEmpty else { throw .empty(mark, key: key) }
    if let empty = texts.first(where: { $0.text.isEmpty }) { throw .empty(empty.mark, key: key) }
    return texts
  }

  /// `true` or `false`, without quotes.
  func boolean(_ key: String) throws(RuleError) -> Bool {
    switch self {
    case .scalar("true", isPlain: true, _): return true
    case .scalar("false", isPlain: true, _): return false
    default: throw .wrongShape(mark, key: key, expected: "true or false")
    }
  }
}

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
    return try items.map { (item) throws(RuleError) in try condition(item, of: owner) }
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
    let patterns = try node.texts("matches").map { (text) throws(RuleError) in
      do throws(PatternParseError) {
        return RuleCondition.pattern(field, text, try PatternParser.parse(text.text))
      } catch {
        throw .pattern(text.mark, error.problem, at: error.at + 1)
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
    try node.texts("country").map { (text) throws(RuleError) in
      let country = text.text.uppercased()
      guard isRegion(country) else { throw .unknownCountry(text.mark, text.text) }
      return country
    }
  }

  private func link(_ node: YAMLNode) throws(RuleError) -> RuleCondition {
    switch node {
    case .scalar("true", isPlain: true, _): return .link
    case .scalar("false", isPlain: true, _): return .not(.link)
    case .mapping(_, let mark):
      throw .wrongShape(mark, key: "link", expected: "true, false, a domain or a list of domains")
    default: break
    }
    return .domain(
      try node.texts("link").map { (text) throws(RuleError) in
        guard let domain = Self.domain(text.text) else { throw .badDomain(text.mark, text.text) }
        return domain
      })
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
    try node.texts("script").map { (text) throws(RuleError) in
      let known = TextScript.allCases
      guard let script = known.first(where: { $0.name == text.text }) else {
        throw .unknownValue(text.mark, key: "script", value: text.text, known: known.map(\.name))
      }
      return script
    }
  }

  private func languages(_ node: YAMLNode) throws(RuleError) -> [MessageLanguage] {
    try node.texts("language").map { (text) throws(RuleError) in
      guard let language = MessageLanguage(code: text.text) else {
        throw .unknownLanguage(text.mark, text.text)
      }
      return language
    }
  }
}

// The numbers, ranges and patterns of senders in rule files. Only international digits are allowed: a rule means the
// same for every receiver's country.

enum NumberPatternText {
  private static let digitsMax = 15

  /// The ranges that a text stands for: `+8613800138000`, `33162000000..33162999999`, `+82 70 XXXX XXXX`, `+33162*`;
  /// nil when it stands for none.
  static func ranges(_ text: String) -> [NumberRange]? {
    let halves = text.split(separator: "..", omittingEmptySubsequences: false)
    if halves.count == 2 {
      guard let first = Form(halves[0]), let last = Form(halves[1]), first.isNumber, last.isNumber,
        first.value <= last.value
      else { return nil }
      return [NumberRange(first: first.value, last: last.value)]
    }
    guard halves.count == 1, let form = Form(halves[0]) else { return nil }
    return (form.digits + form.wildcards...(form.isOpen ? digitsMax : form.digits + form.wildcards))
      .map { length in
        let span = (0..<length - form.digits).reduce(UInt64(1)) { span, _ in span * 10 }
        return NumberRange(first: form.value * span, last: form.value * span + span - 1)
      }
  }

  /// Digits, wildcards for one digit each, and optionally a `*` for any number of digits.
  private struct Form {
    var value: UInt64 = 0
    var digits = 0
    var wildcards = 0
    var isOpen = false
    var isNumber: Bool { wildcards == 0 && !isOpen }

    init?(_ text: Substring) {
      for (index, character) in text.unicodeScalars.enumerated() {
        switch character {
        case "0"..."9":
          guard wildcards == 0, !isOpen, digits < digitsMax else { return nil }
          if digits == 0, character == "0" { return nil }
          value = value * 10 + UInt64(character.value - 0x30)
          digits += 1
        case "X", "x", "#", "?":
          guard !isOpen, digits > 0 else { return nil }
          wildcards += 1
        case "*":
          guard !isOpen, digits > 0 else { return nil }
          isOpen = true
        case "+": guard index == 0 else { return nil }
        case " ", "-", "(", ")", ".", "/": break
        default: return nil
        }
      }
      guard digits > 0, digits + wildcards <= digitsMax else { return nil }
    }
  }
}
