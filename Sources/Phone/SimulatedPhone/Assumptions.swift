// The simulated phone's assumptions about undocumented behaviour. Each was observed in iOS builds or is a choice;
// docs/ios/simulated-phone.md lists which. All of them can be changed.

/// Undocumented behaviour of iOS.
public struct PhoneAssumptions: Sendable, Equatable {
  /// Which identification entries an extension may store for the same number.
  public enum LabelsPerNumber: Sendable, Equatable {
    /// Two incremental loads may store two labels for a number; the same label twice is rejected. Assumed because
    /// Apple's header mentions several labels.
    case several
    /// A number has one label per extension; a second one is rejected.
    case one
  }

  /// The number of additions of both kinds together at which a request is rejected; the maximum is one fewer.
  public var additionsRefusedAt = 2_000_000
  /// Whether a failed load removes all entries of the extension.
  public var failureRemovesEntries = true
  /// Whether an extension that was loaded before stays enabled after a failed load.
  public var failureKeepsEnabled = true
  /// Which identification entries may be stored for the same number.
  public var labelsPerNumber = LabelsPerNumber.several
  /// The time limit for `requestFailed`, after which the extension is ended.
  public var requestFailedWait = Duration.seconds(10)
  /// The time limit for a request. iOS's limit is unknown; this one stops tests with a broken handler and is far above
  /// the slowest reported load.
  public var requestTime = Duration.seconds(600)
  /// Whether numbers that the owner has called are no longer blocked (reported for iOS 26).
  public var calledNumbersAreNotBlocked = false

  /// Creates the most likely assumptions.
  public init() {}
}
