// What `cdpipe number` says of a text: lines for people, or one JSON object. Only words; the facts are
// NormalizeStage's and NumberPlan's.

import NormalizeStage
import NumberPlan

enum NumberMessages {
  /// A typed number that can't be read.
  static func unreadable(_ text: String, _ reason: NormalizeReject, _ region: Region?) -> UserMessage {
    UserMessage(
      "'\(RejectMessages.printable(text))' is no number: \(RejectMessages.reasons(reason))",
      hint: region == nil && text.hasPrefix("0")
        ? "--region CC reads numbers as they are dialled there; E.164 digits begin with the calling code"
        : nil)
  }

  /// The text, then a line for each fact.
  static func lines(
    _ text: String, _ explanation: NumberExplanation, _ options: NormalizeOptions
  ) -> [String] {
    var lines = [RejectMessages.printable(text)]
    func say(_ name: String, _ value: String) { lines.append("  " + name.padding(to: 18) + value) }
    switch explanation.outcome {
    case .number(let e164, let number, let rule):
      say("number", "\(e164)")
      say("because", because(rule, options, hasPlus: hasPlus(text), hasRead: explanation.parsed))
      sayParts(number, text, say)
    case .ranges(let ranges):
      for range in ranges {
        say("range", range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)")
      }
      say("because", "the text has wildcards, or dots between two numbers")
    case .reject(let reason):
      say("number", "none: \(RejectMessages.reasons(reason))")
      if case .success(let number) = explanation.parsed {
        say("libphonenumber", "+\(number.callingCode) \(number.nationalDigits)")
        sayParts(number, text, say)
      } else if case .failure(let failure) = explanation.parsed {
        say("libphonenumber", words(failure))
      }
    }
    return lines
  }

  private static func sayParts(_ number: ParsedNumber, _ text: String, _ say: (String, String) -> Void) {
    say("calling code", "\(number.callingCode)")
    say("national number", number.nationalDigits)
    say("region", NumberPlan.region(of: number)?.code ?? "none")
    say("type", words(NumberPlan.type(of: number)))
    say("possible", words(NumberPlan.isPossible(number)))
    say("valid", NumberPlan.isValid(number) ? "yes" : "no")
    let stripped = names(number, text)
    if !stripped.isEmpty { say("stripped", stripped.map(\.words).joined(separator: ", ")) }
    if let prefix = number.internationalPrefix { say("abroad with", prefix) }
    if let carrier = number.carrierCode { say("carrier code", carrier) }
    if let part = extensionText(number, text) { say("extension", part) }
  }

  /// The rule of `normalize` that gave the number.
  private static func because(
    _ rule: NumberRule, _ options: NormalizeOptions, hasPlus: Bool,
    hasRead parsed: Result<ParsedNumber, NumberParseError>?
  ) -> String {
    let region = options.region?.code ?? ""
    switch rule {
    case .valid: return "libphonenumber calls it valid, read in \(region)"
    case .international:
      if hasPlus { return "the plus sign says that a calling code comes first" }
      return options.region == nil
        ? "without --region digits begin with a calling code" : "the digits are said to be international"
    case .readable:
      return "nothing is required of it; libphonenumber reads it in \(region), and calls it impossible"
    case .possible: return "libphonenumber calls it possible, not valid, read in \(region)"
    case .carriesCallingCode:
      let code = options.region.map { "\($0.callingCode)" } ?? ""
      let reading =
        switch parsed {
        case .success(let number): "+\(number.callingCode) \(number.nationalDigits), which is not valid"
        case .failure(let failure): words(failure)
        case nil: "nothing"
        }
      return
        "it starts with \(region)'s calling code \(code) and is possible so; libphonenumber reads \(reading)"
    }
  }

  /// Whether a plus sign stands in the text: one is understood where digits are international.
  private static func hasPlus(_ text: String) -> Bool {
    text.unicodeScalars.contains { $0 == "+" || $0 == "\u{FF0B}" }
  }

  private static func names(_ number: ParsedNumber, _ text: String) -> [(code: String, words: String)] {
    let stripped = hasPlus(text) ? number.stripped : number.stripped.subtracting(.plus)
    let all: [(ParsedNumber.Stripped, String, String)] = [
      (.plus, "plus", "plus sign"), (.internationalPrefix, "international-prefix", "international prefix"),
      (.callingCode, "calling-code", "the region's own calling code"),
      (.nationalPrefix, "national-prefix", "national prefix"), (.carrier, "carrier", "carrier code"),
    ]
    return all.filter { stripped.contains($0.0) }.map { ($0.1, $0.2) }
  }

  private static func words(_ possibility: Possibility) -> String {
    switch possibility {
    case .isPossible: "yes"
    case .isPossibleLocalOnly: "only inside its area"
    case .invalidCountryCode: "no, nobody has that country code"
    case .tooShort: "no, too short"
    case .invalidLength: "no, no number of that country has so many digits"
    case .tooLong: "no, too long"
    }
  }

  private static func words(_ failure: NumberParseError) -> String {
    switch failure {
    case .notANumber: "no phone number"
    case .invalidCountryCode: "nobody has that country code"
    case .tooShortAfterIDD: "too short behind the prefix for dialling abroad"
    case .tooShortNSN: "too short"
    case .tooLong: "too long"
    }
  }

  private static func words(_ type: NumberType) -> String {
    switch type {
    case .fixedLine: "fixed line"
    case .mobile: "mobile"
    case .fixedLineOrMobile: "fixed line or mobile"
    case .tollFree: "toll free"
    case .premiumRate: "premium rate"
    case .sharedCost: "shared cost"
    case .voip: "VoIP"
    case .personalNumber: "personal number"
    case .pager: "pager"
    case .uan: "company number (UAN)"
    case .voicemail: "voicemail"
    case .unknown: "unknown"
    }
  }

  /// What is behind the number, as it was written.
  private static func extensionText(_ number: ParsedNumber, _ text: String) -> String? {
    number.extension.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
  }

  // MARK: JSON

  /// One object of facts; keys without a value are left out.
  private struct Facts: Encodable {
    struct Run: Encodable {
      var first: UInt64
      var last: UInt64
    }
    struct Parts: Encodable {
      var callingCode: UInt16
      var nationalNumber: String
      var region: String?
      var type: String
      var possible: String
      var valid: Bool
      var stripped: [String]
      var internationalPrefix: String?
      var carrierCode: String?
      var `extension`: String?
    }

    var text: String
    var number: UInt64?
    var ranges: [Run]?
    var rule: String?
    var reject: String?
    var parsed: Parts?
    var libphonenumber: String?
  }

  static func json(_ text: String, _ explanation: NumberExplanation) -> String {
    var facts = Facts(text: text)
    switch explanation.outcome {
    case .number(let e164, let number, let rule):
      facts.number = e164
      facts.rule = code("\(rule)")
      facts.parsed = parts(number, text)
    case .ranges(let ranges):
      facts.ranges = ranges.map { Facts.Run(first: $0.lowerBound, last: $0.upperBound) }
    case .reject(let reason):
      facts.reject = reason.code
      if case .success(let number) = explanation.parsed { facts.parsed = parts(number, text) }
    }
    if case .failure(let failure) = explanation.parsed { facts.libphonenumber = code(failure) }
    return JSONLine.text(facts)
  }

  private static func code(_ failure: NumberParseError) -> String {
    switch failure {
    case .notANumber: "not-a-number"
    case .invalidCountryCode: "invalid-country-code"
    case .tooShortAfterIDD: "too-short-after-idd"
    case .tooShortNSN: "too-short-nsn"
    case .tooLong: "too-long"
    }
  }

  /// A case's name as JSON has it: `tooShort` is `too-short`, `isPossible` is `possible`.
  private static func code(_ name: String) -> String {
    let code = name.flatMap { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }
    return code.starts(with: "is-") ? String(code.dropFirst(3)) : String(code)
  }

  private static func parts(_ number: ParsedNumber, _ text: String) -> Facts.Parts {
    Facts.Parts(
      callingCode: number.callingCode, nationalNumber: number.nationalDigits,
      region: NumberPlan.region(of: number)?.code, type: code("\(NumberPlan.type(of: number))"),
      possible: code("\(NumberPlan.isPossible(number))"), valid: NumberPlan.isValid(number),
      stripped: names(number, text).map(\.code),
      internationalPrefix: number.internationalPrefix, carrierCode: number.carrierCode,
      extension: extensionText(number, text))
  }
}

extension ParsedNumber {
  /// The national number with the zeros that belong to it.
  var nationalDigits: String { String(repeating: "0", count: Int(leadingZeros)) + String(nationalNumber) }
}
