// One typed number, read as a row of a list is read, with the reasons: for people who wonder what became of it.
// Not for rows: Normalizer reads those without keeping anything but the number.

import CallRecord
public import NumberPlan

/// Which of the stage's rules made a text a number.
public enum NumberRule: Sendable, Equatable {
  /// libphonenumber's reader, which it calls valid.
  case valid
  /// The digits carry the region's calling code already, and are possible there.
  case carriesCallingCode
  /// libphonenumber's reader, which it does not call valid.
  case possible
  /// libphonenumber's reader, which is not even possible; nothing was required.
  case readable
  /// Digits that begin with a calling code, because there is no region or they are said to be international.
  case international
}

/// What one text is under some options, and why.
public struct NumberExplanation: Sendable {
  /// What the text stands for.
  public enum Outcome: Sendable {
    /// One number: its E.164 digits, its parts, and the rule that gave it.
    case number(UInt64, ParsedNumber, NumberRule)
    /// Runs of numbers, of a text with trailing wildcards or dots.
    case ranges([ClosedRange<UInt64>])
    /// Nothing.
    case reject(NormalizeReject)
  }

  /// What `normalize` makes of the text.
  public let outcome: Outcome
  /// What libphonenumber's parse makes of it, whatever `normalize` requires; nil for ranges.
  public let parsed: Result<ParsedNumber, NumberParseError>?

  /// Explains one text.
  ///
  /// - Parameters:
  ///   - text: UTF-8, as a raw row has it.
  ///   - options: those of the stage.
  public init(_ text: Span<UInt8>, options: NormalizeOptions) {
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
