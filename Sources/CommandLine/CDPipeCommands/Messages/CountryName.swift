// The receiver's country as messages and options name it: two letters, as in rule files.

import NumberPlan

enum CountryName {
  /// What a country's code looks like, for whoever got it wrong.
  static let hint = "two letters, such as CN, KR or FR"

  /// Whether a text is the code of a country with telephones, in capitals or small letters.
  static func isOne(_ text: String) -> Bool {
    text.utf8.count == 2 && Region(text.uppercased())?.isGeographic == true
  }
}
