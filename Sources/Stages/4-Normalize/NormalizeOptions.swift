// The options of `normalize`, and its reject reasons.

package import NumberPlan
package import Records

/// The options of `normalize`.
package struct NormalizeOptions: Equatable, Sendable {
  /// How digits without a plus sign are read.
  package enum Reading: String, CaseIterable, Sendable {
    /// Like libphonenumber in the region; else as international, if they start with the region's calling code.
    case auto
    /// Always international.
    case international
    /// Always as dialled in the region.
    case national
  }

  /// What is required of a number.
  package enum Requirement: String, CaseIterable, Sendable {
    /// It can be parsed.
    case none
    /// Its length is possible in its country.
    case possible
    /// The numbering plan assigns it.
    case valid
  }

  /// The region of numbers without a calling code; nil parses all digits as international.
  package var region: Region?
  /// How digits without a plus sign are read.
  package var numbers: Reading
  /// What is required of a number.
  package var require: Requirement
  /// How many numbers one pattern may stand for: 0 for no patterns, nil for any.
  package var patternNumbersMax: UInt64?
  /// Whether each text without wildcards stands for all numbers that start with it, as if it ended in `*`.
  package var arePrefixes = false
  /// What is required of all numbers together; nil for nothing.
  package var countryCheck: CountryCheck?

  /// Makes options.
  package init(
    region: Region? = nil, numbers: Reading = .auto, require: Requirement = .possible,
    patternNumbersMax: UInt64? = nil
  ) {
    self.region = region
    self.numbers = numbers
    self.require = require
    self.patternNumbersMax = patternNumbersMax
  }
}

/// Why a raw row is rejected.
package enum NormalizeReject: String, Error, RejectReason {
  /// The text contains no number.
  case notANumber = "not-a-number"
  /// The calling code is not assigned.
  case invalidCountryCode = "invalid-country-code"
  /// The number has fewer digits than any number of the country.
  case tooShort = "too-short"
  /// The number has more digits than any number of the country, or than E.164 allows.
  case tooLong = "too-long"
  /// The country has no numbers of this length, but shorter and longer ones.
  case invalidLength = "invalid-length"
  /// The numbering plan does not assign it (only with `--require valid`).
  case notValid = "not-valid"
  /// Digits follow a wildcard, or the numbers of the pattern are not one range.
  case badPattern = "bad-pattern"
  /// The pattern does not say how many digits its wildcard stands for: `%`, `…`, `\d+`.
  case openPattern = "open-pattern"
  /// The pattern stands for more numbers than `--patterns` allows.
  case largePattern = "large-pattern"
  /// The text is a pattern where one number is needed (only in lookups).
  case severalNumbers = "several-numbers"

  /// The stable code of the reason.
  package var code: String { rawValue }
}

extension NormalizeReject {
  package var text: String {
    switch self {
    case .notANumber: "not a phone number"
    case .invalidCountryCode: "unknown country calling code"
    case .tooShort: "too short"
    case .tooLong: "too long"
    case .invalidLength: "no number of that country has this length"
    case .notValid: "not assigned in that country's numbering plan"
    case .badPattern: "the pattern's numbers are not one range"
    case .openPattern: "the pattern does not say how many digits follow"
    case .severalNumbers: "a pattern, not a single number"
    case .largePattern: "the pattern stands for more numbers than 'patterns' allows"
    }
  }
}
