// One answer: `!` and the error, or the number's properties, tab-separated. Not for lines and files.

import NumberPlan

/// The columns: calling code, national number, leading zeros, extension, possibility, valid, region, type. The integers
/// are those of `ValidationResult` and `PhoneNumberType` in libphonenumber's Python port.
enum Answer {
  static func append(to output: inout [UInt8], of text: Span<UInt8>, region: Region?) {
    let number: ParsedNumber
    do throws(NumberParseError) {
      number = try NumberPlan.parse(text, region: region)
    } catch {
      output.append(UInt8(ascii: "!"))
      output.append(contentsOf: name(error).utf8)
      return
    }
    append(UInt64(number.callingCode), to: &output)
    output.append(UInt8(ascii: "\t"))
    append(number.nationalNumber, to: &output)
    output.append(UInt8(ascii: "\t"))
    append(UInt64(number.leadingZeros), to: &output)
    output.append(UInt8(ascii: "\t"))
    for place in [number.extensionHead, number.extension] {
      for index in place ?? 0..<0 { output.append(text[index]) }
    }
    output.append(UInt8(ascii: "\t"))
    append(UInt64(NumberPlan.isPossible(number).rawValue), to: &output)
    output.append(UInt8(ascii: "\t"))
    append(NumberPlan.isValid(number) ? 1 : 0, to: &output)
    output.append(UInt8(ascii: "\t"))
    let (region, type) = NumberPlan.classify(number)
    output.append(contentsOf: (region?.code ?? "").utf8)
    output.append(UInt8(ascii: "\t"))
    append(UInt64(type.rawValue), to: &output)
  }

  private static func name(_ failure: NumberParseError) -> String {
    switch failure {
    case .notANumber: "notANumber"
    case .invalidCountryCode: "invalidCountryCode"
    case .tooShortAfterIDD: "tooShortAfterIDD"
    case .tooShortNSN: "tooShortNSN"
    case .tooLong: "tooLong"
    }
  }

  private static func append(_ value: UInt64, to output: inout [UInt8]) {
    if value >= 10 { append(value / 10, to: &output) }
    output.append(UInt8(ascii: "0") + UInt8(value % 10))
  }
}
