// Why compiled rules can't be used.

/// Why compiled rules can't be used.
public enum CompiledRulesError: Error, Equatable, Sendable {
  /// The file can't be opened, with the errno.
  case cannotOpen(errno: Int32)
  /// The file can't be mapped, with the errno.
  case cannotMap(errno: Int32)
  /// The file does not begin as compiled rules do.
  case notRules
  /// Another version of the format than this reader knows.
  case unsupportedVersion(UInt32)
  /// The file is shorter or longer than its header states.
  case truncated(bytes: Int)
  /// The checksum fails.
  case checksum
  /// The checksum is right and the content contradicts itself, in the given section.
  case damaged(RulesSection)
}

/// The sections of a compiled file, in their order.
public enum RulesSection: Int, Sendable, CaseIterable {
  /// What stands in front.
  case header = -1
  /// Which block each run of 128 characters has.
  case pages = 0
  /// How each character is folded.
  case blocks
  /// Where the folding of a character into several begins.
  case expansionStarts
  /// Foldings into several.
  case expansions
  /// How keywords begin.
  case beginnings
  /// The automaton's nodes.
  case nodes
  /// The longest keyword that ends in a node.
  case nodeKeywords
  /// The keywords.
  case keywords
  /// The groups that the keywords belong to.
  case keywordGroups
  /// The groups.
  case groups
  /// The tests.
  case tests
  /// The rules.
  case rules
  /// Where each set of number ranges begins.
  case numberSets
  /// Number ranges.
  case numbers
  /// Where each set of countries begins.
  case countrySets
  /// Countries.
  case countries
  /// Where each set of domains begins.
  case domainSets
  /// Domains.
  case domains
  /// The stores that senders are looked up in.
  case stores
  /// Regular expressions.
  case patterns
  /// Their steps.
  case patternSteps
  /// Classes of symbols that steps name.
  case classes
  /// Texts.
  case texts
}
