// Fuzzes the number matcher: parses a text, then makes every query about the number. The first byte selects a region or
// none; the rest is the text.

import FuzzDriver
import NumberPlan

let regions = Region.all

fuzz { input in
  guard !input.isEmpty else { return }
  // 245 regions; higher values select none.
  let choice = Int(input[0])
  let region = choice < regions.count ? regions[choice] : nil
  let text = input.extracting(1..<input.count)
  if let number = try? NumberPlan.parse(text, region: region) { ask(about: number, text) }
  if let number = try? NumberPlan.parseInternational(text) { ask(about: number, text) }
}

/// Makes every query and compares the answers with each other.
func ask(about number: ParsedNumber, _ text: Span<UInt8>) {
  let isValid = NumberPlan.isValid(number)
  let possibility = NumberPlan.isPossible(number)
  let region = NumberPlan.region(of: number)
  let type = NumberPlan.type(of: number)
  claim(isValid == (type != .unknown), "a number is valid if, and only if, it has a type")
  claim(!isValid || region != nil, "a valid number has a region")
  claim(possibility != .invalidCountryCode, "a parsed number has a calling code")
  claim(NumberPlan.possibleLengths(callingCode: number.callingCode) != 0, "a calling code has numbers")
  if let region { claim(region.callingCode == number.callingCode, "a number's region has its calling code") }
  claim((2...17).contains(number.nationalLength), "libphonenumber's limits hold")
  claim(number.leadingZeros < number.nationalLength, "the last digit is not a leading zero")
  // A 64-bit integer holds at most 19 digits.
  claim(number.length > 19 || String(number.e164).utf8.count == number.length, "E.164 has all the digits")
  for range in [number.extension, number.extensionHead] {
    guard let range else { continue }
    claim(range.lowerBound >= 0 && range.upperBound <= text.count, "an extension is a part of the text")
  }
  for digits in [number.carrierCode, number.internationalPrefix] {
    claim(digits?.utf8.allSatisfy { $0 &- 0x30 < 10 } ?? true, "codes are digits")
  }
}
