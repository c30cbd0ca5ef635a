// What `normalize` can be told, and why it rejects.

public import NumberPlan
public import PipeStage

/// What `normalize` can be told.
public struct NormalizeOptions: Equatable, Sendable {
  /// How digits without a plus sign are read.
  public enum Reading: String, CaseIterable, Sendable {
    /// As libphonenumber reads them in the region; else as international, if they start with its calling code.
    case auto
    /// Always as international.
    case international
    /// Always as dialled in the region.
    case national
  }

  /// What a number must be.
  public enum Requirement: String, CaseIterable, Sendable {
    /// Readable.
    case none
    /// Of a length that its country has.
    case possible
    /// One that the numbering plan assigns.
    case valid
  }

  /// The region that numbers without a country code belong to; nil reads all digits as international.
  public var region: Region?
  /// How digits without a plus sign are read.
  public var numbers: Reading
  /// What a number must be.
  public var require: Requirement

  /// Makes options.
  public init(region: Region? = nil, numbers: Reading = .auto, require: Requirement = .possible) {
    self.region = region
    self.numbers = numbers
    self.require = require
  }
}

/// Why a raw row is no record.
public enum NormalizeReject: String, Error, RejectReason {
  /// There is no number in the text.
  case notANumber = "not-a-number"
  /// The calling code is nobody's.
  case invalidCountryCode = "invalid-country-code"
  /// Fewer digits than any number of the country.
  case tooShort = "too-short"
  /// More digits than any number of the country, or than E.164 has.
  case tooLong = "too-long"
  /// No number of the country has so many digits, though some have fewer and some have more.
  case invalidLength = "invalid-length"
  /// The numbering plan does not assign it (only with `--require valid`).
  case notValid = "not-valid"
  /// Digits behind a wildcard, or a pattern whose numbers are not one run in any reader.
  case badPattern = "bad-pattern"

  /// A stable word.
  public var code: String { rawValue }
}
