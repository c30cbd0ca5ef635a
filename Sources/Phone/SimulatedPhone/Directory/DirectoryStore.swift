// Stores the entries of all extensions.

/// The state of an extension on the phone, with iOS's values (observed in builds).
public enum ExtensionState: Int64, Sendable {
  /// The owner has not enabled the extension.
  case disabled = 1
  /// The extension is being disabled.
  case disabling = 2
  /// A request is running.
  case loading = 3
  /// The extension is enabled and its entries are active.
  case loaded = 4
  /// iOS can't use the extension.
  case unavailable = 5
}

/// The counts of an extension's entries.
public struct EntryCounts: Equatable, Sendable {
  /// The count of blocked numbers.
  public var blocking: Int
  /// The count of numbers with a label.
  public var identification: Int

  /// Makes counts.
  public init(blocking: Int = 0, identification: Int = 0) {
    self.blocking = blocking
    self.identification = identification
  }
}

/// A label and the extension that it is from.
struct FoundLabel: Equatable {
  var label: String
  var row: Int64
}

/// The store of all extensions' entries. The phone calls it from one thread at a time.
protocol DirectoryStore: AnyObject {
  /// Adds or changes the row of an extension.
  func set(_ row: Int64, identifier: String, priority: Int64, state: ExtensionState) throws(LoadError)
  /// Removes an extension and its entries.
  func forget(_ row: Int64) throws(LoadError)
  /// Adds entries, whose order has been checked.
  func add(_ batch: ChangeBatch, _ row: Int64) throws(LoadError)
  /// Removes entries; a missing one is not an error.
  func remove(_ batch: ChangeBatch, _ row: Int64) throws(LoadError)
  /// Removes all entries of a kind.
  func removeAll(_ kind: EntryKind, _ row: Int64) throws(LoadError)
  /// Removes unreferenced rows. Called when a load has ended.
  func tidy() throws(LoadError)
  /// Counts an extension's entries.
  func counts(_ row: Int64) throws(LoadError) -> EntryCounts
  /// Returns the loaded extension with the highest priority that blocks one of two numbers.
  func blocker(of first: Int64, or second: Int64) throws(LoadError) -> Int64?
  /// Returns the label of one of two numbers from the loaded extension with the highest priority.
  func label(of first: Int64, or second: Int64) throws(LoadError) -> FoundLabel?
}
