// The countries of a stage's numbers: what the stage requires of them, and how many there are.

/// What a stage requires of its numbers: at least a percentage of them must be valid, in given countries or in any.
package struct CountryCheck: Equatable, Sendable {
  /// The percentage of valid numbers below which a run without a check warns, and the default of a check.
  ///
  /// Real lists have invalid numbers, too: faked ones, short service numbers. In the lists that were measured they are
  /// below one in twenty; with a wrong country, most numbers are invalid.
  package static let defaultMinValidPercent = 90.0

  /// The two-letter codes of the countries that the numbers must belong to; empty for any country.
  package var countries: [String]
  /// The minimum share of valid numbers, in percent.
  package var minValidPercent: Double

  /// Creates a check.
  package init(countries: [String], minValidPercent: Double = Self.defaultMinValidPercent) {
    self.countries = countries
    self.minValidPercent = minValidPercent
  }
}

/// How many numbers of a stream belong to which country, and how many are valid there.
package struct CountryCounts: Equatable, Sendable {
  /// The numbers of one country calling code.
  package struct Country: Equatable, Sendable {
    /// The calling code, 1...999; 0 for digits without a known calling code.
    package var callingCode: UInt16
    /// The two-letter code of the main country with the calling code; `001` for a network without a country; nil if
    /// the calling code is 0.
    package var region: String?
    /// Records; a range counts once.
    package var records: UInt64
    /// Single numbers.
    package var entries: UInt64

    /// Creates a count.
    package init(callingCode: UInt16, region: String?, records: UInt64, entries: UInt64) {
      self.callingCode = callingCode
      self.region = region
      self.records = records
      self.entries = entries
    }
  }

  /// The countries, the one with the most numbers first.
  package var countries: [Country]
  /// The numbers that were checked for validity.
  package var checked: UInt64
  /// The numbers among them that are not valid in their country. A range is valid if its first and its last number are.
  package var invalid: UInt64

  /// Creates counts.
  package init(countries: [Country] = [], checked: UInt64 = 0, invalid: UInt64 = 0) {
    self.countries = countries
    self.checked = checked
    self.invalid = invalid
  }

  /// All numbers.
  package var entries: UInt64 { countries.reduce(0) { $0 &+ $1.entries } }
}
