// Warnings about parts of a rule file that are allowed, but probably unintended.

import MessageRules
import YAMLDocument

extension RuleFile {
  /// The maximum number of sub-actions that two public apps declare; they state that iOS does not accept more.
  static let subActionsMax = 5

  /// The warnings, in the order of the rules.
  package var warnings: [RuleWarning] {
    var warnings: [RuleWarning] = []
    if let last = rules.firstIndex(where: { $0.condition == nil }), last + 1 < rules.count {
      warnings.append(
        .neverReached(rules[last + 1].mark, rule: rules[last + 1].name, after: rules[last].name))
    }
    let subActions = Set(rules.map(\.subAction)).subtracting([.none])
    if subActions.count > Self.subActionsMax, let mark = rules.first?.mark {
      warnings.append(.manySubActions(mark, count: subActions.count, limit: Self.subActionsMax))
    }
    return warnings
  }
}
