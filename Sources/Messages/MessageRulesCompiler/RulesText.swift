// Messages about compiled rules that can't be used, checked rule files, and the tests that led to a verdict.

package import MessageRules
package import Records
import SystemIO
import SystemPackage

extension CompiledRulesError {
  package func userMessage(path: String) -> UserMessage {
    let compileAgain = "compile the rules again with 'cdpipe rules compile'"
    switch self {
    case .cannotOpen(let code): return SystemError(.openInput, path, Errno(rawValue: code)).userMessage
    case .cannotMap(let code):
      return UserMessage("cannot map '\(path)': \(SystemText.reason(Errno(rawValue: code)))")
    case .notRules: return UserMessage("'\(path)' is not a file of compiled rules")
    case .unsupportedVersion(let version):
      return UserMessage(
        "'\(path)' has version \(version) of compiled rules, which this cdpipe does not support",
        hint: compileAgain)
    case .truncated:
      return UserMessage("'\(path)' does not have the length that its header declares", hint: compileAgain)
    case .checksum: return UserMessage("'\(path)' is damaged: wrong checksum", hint: compileAgain)
    case .damaged(let section):
      return UserMessage("'\(path)' is damaged: its \(section) are inconsistent", hint: compileAgain)
    }
  }
}

// MARK: Explanations

extension MessageExplanation {
  package func lines(nameOfRule name: (Int) -> String) -> [StyledText] {
    var lines: [StyledText] = []
    if let rule = verdict.rule {
      let subAction = verdict.subAction == .none ? "" : " (\(verdict.subAction.name))"
      lines.append("\(verdict.action.name + subAction, verdict.action.style), by rule '\(name(rule))'")
    } else {
      lines.append("none: no rule matches the message")
    }
    var rule: Int?
    for test in tests {
      if test.rule != rule {
        rule = test.rule
        let matches = test.rule == verdict.rule
        lines.append(
          "  \(name(test.rule), .heading): \(matches ? "matches" : "does not match", matches ? .added : .faint)"
        )
      }
      lines.append("    \(test.answer ? "yes" : "no ", test.answer ? .added : .faint)  \(test.question.text)")
    }
    return lines
  }
}

// MARK: JSON

private struct ExplainedMessage: Encodable {
  struct Test: Encodable {
    var rule: String
    var test: String
    var answer: Bool
  }

  var action: String
  var subAction: String
  var rule: String?
  var tests: [Test]
}

extension MessageExplanation {
  /// The explanation as a JSON object, without a line feed.
  package func json(nameOfRule name: (Int) -> String) -> String {
    JSONLine.text(
      ExplainedMessage(
        action: verdict.action.name, subAction: verdict.subAction.name, rule: verdict.rule.map(name),
        tests: tests.map {
          ExplainedMessage.Test(rule: name($0.rule), test: $0.question.text, answer: $0.answer)
        }))
  }
}

package enum RulesText {
  private struct CheckedRules: Encodable {
    var file: String
    var isValid: Bool
    var rules: Int
    var keywords: Int
    var warnings: [String]
  }

  /// A valid rule file as a JSON object, without a line feed.
  package static func json(
    _ rules: RuleFile, file: String, keywords: Int, warnings: [String]
  ) -> String {
    JSONLine.text(
      CheckedRules(
        file: file, isValid: true, rules: rules.rules.count, keywords: keywords,
        warnings: warnings))
  }
}

extension MessageAction {
  var style: TextStyle? {
    switch self {
    case .none: nil
    case .allow: .added
    case .junk: .removed
    case .promotion, .transaction: .changed
    }
  }
}

extension MessageTest.Question {
  fileprivate var text: String {
    switch self {
    case .always: "every message"
    case .keywords(let field, let found):
      found.map { "\(field.matches) '\(PrintableText.line($0))'" } ?? field.matchesNone
    case .pattern(let field, let source):
      "the \(field == .body ? "text" : "sender") matches \(PrintableText.line(source))"
    case .number(let number): "the sender's number\(number.map { " \($0)" } ?? "") is in the list"
    case .senderCountry(let country): "the sender's country\(country.map { " \($0)" } ?? "") is in the list"
    case .store(let path): "the sender is in '\(PrintableText.line(path))'"
    case .receiverCountry(let country):
      "the receiver's country\(country.map { " \($0)" } ?? "") is in the list"
    case .link: "the text has a link"
    case .domain(let host): "the text has a link to \(host ?? "one of the domains")"
    case .script(let script): "the text's script, \(script.name), is in the list"
    case .language(let language): "the text's language, \(language?.code ?? "undetermined"), is in the list"
    }
  }
}

extension MessageTest.Keywords {
  fileprivate var matches: String {
    switch self {
    case .bodyContains: "the text contains"
    case .senderContains: "the sender contains"
    case .senderPrefix: "the sender starts with"
    case .senderIs: "the sender is"
    }
  }

  fileprivate var matchesNone: String {
    "\(matches) \(self == .senderIs ? "in the list" : "one of the keywords")"
  }
}
