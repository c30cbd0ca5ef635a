// Numbers from the command line: how `cdpipe number` explains one, and how `cdpipe lookup` reads and names them.

package import NumberPlan
package import Records

package enum ExplanationText {
  package static func unreadable(_ text: String, _ reason: NormalizeReject, _ region: Region?) -> UserMessage
  {
    UserMessage(
      reason == .notANumber
        ? "'\(PrintableText.line(text))' is not a phone number"
        : "'\(PrintableText.line(text))': \(reason.text)",
      hint: region == nil && text.hasPrefix("0")
        ? "for a number without a country calling code, set the region with --region CC"
        : nil)
  }

  /// The text, then one line per fact.
  package static func lines(
    _ text: String, _ explanation: NumberExplanation, _ options: NormalizeOptions
  ) -> [StyledText] {
    var lines = [StyledText(PrintableText.line(text), .heading)]
    func add(_ name: String, _ value: String, _ style: TextStyle? = nil) {
      lines.append("  \(name.padding(to: 18), .faint)\(value, style)")
    }
    switch explanation.outcome {
    case .number(let e164, let number, let rule):
      add("number", "\(e164)", .added)
      add("because", because(rule, options, hasPlus: hasPlus(text), hasRead: explanation.parsed))
      addParts(number, explanation.numberText, add)
    case .ranges(let ranges):
      for range in ranges {
        add("range", range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)..\(range.upperBound)")
      }
      add("because", "the text has wildcards, or two dots between two numbers")
    case .reject(let reason):
      add("number", "none: \(reason.text)", .removed)
      if case .success(let number) = explanation.parsed {
        add("libphonenumber", "+\(number.callingCode) \(number.nationalDigits)")
        addParts(number, explanation.numberText, add)
      } else if case .failure(let failure) = explanation.parsed {
        add("libphonenumber", words(failure))
      }
    }
    return lines
  }

  private static func addParts(
    _ number: ParsedNumber, _ text: String, _ add: (String, String, TextStyle?) -> Void
  ) {
    add("calling code", "\(number.callingCode)", nil)
    add("national number", number.nationalDigits, nil)
    add("region", NumberPlan.region(of: number)?.code ?? "none", nil)
    add("type", words(NumberPlan.type(of: number)), nil)
    let possibility = NumberPlan.isPossible(number)
    add("possible", words(possibility), possibility == .isPossible ? .added : .changed)
    let isValid = NumberPlan.isValid(number)
    add("valid", isValid ? "yes" : "no", isValid ? .added : .changed)
    let stripped = names(number, text)
    if !stripped.isEmpty { add("removed", stripped.map(\.words).joined(separator: ", "), nil) }
    if let prefix = number.internationalPrefix { add("abroad with", prefix, nil) }
    if let carrier = number.carrierCode { add("carrier code", carrier, nil) }
    if let part = extensionText(number, text) { add("extension", part, nil) }
  }

  private static func because(
    _ rule: NumberRule, _ options: NormalizeOptions, hasPlus: Bool,
    hasRead parsed: Result<ParsedNumber, NumberParseError>?
  ) -> String {
    let region = options.region?.code ?? ""
    switch rule {
    case .valid: return "libphonenumber: valid in \(region)"
    case .international:
      if hasPlus { return "a plus sign means that the number starts with a calling code" }
      return options.region == nil
        ? "without --region, digits start with a calling code"
        : "--international: digits start with a calling code"
    case .readable:
      return "any readable number is accepted; libphonenumber: impossible in \(region)"
    case .possible: return "libphonenumber: possible in \(region), not valid"
    case .carriesCallingCode:
      let code = options.region.map { "\($0.callingCode)" } ?? ""
      let reading =
        switch parsed {
        case .success(let number): "+\(number.callingCode) \(number.nationalDigits), which is not valid"
        case .failure(let failure): words(failure)
        case nil: "nothing"
        }
      return
        "it starts with \(region)'s calling code \(code) and is possible with it; libphonenumber: \(reading)"
    }
  }

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
    case .isPossibleLocalOnly: "only when dialled locally"
    case .invalidCountryCode: "no, unknown country calling code"
    case .tooShort: "no, too short"
    case .invalidLength: "no, no number of that country has this length"
    case .tooLong: "no, too long"
    }
  }

  private static func words(_ failure: NumberParseError) -> String {
    switch failure {
    case .notANumber: "not a phone number"
    case .invalidCountryCode: "unknown country calling code"
    case .tooShortAfterIDD: "too short after the international prefix"
    case .tooShortNSN: "too short"
    case .tooLong: "too long"
    }
  }

  package static func words(_ type: NumberType) -> String {
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

  /// The extension as written in the text.
  private static func extensionText(_ number: ParsedNumber, _ text: String) -> String? {
    number.extension.map { String(decoding: Array(text.utf8)[$0], as: UTF8.self) }
  }

  // MARK: JSON

  /// The JSON form of an explanation; keys without a value are left out.
  private struct ExplanationDocument: Encodable {
    struct NumberRange: Encodable {
      var first: UInt64
      var last: UInt64
    }
    struct NumberParts: Encodable {
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
    var ranges: [NumberRange]?
    var rule: String?
    var reject: String?
    var parsed: NumberParts?
    var libphonenumber: String?
  }

  package static func json(_ text: String, _ explanation: NumberExplanation) -> String {
    var document = ExplanationDocument(text: text)
    switch explanation.outcome {
    case .number(let e164, let number, let rule):
      document.number = e164
      document.rule = code("\(rule)")
      document.parsed = parts(number, explanation.numberText)
    case .ranges(let ranges):
      document.ranges = ranges.map {
        ExplanationDocument.NumberRange(first: $0.lowerBound, last: $0.upperBound)
      }
    case .reject(let reason):
      document.reject = reason.code
      if case .success(let number) = explanation.parsed {
        document.parsed = parts(number, explanation.numberText)
      }
    }
    if case .failure(let failure) = explanation.parsed { document.libphonenumber = code(failure) }
    return JSONLine.text(document)
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

  /// The name of an enum case in the JSON form: `tooShort` is `too-short`, `isPossible` is `possible`.
  private static func code(_ name: String) -> String {
    let code = name.flatMap { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }
    return code.starts(with: "is-") ? String(code.dropFirst(3)) : String(code)
  }

  private static func parts(_ number: ParsedNumber, _ text: String) -> ExplanationDocument.NumberParts {
    ExplanationDocument.NumberParts(
      callingCode: number.callingCode, nationalNumber: number.nationalDigits,
      region: NumberPlan.region(of: number)?.code, type: NumberPlan.type(of: number).code,
      possible: code("\(NumberPlan.isPossible(number))"), valid: NumberPlan.isValid(number),
      stripped: names(number, text).map(\.code),
      internationalPrefix: number.internationalPrefix, carrierCode: number.carrierCode,
      extension: extensionText(number, text))
  }
}

extension ParsedNumber {
  package var nationalDigits: String {
    String(repeating: "0", count: Int(leadingZeros)) + String(nationalNumber)
  }
}

package enum NumberRule: Sendable, Equatable {
  /// libphonenumber's result, which is valid.
  case valid
  /// The digits already start with the region's calling code, and the number is possible there.
  case carriesCallingCode
  /// libphonenumber's result, which is possible but not valid.
  case possible
  /// libphonenumber's result, which is not even possible; no requirement was set.
  case readable
  /// Digits that start with a calling code, because there is no region or the options say that they are international.
  case international
}

package struct NumberExplanation: Sendable {
  package enum Outcome: Sendable {
    /// One number: its E.164 digits, its parts, and the rule that produced it.
    case number(UInt64, ParsedNumber, NumberRule)
    /// Ranges of numbers, for a text with trailing wildcards or `..`.
    case ranges([ClosedRange<UInt64>])
    case reject(NormalizeReject)
  }

  package let outcome: Outcome
  /// The result of libphonenumber's parse, regardless of what `normalize` requires; nil for ranges.
  package let parsed: Result<ParsedNumber, NumberParseError>?
  /// The text of the number: all of the text, or that of the URI in it.
  let numberText: String

  package init(_ text: Span<UInt8>, options: NormalizeOptions) {
    let number = NumberNotation.mayBeginURI(text) ? NumberNotation.number(ofURI: text) : nil
    self.init(of: number ?? text.indices.map { text[$0] }, options)
  }

  private init(of bytes: [UInt8], _ options: NormalizeOptions) {
    let text = bytes.span
    numberText = String(decoding: bytes, as: UTF8.self)
    let reader = NumberReader(options: options)
    do throws(NormalizeReject) {
      if let ranges = try NumberPattern.ranges(text, reader) {
        outcome = .ranges(ranges)
        parsed = nil
        return
      }
    } catch {
      outcome = .reject(error)
      parsed = nil
      return
    }
    do throws(NumberParseError) {
      parsed = .success(
        reader.isInternational
          ? try NumberPlan.parseInternational(text) : try NumberPlan.parse(text, region: options.region))
    } catch {
      parsed = .failure(error)
    }
    do throws(NormalizeReject) {
      let (number, rule) = try reader.resolve(text)
      outcome = .number(try reader.e164(number), number, rule)
    } catch {
      outcome = .reject(error)
    }
  }
}

package enum LookupText {
  /// The maximum number of missing numbers that a message names.
  package static let namedNumbersMax = 20

  /// No argument is a list; `files` are the numbers that are also the names of files or directories. With `hasInput`, `-`
  /// is an argument.
  package static func noList(_ numbers: [String], files: [String], hasInput: Bool) -> UserMessage {
    let understood =
      numbers.isEmpty ? "" : ": \(quoted(numbers)) \(numbers.count == 1 ? "is a number" : "are numbers")"
    return UserMessage(
      "no list to search\(understood)",
      hint: files.first.map { "for the list of that name, type ./\($0)" }
        ?? (hasInput
          ? "'-' stands for numbers; save the list to a file and name it"
          : "add a store, a manifest or a directory of shards") + ": cdpipe lookup NUMBER… FILE…")
  }

  /// Every argument is the name of a file or a directory.
  package static func noNumber(_ lists: [String]) -> UserMessage {
    UserMessage(
      "no number to look up: \(quoted(lists)) "
        + (lists.count == 1 ? "is a file or a directory" : "are files or directories"),
      hint: "add numbers, or '-' to read them from standard input")
  }

  /// An argument is neither the name of a file nor a number that can be looked up.
  package static func unreadable(_ text: String, _ reason: NormalizeReject, _ region: Region?) -> UserMessage
  {
    let quoted = quoted([text])
    switch reason {
    case .notANumber: return UserMessage("\(quoted) is neither a file nor a phone number")
    case .openPattern:
      return UserMessage("\(quoted): \(reason.text)", hint: "write * for any number of digits")
    case .badPattern:
      return UserMessage(
        "\(quoted) is neither a file nor a pattern whose numbers are one range",
        hint: "for wildcards between digits: cdpipe generate PATTERN | cdpipe intersect FILE -")
    default: return ExplanationText.unreadable(text, reason, region)
    }
  }

  /// `count` numbers that no list contains, of which `numbers` are the first.
  package static func missing(_ numbers: [String], count: UInt64, in lists: [String]) -> UserMessage {
    let place = lists.count == 1 ? "'\(lists[0])'" : "any of the \(lists.count) lists"
    let others = count - min(count, UInt64(numbers.count))
    return UserMessage(
      "not in \(place): \(numbers.map(PrintableText.line).joined(separator: ", "))"
        + (others == 0 ? "" : ", and \(Figures.counted(others, "more number"))"))
  }

  package static func unreadableLines(_ count: UInt64, of lines: UInt64) -> UserMessage {
    UserMessage(
      "\(Figures.grouped(count)) of \(Figures.counted(lines, "line")) could not be read as a number")
  }

  private static func quoted(_ texts: [String]) -> String {
    let named = texts.prefix(namedNumbersMax).map { "'\(PrintableText.line($0))'" }
    return named.joined(separator: ", ") + (texts.count > named.count ? ", …" : "")
  }
}

/// What is looked up in a list.
package enum LookupQuery {
  case number(UInt64)
  /// The numbers of a prefix or a pattern: ascending, disjoint ranges.
  case ranges([ClosedRange<UInt64>])
}

/// Reads what is looked up by the rules of the stage, without requirements.
package struct NumberLookup {
  private let reader: NumberReader

  /// With `arePrefixes`, a number stands for all numbers that start with its digits.
  package init(region: Region?, arePrefixes: Bool = false) {
    var options = NormalizeOptions(region: region, require: .none)
    options.arePrefixes = arePrefixes
    var reader = NumberReader(options: options)
    reader.isLookup = true
    self.reader = reader
  }

  /// Whether a text is nothing but digits, also after a plus sign.
  package static func isDigits(_ text: String) -> Bool {
    let digits = text.utf8.first == UInt8(ascii: "+") ? text.utf8.dropFirst() : text.utf8[...]
    return !digits.isEmpty && digits.allSatisfy(\.isDigit)
  }

  /// The E.164 digits of one number.
  package func number(_ text: String) throws(NormalizeReject) -> UInt64 {
    guard case .number(let number) = try query(text) else { throw .severalNumbers }
    return number
  }

  package func query(_ text: String) throws(NormalizeReject) -> LookupQuery {
    let arePrefixes = reader.options.arePrefixes
    // Digits alone may be a number of no known plan, since a store holds whatever was put into it.
    if reader.options.region == nil, let range = PhoneNumber.range(text), !arePrefixes || range.count > 1 {
      return range.count > 1 ? .ranges([range]) : .number(range.lowerBound)
    }
    let bytes = Array(text.utf8)
    if arePrefixes || NumberMask.mayHaveWildcards(bytes.span) {
      if let ranges = try NumberPattern.ranges(bytes.span, reader) { return .ranges(ranges) }
      if arePrefixes { throw .notANumber }
    }
    return .number(try reader.read(bytes.span))
  }
}
