// A percentage as an option or as a value in a pipeline file.

import ArgumentParser

/// A percentage of at least 0%. It may exceed 100%: doubling is a change of 100%.
struct Percentage: Equatable {
  let percent: Double

  /// Parses a percentage. The percent sign is required to distinguish it from a count.
  @Sendable static func typed(_ text: String) throws -> Percentage {
    guard text.hasSuffix("%"), let percent = Double(text.dropLast()), percent >= 0, percent.isFinite else {
      throw ValidationError("expected a percentage, such as 20%")
    }
    return Percentage(percent: percent)
  }
}
