// Why nothing, or not all, could be fed. It carries data; the caller that shows it writes the sentence.

public import CallDeltaReader
public import CallStoreReader

/// Why an extension's files can't be loaded.
public enum CallDirectoryError: Error, Equatable, Sendable {
  /// A store can't be read, or is damaged.
  case store(CallStoreError, path: String)
  /// A delta can't be read, or is damaged.
  case delta(CallDeltaError, path: String)
  /// There are more deltas than ``ExtensionFiles/deltasMax``.
  case tooManyDeltas(limit: Int)
  /// A file was replaced while it was being read. The next request finds the new one.
  case replaced(path: String)
  /// The record of what is loaded can't be changed; the value is the `errno`. Loading all the same would leave a record
  /// that is wrong.
  case record(Int32, path: String)
  /// Two stores of a lookup have overlapping ranges of numbers.
  case overlap(String, String)
}

/// A load that did not come to its end.
public struct FeedError: Error, Equatable, Sendable {
  /// Why.
  public var cause: CallDirectoryError
  /// Whether entries had been added or removed. If not, what was loaded before may be kept: see
  /// ``ExtensionFiles/mayKeep(_:)``.
  public var hasChanged: Bool

  /// Makes a failure.
  public init(_ cause: CallDirectoryError, hasChanged: Bool) {
    self.cause = cause
    self.hasChanged = hasChanged
  }
}
