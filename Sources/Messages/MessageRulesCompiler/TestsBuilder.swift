// Converts conditions into tests. Each test leads forward: to a later test, to a matching rule, or to no rule. So each
// test is made at most once per message, and no nesting is needed when a message is classified.

import MessageRules

/// A test, with labels for the targets of its results.
struct BuiltTest {
  var kind: TestKind
  var operand: UInt32
  var onTrue: Int
  var onFalse: Int
}

/// Builds the tests of all rules.
struct TestsBuilder {
  private(set) var tests: [BuiltTest] = []
  /// The meaning of each label: the index of a test, or a target that is not a test.
  private var labels: [UInt32] = []

  private mutating func label(_ target: UInt32 = TestTarget.none) -> Int {
    labels.append(target)
    return labels.count - 1
  }

  private mutating func place(_ label: Int) { labels[label] = UInt32(tests.count) }

  /// The target of a label, once all rules have been added.
  func target(_ label: Int) -> UInt32 {
    let target = labels[label]
    if target & TestTarget.accept != 0 || target == TestTarget.none { return target }
    return Int(target) < tests.count ? target : TestTarget.none
  }

  /// Adds a rule's tests; `operand` stores a condition's operand, and returns its kind and index.
  mutating func add<Failure: Error>(
    _ rule: Rule, _ index: Int,
    operand: (RuleCondition) throws(Failure) -> (TestKind, UInt32)
  ) throws(Failure) {
    let accept = label(TestTarget.accept | UInt32(index))
    let next = label()
    if let condition = rule.condition {
      try add(condition, onTrue: accept, onFalse: next, operand)
    } else {
      tests.append(BuiltTest(kind: .always, operand: 0, onTrue: accept, onFalse: next))
    }
    place(next)
  }

  private mutating func add<Failure: Error>(
    _ condition: RuleCondition, onTrue: Int, onFalse: Int,
    _ operand: (RuleCondition) throws(Failure) -> (TestKind, UInt32)
  ) throws(Failure) {
    switch condition {
    case .all(let parts):
      for (index, part) in parts.enumerated() {
        let next = index + 1 < parts.count ? label() : onTrue
        try add(part, onTrue: next, onFalse: onFalse, operand)
        if index + 1 < parts.count { place(next) }
      }
    case .any(let parts):
      for (index, part) in parts.enumerated() {
        let next = index + 1 < parts.count ? label() : onFalse
        try add(part, onTrue: onTrue, onFalse: next, operand)
        if index + 1 < parts.count { place(next) }
      }
    case .not(let part): try add(part, onTrue: onFalse, onFalse: onTrue, operand)
    default:
      let (kind, number) = try operand(condition)
      tests.append(BuiltTest(kind: kind, operand: number, onTrue: onTrue, onFalse: onFalse))
    }
  }
}
