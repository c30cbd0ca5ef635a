// Reads a rule file from YAML or JSON: reports every error with its position, at most one per rule, and continues with
// the next rule.
//
// Not for: conditions (ConditionReader), compiling.

import MessageRules
import Records

/// Reads rule files.
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
      throw RuleErrors(list: [.document(error)])
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
      errors.append(.tooMany(list[0].mark, .rules, limit: MessageRulesLimits.rulesMax))
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
        throw .unknownValue(
          entry.value.mark, key: "sub-action", value: subName, known: allowed.map(\.name))
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
    guard case .mapping(let entries, _) = self else { throw .wrongShape(mark, key: owner, expected: .keys) }
    for entry in entries where !known.contains(entry.key) {
      throw .unknownKey(entry.keyMark, key: entry.key, known: known)
    }
    guard !entries.isEmpty else { throw .empty(mark, key: owner) }
    return entries
  }

  /// A list.
  func list(_ key: String) throws(RuleError) -> [YAMLNode] {
    guard case .sequence(let items, _) = self else { throw .wrongShape(mark, key: key, expected: .list) }
    return items
  }

  /// A text.
  func text(_ key: String) throws(RuleError) -> String {
    guard case .scalar(let text, _, _) = self, !isNull else {
      throw .wrongShape(mark, key: key, expected: .text)
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
    var texts: [RuleText] = []
    switch self {
    case .scalar(let text, _, let mark):
      guard !isNull else { throw .wrongShape(mark, key: key, expected: .texts) }
      texts = [RuleText(text: text, mark: mark)]
    case .sequence(let items, _):
      texts.reserveCapacity(items.count)
      for item in items {
        guard case .scalar(let text, _, let mark) = item, !item.isNull else {
          throw .wrongShape(item.mark, key: key, expected: .text)
        }
        texts.append(RuleText(text: text, mark: mark))
      }
    case .mapping: throw .wrongShape(mark, key: key, expected: .texts)
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
    default: throw .wrongShape(mark, key: key, expected: .boolean)
    }
  }
}
