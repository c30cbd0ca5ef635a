// Stores the entries of all extensions. A directory of watched numbers counts the others, for loads that are too large
// to store, such as a hundred million entries in 51 extensions.

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
public struct EntryCounts: Encodable, Equatable, Sendable {
  /// The count of blocked numbers.
  public var blocking: Int
  /// The count of numbers with a label.
  public var identification: Int

  /// Makes counts.
  public init(blocking: Int = 0, identification: Int = 0) {
    self.blocking = blocking
    self.identification = identification
  }

  /// The count of a kind.
  subscript(_ kind: EntryKind) -> Int {
    get { kind == .blocking ? blocking : identification }
    set { if kind == .blocking { blocking = newValue } else { identification = newValue } }
  }
}

struct FoundLabel: Equatable {
  var label: String
  var row: Int64
}

/// The store of all extensions' entries. The phone calls it from one thread at a time.
protocol CallDirectoryEntries: AnyObject {
  func set(_ row: Int64, identifier: String, priority: Int64, state: ExtensionState) throws(LoadError)
  func forget(_ row: Int64) throws(LoadError)
  /// Adds entries, whose order has been checked.
  func add(_ batch: ChangeBatch, _ row: Int64) throws(LoadError)
  /// Removes entries; a missing one is not an error.
  func remove(_ batch: ChangeBatch, _ row: Int64) throws(LoadError)
  func removeAll(_ kind: EntryKind, _ row: Int64) throws(LoadError)
  /// Removes unreferenced rows. Called when a load has ended.
  func tidy() throws(LoadError)
  func counts(_ row: Int64) throws(LoadError) -> EntryCounts
  /// Returns the loaded extension with the highest priority that blocks one of two numbers.
  func blocker(of first: Int64, or second: Int64) throws(LoadError) -> Int64?
  /// Returns the label of one of two numbers from the loaded extension with the highest priority.
  func label(of first: Int64, or second: Int64) throws(LoadError) -> FoundLabel?
}

/// A directory store that counts entries.
///
/// A removal decreases the count even if the entry does not exist, and a duplicate entry is an error only if its number
/// is watched: a count can't detect either.
final class CallDirectoryCounts: CallDirectoryEntries {
  private struct CountRow {
    var priority: Int64
    var state: ExtensionState
    var counts = EntryCounts()
    var blocked: Set<Int64> = []
    var labels: [Int64: [String]] = [:]
  }

  private let watched: Set<Int64>
  private let labelsPerNumber: PhoneAssumptions.LabelsPerNumber
  private var rows: [Int64: CountRow] = [:]

  /// SQLite's code for a violated constraint.
  private static let constraint: Int32 = 19

  init(watching numbers: Set<Int64>, _ assumptions: PhoneAssumptions) {
    watched = numbers
    labelsPerNumber = assumptions.labelsPerNumber
  }

  func set(_ row: Int64, identifier: String, priority: Int64, state: ExtensionState) {
    rows[row, default: CountRow(priority: priority, state: state)].priority = priority
    rows[row]?.state = state
  }

  func forget(_ row: Int64) { rows[row] = nil }

  func add(_ batch: ChangeBatch, _ row: Int64) throws(LoadError) {
    guard var entry = rows.removeValue(forKey: row) else { return }
    defer { rows[row] = entry }
    entry.counts[batch.kind] += batch.numbers.count
    if watched.isEmpty { return }
    for place in batch.numbers.indices where watched.contains(batch.numbers[place]) {
      let number = batch.numbers[place]
      switch batch.kind {
      case .blocking:
        if !entry.blocked.insert(number).inserted { throw .database(Self.constraint) }
      case .identification:
        let label = batch.labels[Int(batch.labelPlaces[place])]
        let former = entry.labels[number, default: []]
        let isTaken = labelsPerNumber == .one ? !former.isEmpty : former.contains(label)
        if isTaken { throw .database(Self.constraint) }
        entry.labels[number] = former + [label]
      }
    }
  }

  func remove(_ batch: ChangeBatch, _ row: Int64) {
    guard var entry = rows.removeValue(forKey: row) else { return }
    entry.counts[batch.kind] = max(0, entry.counts[batch.kind] - batch.numbers.count)
    if !watched.isEmpty {
      for number in batch.numbers {
        switch batch.kind {
        case .blocking: entry.blocked.remove(number)
        case .identification: entry.labels[number] = nil
        }
      }
    }
    rows[row] = entry
  }

  func removeAll(_ kind: EntryKind, _ row: Int64) {
    rows[row]?.counts[kind] = 0
    switch kind {
    case .blocking: rows[row]?.blocked = []
    case .identification: rows[row]?.labels = [:]
    }
  }

  func tidy() {}

  func counts(_ row: Int64) -> EntryCounts { rows[row]?.counts ?? EntryCounts() }

  func blocker(of first: Int64, or second: Int64) -> Int64? {
    loaded.first { $0.value.blocked.contains(first) || $0.value.blocked.contains(second) }?.key
  }

  func label(of first: Int64, or second: Int64) -> FoundLabel? {
    for (row, entry) in loaded {
      if let label = (entry.labels[first] ?? entry.labels[second])?.first {
        return FoundLabel(label: label, row: row)
      }
    }
    return nil
  }

  /// The loaded extensions, highest priority first.
  private var loaded: [(key: Int64, value: CountRow)] {
    rows.filter { $0.value.state == .loaded }.sorted {
      ($0.value.priority, $0.key) < ($1.value.priority, $1.key)
    }
  }
}
