// Why entries could not be loaded. The error contains data; the caller formats the message.

// Errors carry those of the files that failed: one import is enough.
@_exported public import CallDeltaReader
public import CallStoreReader

/// Why an extension's files can't be loaded.
public enum CallDirectoryError: Error, Equatable, Sendable {
  /// A store can't be read or is damaged.
  case store(CallStoreError, path: String)
  /// A delta can't be read or is damaged.
  case delta(CallDeltaError, path: String)
  /// There are more deltas than ``ExtensionFiles/deltasMax``.
  case tooManyDeltas(limit: Int)
  /// A file was replaced while it was being read. The next request uses the new file.
  case replaced(path: String)
  /// The record of what is loaded can't be changed; the value is the `errno`. Loading anyway would leave a wrong
  /// record.
  case record(Int32, path: String)
  /// Two stores of a lookup have overlapping ranges of numbers.
  case overlap(String, String)
}

/// The error of a load that did not finish.
public struct FeedError: Error, Equatable, Sendable {
  /// The cause of the failure.
  public var cause: CallDirectoryError
  /// Whether entries had been added or removed. If not, the entries loaded before may be kept: see
  /// ``ExtensionFiles/mayKeep(_:)``.
  public var hasChanged: Bool

  /// Creates an error.
  public init(_ cause: CallDirectoryError, hasChanged: Bool) {
    self.cause = cause
    self.hasChanged = hasChanged
  }
}
