// Country codes in messages and options: two letters, as in rule files.

import NumberPlan

/// Checks country codes.
package enum CountryName {
  /// The hint for an unknown country code.
  package static let hint = "use two letters, such as CN, KR or FR"

  /// Whether a text is the code of a country with telephone numbers, in upper or lower case.
  package static func isOne(_ text: String) -> Bool {
    text.utf8.count == 2 && Region(text.uppercased())?.isGeographic == true
  }
}
