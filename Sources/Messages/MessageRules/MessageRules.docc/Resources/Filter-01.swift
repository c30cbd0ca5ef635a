import MessageRules

/// The rules of a message filter.
actor Filter {
  private var classifier: MessageClassifier

  init(path: String) throws(CompiledRulesError) {
    classifier = MessageClassifier(try CompiledRules(path: path))
  }
}
