import Foundation
import NumberPlan

/// A number that the user entered, as digits with the country calling code, or what is wrong with it.
func enteredNumber(_ text: String) -> Result<UInt64, EntryProblem> {
  let region = Locale.current.region.flatMap { Region($0.identifier) }
  do throws(NumberParseError) {
    let number = try NumberPlan.parse(Array(text.utf8).span, region: region)
    return NumberPlan.isValid(number) ? .success(number.e164) : .failure(EntryProblem("No such number"))
  } catch {
    switch error {
    case .notANumber: return .failure(EntryProblem("Not a phone number"))
    case .invalidCountryCode: return .failure(EntryProblem("Begin with + and the country"))
    case .tooShortAfterIDD, .tooShortNSN: return .failure(EntryProblem("Too short"))
    case .tooLong: return .failure(EntryProblem("Too long"))
    }
  }
}

/// What to show under the text field.
struct EntryProblem: Error {
  let text: String
  init(_ text: String) { self.text = text }
}
