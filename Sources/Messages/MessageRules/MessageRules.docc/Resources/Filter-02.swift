import MessageRules

/// The rules of a message filter.
actor Filter {
  private var classifier: MessageClassifier

  init(path: String) throws(CompiledRulesError) {
    classifier = MessageClassifier(try CompiledRules(path: path))
  }

  /// The action for a message; `none` if no rule matches.
  func action(sender: String?, body: String?, receiver: String?) -> MessageAction {
    classifier.classify(sender: sender ?? "", body: body ?? "", receiver: receiver).action
  }
}
