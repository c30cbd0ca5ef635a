// About how long a phone needs for a load.
//
// The rates are one report's, of an iPhone 13 with iOS 26: 1,900,000 numbers to block in 12 s, and as many with labels in
// 47.6 s. Another report has 1,000,000 labels in 100 s, so that older phones need more than twice as long.
// docs/ios/call-directory.md names both.

import SimulatedPhone

/// The time of a load on a phone.
enum PhoneTime {
  private static let blockedInASecond = 1_900_000 / 12.0
  private static let labelledInASecond = 1_900_000 / 47.6

  /// About how many seconds a request takes. Nobody has measured removals; they count as additions with labels do.
  static func seconds(_ report: LoadReport) -> Double {
    Double(report.blockingAdded) / blockedInASecond
      + Double(report.identificationAdded + report.removalsAsked) / labelledInASecond
  }

  /// `less than a second`, `about 51 s`, `about 43 min`
  static func text(_ seconds: Double) -> String {
    if seconds < 1 { return "less than a second" }
    if seconds < 100 { return "about \(Int(seconds.rounded())) s" }
    return "about \(Int((seconds / 60).rounded())) min"
  }
}
