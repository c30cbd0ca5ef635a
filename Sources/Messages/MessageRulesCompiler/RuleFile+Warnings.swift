// What a rule file may have and had better not.

import MessageRules
import YAMLDocument

extension RuleFile {
  /// So many sub-actions two public apps declare at most, and say that iOS takes no more.
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
