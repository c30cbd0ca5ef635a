import Foundation
import NumberPlan

/// A number that the user entered, as digits with the country calling code.
func enteredNumber(_ text: String) throws(NumberParseError) -> UInt64 {
  let region = Locale.current.region.flatMap { Region($0.identifier) }
  return try NumberPlan.parse(Array(text.utf8).span, region: region).e164
}
