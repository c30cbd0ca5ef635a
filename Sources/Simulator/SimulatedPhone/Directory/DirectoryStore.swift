// Where the phone keeps the entries of all extensions.

/// The state of an extension on the phone, with iOS's numbers (seen in builds).
public enum ExtensionState: Int64, Sendable {
  /// The owner has not switched it on.
  case disabled = 1
  /// It is being switched off.
  case disabling = 2
  /// A request is running.
  case loading = 3
  /// It is on, and what it loaded counts.
  case loaded = 4
  /// iOS can't use it.
  case unavailable = 5
}

/// How many entries an extension has.
public struct EntryCounts: Equatable, Sendable {
  /// Numbers that are blocked.
  public var blocking: Int
  /// Numbers that have a label.
  public var identification: Int

  /// Makes counts.
  public init(blocking: Int = 0, identification: Int = 0) {
    self.blocking = blocking
    self.identification = identification
  }
}

/// A label, and the extension that gave it.
struct FoundLabel: Equatable {
  var label: String
  var row: Int64
}

/// The entries of all extensions. The phone calls it from one thread at a time.
protocol DirectoryStore: AnyObject {
  /// Makes known, or changes, the row of an extension.
  func set(_ row: Int64, identifier: String, priority: Int64, state: ExtensionState) throws(LoadError)
  /// Forgets an extension and its entries.
  func forget(_ row: Int64) throws(LoadError)
  /// Adds entries. Their order has been checked.
  func add(_ batch: ChangeBatch, _ row: Int64) throws(LoadError)
  /// Removes entries; a missing one is not an error.
  func remove(_ batch: ChangeBatch, _ row: Int64) throws(LoadError)
  /// Removes all entries of a kind.
  func removeAll(_ kind: EntryKind, _ row: Int64) throws(LoadError)
  /// Drops what nothing refers to any more; called when a load has ended.
  func tidy() throws(LoadError)
  /// How many entries an extension has.
  func counts(_ row: Int64) throws(LoadError) -> EntryCounts
  /// The loaded extension of the highest priority that blocks one of two numbers.
  func blocker(of first: Int64, or second: Int64) throws(LoadError) -> Int64?
  /// The label of one of two numbers by the loaded extension of the highest priority.
  func label(of first: Int64, or second: Int64) throws(LoadError) -> FoundLabel?
}
