// Rules compiled in memory for the tests of message rules.

import Foundation
import MessageRules
import MessageRulesCompiler
import NumberPlan
import Records

/// Compiles a rule file's text.
func compiled(_ text: String) throws -> ContiguousArray<UInt8> {
  let file = try RuleFileReader.read(Array(text.utf8), file: "rules.yaml", isRegion: { Region($0) != nil })
  return ContiguousArray(try RuleCompiler.compile(file))
}

/// A classifier in a class, because expectations can't capture values that can't be copied.
final class Asker {
  private var classifier: MessageClassifier

  init(_ rules: consuming CompiledRules, isInStore: MessageClassifier.StoreLookup? = nil) {
    classifier = MessageClassifier(rules, isInStore: isInStore)
  }

  func classify(sender: String, body: String, receiver: String? = nil) -> MessageVerdict {
    classifier.classify(sender: sender, body: body, receiver: receiver)
  }

  /// The rule that matches a message whose text may be invalid UTF-8.
  func rule(body: [UInt8]) -> Int? {
    let sender: ContiguousArray<UInt8> = []
    let body = ContiguousArray(body)
    return classifier.classify(sender: sender.span, body: body.span).rule
  }

  func explain(sender: String, body: String, receiver: String?) -> MessageExplanation {
    let sender = ContiguousArray(sender.utf8)
    let body = ContiguousArray(body.utf8)
    return classifier.explain(sender: sender.span, body: body.span, receiver: receiver)
  }

  func name(ofRule rule: Int) -> String { classifier.rules.name(ofRule: rule) }
  var subActions: [MessageSubAction] { classifier.rules.subActions }
  var storePaths: [String] { classifier.rules.storePaths }
}

/// A classifier of a rule file's text.
func classifier(_ text: String, isInStore: MessageClassifier.StoreLookup? = nil) throws -> Asker {
  let bytes = try compiled(text)
  return Asker(try CompiledRules(bytes: bytes.span), isInStore: isInStore)
}

/// One rule that marks texts with one of some keywords as junk.
func keywordRules(_ keywords: [String], folding: String = "{}") -> String {
  let fold = folding == "{}" ? "" : "fold: \(folding)\n"
  let list = keywords.map { "\"\($0)\"" }.joined(separator: ", ")
  return "\(fold)rules:\n  - { name: words, action: junk, when: { body: { contains: [\(list)] } } }\n"
}

/// `LINE:COLUMN` and the kind of each error in a rule file.
func ruleErrors(_ text: String) -> [String] {
  do {
    _ = try compiled(text)
    return []
  } catch let error as RuleErrors {
    return error.list.map(place)
  } catch let error as RuleError {
    return [place(error)]
  } catch {
    return ["\(error)"]
  }
}

private func place(_ error: RuleError) -> String {
  "\(error.mark.line):\(error.mark.column) \(error.code)"
}

/// The folder of this test target.
let testFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
