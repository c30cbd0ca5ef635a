// A rule file as it was written, read and checked: what is compiled, exported and explained. Not for: reading it.

package import MessageRules
package import YAMLDocument

/// Which differences between texts do not count.
package struct FoldingOptions: Equatable, Sendable {
  /// Full-width and half-width forms.
  package var width = true
  /// Capital and small letters.
  package var letterCase = true
  /// Other compatibility forms: ligatures, circled and styled letters, units in one character.
  package var compatibility = true
  /// Marks on letters, and characters that one does not see.
  package var marks = true
  /// Spaces and punctuation between East Asian characters, and one kind of space from another.
  package var spacing = true
  /// Digits of other scripts and shapes, and letters that look like digits among digits.
  package var digits = true

  /// All of it.
  package init() {}
}

/// A text in a rule file, and where it stands.
package struct RuleText: Equatable, Sendable {
  /// The text.
  package var text: String
  /// Where it stands.
  package var mark: Mark

  /// Makes a text.
  package init(text: String, mark: Mark) {
    self.text = text
    self.mark = mark
  }
}

/// A range of numbers, both ends included.
package struct NumberRange: Equatable, Sendable {
  /// The first number.
  package var first: UInt64
  /// The last number.
  package var last: UInt64
}

/// What has to be so for a rule to take a message.
package indirect enum RuleCondition: Sendable {
  /// All of them.
  case all([RuleCondition])
  /// One of them.
  case any([RuleCondition])
  /// Not so.
  case not(RuleCondition)
  /// One of the keywords is there.
  case keywords(MessageTest.Keywords, [RuleText])
  /// A regular expression matches.
  case pattern(MessageField, RuleText, Pattern)
  /// The sender's number is in one of the ranges.
  case number([RuleText], [NumberRange])
  /// The sender's number is of one of the countries.
  case senderCountry([String])
  /// The sender's number is in a store.
  case store(String)
  /// The receiver is in one of the countries.
  case receiverCountry([String])
  /// There is a link.
  case link
  /// There is a link to one of the domains.
  case domain([String])
  /// The text is of one of the scripts.
  case script([TextScript])
}

/// One rule.
package struct Rule: Sendable {
  /// Its name; its number from 1 if the file does not name it.
  package var name: String
  /// The condition; nil: it matches every message.
  package var condition: RuleCondition?
  /// What it does.
  package var action: MessageAction
  /// The finer kind.
  package var subAction: MessageSubAction
  /// Where it stands.
  package var mark: Mark
}

/// A rule file.
package struct RuleFile: Sendable {
  /// The most bytes of a rule file: half a million keywords.
  package static let bytesMax = 32 << 20

  /// The region of senders without a country code, as two capital letters.
  package var region: String?
  /// Which differences do not count.
  package var folding = FoldingOptions()
  /// The rules in their order.
  package var rules: [Rule] = []

  /// An empty file.
  package init() {}
}
