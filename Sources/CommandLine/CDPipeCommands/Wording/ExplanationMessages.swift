// Why a rule takes a message, in lines.

import MessageRules

extension RulesMessages {
  /// The verdict, and the tests that were made, rule by rule.
  static func lines(_ explanation: MessageExplanation, _ name: (Int) -> String) -> [String] {
    let verdict = explanation.verdict
    var lines: [String] = []
    if let rule = verdict.rule {
      let subAction = verdict.subAction == .none ? "" : " (\(verdict.subAction.name))"
      lines.append("\(verdict.action.name)\(subAction), by rule '\(name(rule))'")
    } else {
      lines.append("none: no rule takes the message")
    }
    var rule: Int?
    for test in explanation.tests {
      if test.rule != rule {
        rule = test.rule
        lines.append("  \(name(test.rule)): \(test.rule == verdict.rule ? "takes it" : "does not")")
      }
      lines.append("    \(test.answer ? "yes" : "no ")  \(text(test.question))")
    }
    return lines
  }

  private static func text(_ question: MessageTest.Question) -> String {
    switch question {
    case .always: "every message"
    case .keywords(let way, let found):
      "\(text(way))\(found.map { " '\(RejectMessages.printable($0))'" } ?? " one of the keywords")"
    case .pattern(let field, let source):
      "the \(field == .body ? "text" : "sender") matches \(RejectMessages.printable(source))"
    case .number(let number): "the sender's number\(number.map { " \($0)" } ?? "") is in the list"
    case .senderCountry(let country): "the sender's country\(country.map { " \($0)" } ?? "") is in the list"
    case .store(let path): "the sender is in '\(RejectMessages.printable(path))'"
    case .receiverCountry(let country):
      "the receiver's country\(country.map { " \($0)" } ?? "") is in the list"
    case .link: "the text has a link"
    case .domain(let host): "the text has a link to \(host ?? "one of the domains")"
    case .script(let script): "the text's script, \(script.name), is in the list"
    }
  }

  private static func text(_ way: MessageTest.Keywords) -> String {
    switch way {
    case .bodyContains: "the text contains"
    case .senderContains: "the sender contains"
    case .senderPrefix: "the sender begins with"
    case .senderIs: "the sender is"
    }
  }
}
