// Warnings about parts of a rule file that are allowed, but probably unintended.

package import MessageRules
import Records

extension RuleFile {
  /// The maximum number of sub-actions that two public apps declare; they state that iOS does not accept more.
  static let subActionsMax = 5

  /// The maximum number of rules that can never match to list.
  static let unreachableMax = 20

  /// The warnings, in the order of the rules.
  ///
  /// - Parameter compiled: the same rules, compiled.
  package func warnings(_ compiled: borrowing CompiledRules) -> [RuleWarning] {
    var warnings = unreachable(compiled)
    if warnings.count > Self.unreachableMax, let mark = rules.first?.mark {
      let more = warnings.count - Self.unreachableMax
      warnings.removeLast(more)
      warnings.append(.moreUnreachable(mark, count: more))
    }
    let subActions = Set(rules.map(\.subAction)).subtracting([.none])
    if subActions.count > Self.subActionsMax, let mark = rules.first?.mark {
      warnings.append(.manySubActions(mark, count: subActions.count, limit: Self.subActionsMax))
    }
    return warnings
  }

  private func unreachable(_ compiled: borrowing CompiledRules) -> [RuleWarning] {
    let catchAll = rules.firstIndex { $0.condition == nil } ?? rules.count
    let reasons = UnreachableRules.find(compiled)
    var warnings: [RuleWarning] = []
    for (index, rule) in rules.enumerated() {
      if index == catchAll + 1 {
        warnings.append(.neverReached(rule.mark, rule: rule.name, after: rules[catchAll].name))
      }
      // One warning is enough for all rules after one that matches every message.
      guard index <= catchAll else { break }
      switch reasons[index] {
      case .shadowed(let other):
        warnings.append(.shadowed(rule.mark, rule: rule.name, by: rules[other].name))
      case .contradiction: warnings.append(.contradiction(rule.mark, rule: rule.name))
      case nil: break
      }
    }
    return warnings
  }
}
