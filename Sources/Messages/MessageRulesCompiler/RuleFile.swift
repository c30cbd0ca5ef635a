// A rule file after it was read and checked: the input for compiling, exporting and explaining. Not for: reading it.

package import MessageRules
package import Records

/// The differences between texts that folding ignores.
package struct FoldingOptions: Equatable, Sendable {
  /// Full-width and half-width forms.
  package var width = true
  /// Capital and small letters.
  package var letterCase = true
  /// Other compatibility forms: ligatures, circled and styled letters, units in one character.
  package var compatibility = true
  /// Marks on letters, and invisible characters.
  package var marks = true
  /// Spaces and punctuation between East Asian characters, and the differences between kinds of spaces.
  package var spacing = true
  /// Digits of other scripts and forms, and letters that look like digits among digits.
  package var digits = true

  /// Enables all foldings.
  package init() {}
}

/// A text in a rule file, and its position.
package struct RuleText: Equatable, Sendable {
  /// The text.
  package var text: String
  /// Its position.
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

/// The condition for a rule to match a message.
package indirect enum RuleCondition: Sendable {
  /// All of the conditions hold.
  case all([RuleCondition])
  /// At least one of the conditions holds.
  case any([RuleCondition])
  /// The condition does not hold.
  case not(RuleCondition)
  /// One of the keywords occurs.
  case keywords(MessageTest.Keywords, [RuleText])
  /// A regular expression matches.
  case pattern(MessageField, RuleText, Pattern)
  /// The sender's number is in one of the ranges.
  case number([RuleText], [NumberRange])
  /// The sender's number belongs to one of the countries.
  case senderCountry([String])
  /// The sender's number is in a store.
  case store(String)
  /// The receiver is in one of the countries.
  case receiverCountry([String])
  /// The text contains a link.
  case link
  /// The text contains a link to one of the domains.
  case domain([String])
  /// The text is in one of the scripts.
  case script([TextScript])
  /// The text is in one of the languages.
  case language([MessageLanguage])
}

/// One rule.
package struct Rule: Sendable {
  /// Its name; its number, from 1, if the file does not name it.
  package var name: String
  /// The condition; nil if the rule matches every message.
  package var condition: RuleCondition?
  /// The action.
  package var action: MessageAction
  /// The sub-action.
  package var subAction: MessageSubAction
  /// Its position.
  package var mark: Mark
}

/// A rule file.
package struct RuleFile: Sendable {
  /// The maximum size of a rule file in bytes: half a million keywords.
  package static let bytesMax = 32 << 20

  /// The region of senders without a country code, as two capital letters.
  package var region: String?
  /// The differences that folding ignores.
  package var folding = FoldingOptions()
  /// The rules in their order.
  package var rules: [Rule] = []

  /// Creates an empty file.
  package init() {}
}
