// The assumptions of the simulated phone where Apple documents nothing. Each fact was seen in iOS builds, or is a
// choice; docs/ios/simulated-phone.md lists which, and another value may be set for any of them.

/// Behaviour of iOS that no document promises.
public struct PhoneAssumptions: Sendable, Equatable {
  /// Which identification entries an extension may have twice in the store.
  public enum LabelsPerNumber: Sendable, Equatable {
    /// Two labels for one number may be stored by two incremental loads; the same label twice is refused. The header
    /// speaks of several labels, so this is what is taken to be so.
    case several
    /// A number has one label per extension; a second one is refused.
    case one
  }

  /// A request is refused when it would bring this many additions, of both kinds together: so one fewer is the most.
  public var additionsRefusedAt = 2_000_000
  /// A failed load leaves nothing of the extension's entries.
  public var failureRemovesEntries = true
  /// An extension that was loaded before stays enabled after a failed load.
  public var failureKeepsEnabled = true
  /// Which identification entries may be stored twice.
  public var labelsPerNumber = LabelsPerNumber.several
  /// How long `requestFailed` may take before the extension is ended.
  public var requestFailedWait = Duration.seconds(10)
  /// How long an extension may take for a request. Nobody knows iOS's limit; this one keeps a broken handler from
  /// holding a test for ever, and is far beyond the slowest load that was reported.
  public var requestTime = Duration.seconds(600)
  /// A number that the owner has called is not blocked any more (reported for iOS 26).
  public var calledNumbersAreNotBlocked = false

  /// Creates the assumptions that the facts speak for.
  public init() {}
}
