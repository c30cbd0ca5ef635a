// Errors in opening compiled rules.

/// Why compiled rules can't be used.
public enum CompiledRulesError: Error, Equatable, Sendable {
  /// The file can't be opened, with the errno.
  case cannotOpen(errno: Int32)
  /// The file can't be mapped, with the errno.
  case cannotMap(errno: Int32)
  /// The file does not start with the signature of compiled rules.
  case notRules
  /// The format has a version that this reader does not support.
  case unsupportedVersion(UInt32)
  /// The file is shorter or longer than its header states.
  case truncated(bytes: Int)
  /// The checksum is wrong.
  case checksum
  /// The checksum is correct, but the content of the given section is inconsistent.
  case damaged(RulesSection)
}

/// The sections of a compiled file, in their order.
public enum RulesSection: Int, Sendable, CaseIterable {
  /// The header and the directory of sections.
  case header = -1
  /// The index of the block for each run of 128 characters.
  case pages = 0
  /// The folding of each character.
  case blocks
  /// The start of the folding of each character that is folded into several.
  case expansionStarts
  /// The foldings of characters that are folded into several.
  case expansions
  /// The sets of keyword prefixes.
  case keywordPrefixes
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
  /// The start of each set of number ranges.
  case numberSets
  /// Number ranges.
  case numbers
  /// The start of each set of countries.
  case countrySets
  /// Countries.
  case countries
  /// The start of each set of domains.
  case domainSets
  /// Domains.
  case domains
  /// The paths of the stores that senders are looked up in.
  case stores
  /// Regular expressions.
  case patterns
  /// The steps of regular expressions.
  case patternSteps
  /// The classes of symbols that steps refer to.
  case classes
  /// Texts.
  case texts
}
