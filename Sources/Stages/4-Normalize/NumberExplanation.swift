// The explanation of how one number is normalized, for `cdpipe number`.
// Not for rows: Normalizer keeps only the number.

import Records
package import NumberPlan

/// The rule that produced a number.
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

/// The result for one text under given options, and the reasons for it.
package struct NumberExplanation: Sendable {
  /// The result for a text.
  package enum Outcome: Sendable {
    /// One number: its E.164 digits, its parts, and the rule that produced it.
    case number(UInt64, ParsedNumber, NumberRule)
    /// Ranges of numbers, for a text with trailing wildcards or `..`.
    case ranges([ClosedRange<UInt64>])
    /// No number.
    case reject(NormalizeReject)
  }

  /// The result of `normalize`.
  package let outcome: Outcome
  /// The result of libphonenumber's parse, regardless of what `normalize` requires; nil for ranges.
  package let parsed: Result<ParsedNumber, NumberParseError>?

  /// Explains one text.
  ///
  /// - Parameters:
  ///   - text: UTF-8, as in a raw row.
  ///   - options: the options of the stage.
  package init(_ text: Span<UInt8>, options: NormalizeOptions) {
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
      let isInternational = options.region == nil || options.numbers == .international
      parsed = .success(
        isInternational
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
