// A load request on the phone's side: applies the rules for order, duplicates, numbers and removals, in the order
// observed in iOS's daemon.
//
// Not for collecting entries in the extension (ExtensionRequest) or storing them (DirectoryStore).

/// A request in progress.
struct LoadSession {
  /// Whether a request may be incremental.
  enum Incremental {
    /// The request is the first load.
    case notAllowed
    /// The extension was loaded before and has not read `isIncremental` yet.
    case eligible
    /// The extension has read `isIncremental`.
    case confirmed
  }

  /// The extension's row in the store.
  let row: Int64
  private(set) var incremental: Incremental
  var report = LoadReport()

  private let assumptions: PhoneAssumptions
  /// The last added number of each kind. Removals don't reset them: all additions of a request ascend.
  private var lastBlocking: Int64 = 0
  private var lastIdentification: Int64 = 0
  /// The additions of both kinds in this request; existing entries don't count.
  private var additions = 0

  init(row: Int64, wasLoaded: Bool, _ assumptions: PhoneAssumptions) {
    self.row = row
    self.assumptions = assumptions
    incremental = wasLoaded ? .eligible : .notAllowed
  }

  /// Answers `isIncremental`.
  mutating func askIncremental() -> Bool {
    if incremental == .eligible { incremental = .confirmed }
    report.isIncremental = incremental == .confirmed
    return report.isIncremental
  }

  /// Applies a batch.
  mutating func apply(_ batch: ChangeBatch, _ store: any DirectoryStore) throws(LoadError) {
    report.batches += 1
    switch batch.change {
    case .add: try add(batch, store)
    case .remove:
      guard incremental == .confirmed else { throw .directory(.unexpectedIncrementalRemoval) }
      try store.remove(batch, row)
      report.removalsAsked += batch.numbers.count
    }
  }

  /// Removes all entries of a kind.
  mutating func removeAll(_ kind: EntryKind, _ store: any DirectoryStore) throws(LoadError) {
    guard incremental == .confirmed else { throw .directory(.unexpectedIncrementalRemoval) }
    try store.removeAll(kind, row)
  }

  /// Ends a successful request. A full request without entries removes all entries.
  mutating func finish(_ store: any DirectoryStore) throws(LoadError) {
    try removeFormerEntries(store)
  }

  private mutating func add(_ batch: ChangeBatch, _ store: any DirectoryStore) throws(LoadError) {
    try removeFormerEntries(store)
    // The count is checked before the order, and a batch is rejected as a whole.
    guard additions + batch.numbers.count < assumptions.additionsRefusedAt else {
      throw .directory(.maximumEntriesExceeded)
    }
    switch batch.kind {
    case .blocking: try Self.check(batch, &lastBlocking)
    case .identification: try Self.check(batch, &lastIdentification)
    }
    try store.add(batch, row)
    additions += batch.numbers.count
    switch batch.kind {
    case .blocking: report.blockingAdded += batch.numbers.count
    case .identification: report.identificationAdded += batch.numbers.count
    }
  }

  /// Checks that every number is greater than the previous one, and the first one greater than 0.
  private static func check(_ batch: ChangeBatch, _ kept: inout Int64) throws(LoadError) {
    var last = kept
    let numbers = batch.numbers.span
    for place in numbers.indices {
      let number = numbers[place]
      if number == last { throw .directory(.duplicateEntries) }
      if number < last { throw .directory(.entriesOutOfOrder) }
      last = number
    }
    kept = last
  }

  /// Removes the existing entries at the start of a request that is not incremental.
  private mutating func removeFormerEntries(_ store: any DirectoryStore) throws(LoadError) {
    if incremental == .confirmed || report.didInitialRemoval { return }
    try store.removeAll(.blocking, row)
    try store.removeAll(.identification, row)
    report.didInitialRemoval = true
  }
}
