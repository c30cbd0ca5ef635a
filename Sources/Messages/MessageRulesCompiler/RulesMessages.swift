// Compiled rules that can't be used, exchanged rules, and explanations of verdicts.

package import Records
package import MessageRules
import SystemIO
import SystemPackage

extension CompiledRulesError {
  /// Describes why compiled rules can't be used.
  package func userMessage(path: String) -> UserMessage {
    let compileAgain = "compile the rules again with 'cdpipe rules compile'"
    switch self {
    case .cannotOpen(let code): return SystemError(.openInput, path, Errno(rawValue: code)).userMessage
    case .cannotMap(let code):
      return UserMessage("cannot map '\(path)': \(SystemMessages.reason(Errno(rawValue: code)))")
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

extension RuleExchangeError {
  /// Describes why another application's file can't be used.
  package func userMessage(path: String) -> UserMessage {
    switch self {
    case .notTheFormat:
      UserMessage("'\(path)' is not a file of that application", hint: "set the application with --format")
    case .unsupportedVersion(let version): UserMessage("'\(path)' has the unsupported version \(version)")
    }
  }
}

extension RuleExchangeNote {
  /// Describes what was not exchanged.
  package var text: String {
    switch self {
    case .filterLeftOut(let number, let text, let reason):
      "skipped filter \(number)\(text.isEmpty ? "" : " '\(PrintableText.line(text))'"): \(reason.text)"
    case .ruleLeftOut(let name): "skipped rule '\(name)': the application has no such filter"
    case .caseIsFolded(let count):
      "\(count) filters are case-sensitive; the rules are not, unless you write 'fold: { case: false }'"
    }
  }
}

extension RuleExchangeNote.Reason {
  fileprivate var text: String {
    switch self {
    case .language: "rules don't recognise this language"
    case .expression(let reason): reason.text
    case .unknown: "unknown kind of filter"
    case .empty: "it has no text"
    }
  }
}

// MARK: Explanations

extension MessageExplanation {
  /// The verdict, and the tests that were made, rule by rule.
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
      lines.append(
        "    \(test.answer ? "yes" : "no ", test.answer ? .added : .faint)  \(test.question.text)")
    }
    return lines
  }
}

// MARK: JSON

/// The JSON form of an explanation.
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

/// Formats the check of a rule file.
package enum RulesMessages {
  /// The JSON form of a valid rule file.
  private struct CheckedRules: Encodable {
    var file: String
    var isValid: Bool
    var rules: Int
    var keywords: Int
    var warnings: [String]
  }

  /// A valid rule file as a JSON object, without a line feed.
  package static func json(
    _ rules: RuleFile, file: String, keywords: Int, warnings: [RuleWarning]
  ) -> String {
    JSONLine.text(
      CheckedRules(
        file: file, isValid: true, rules: rules.rules.count, keywords: keywords,
        warnings: warnings.map(\.text)))
  }
}

extension MessageAction {
  /// The style of the action's name.
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
  /// The test with the keyword that matched.
  fileprivate var matches: String {
    switch self {
    case .bodyContains: "the text contains"
    case .senderContains: "the sender contains"
    case .senderPrefix: "the sender starts with"
    case .senderIs: "the sender is"
    }
  }

  /// The test when no keyword matched.
  fileprivate var matchesNone: String {
    switch self {
    case .bodyContains: "the text contains one of the keywords"
    case .senderContains: "the sender contains one of the keywords"
    case .senderPrefix: "the sender starts with one of the keywords"
    case .senderIs: "the sender is in the list"
    }
  }
}
