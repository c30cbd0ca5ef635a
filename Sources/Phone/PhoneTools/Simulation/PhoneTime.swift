// The approximate time that a phone needs for a load.
//
// The rates are from a report on an iPhone 13 with iOS 26: 1,900,000 numbers to block in 12 s, and the same count of
// labelled numbers in 47.6 s. Another report has 1,000,000 labels in 100 s, so older phones need more than twice as
// long. docs/ios/call-directory.md cites both.

package import SimulatedPhone

/// The time of a load on a phone.
package enum PhoneTime {
  private static let blockedInASecond = 1_900_000 / 12.0
  private static let labelledInASecond = 1_900_000 / 47.6

  /// Estimates the seconds of a request. There are no measurements of removals; they count like additions with labels.
  package static func seconds(_ report: LoadReport) -> Double {
    Double(report.blockingAdded) / blockedInASecond
      + Double(report.identificationAdded + report.removalsAsked) / labelledInASecond
  }
}
