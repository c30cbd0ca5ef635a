// What a rule file may have and had better not.

import MessageRules
import YAMLDocument

extension RuleFile {
  /// The maximum of sub-actions that two public apps declare; they state that iOS accepts no more.
  static let defaultSubActions = 5

  /// What is not wrong and yet hardly meant.
  package var warnings: [RuleWarning] {
    var warnings: [RuleWarning] = []
    if let last = rules.firstIndex(where: { $0.condition == nil }), last + 1 < rules.count {
      warnings.append(
        .neverReached(rules[last + 1].mark, rule: rules[last + 1].name, behind: rules[last].name))
    }
    let subActions = Set(rules.map(\.subAction)).subtracting([.none])
    if subActions.count > Self.defaultSubActions, let mark = rules.first?.mark {
      warnings.append(.manySubActions(mark, count: subActions.count, limit: Self.defaultSubActions))
    }
    return warnings
  }
}
