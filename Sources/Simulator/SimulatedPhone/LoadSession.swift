// One load request as the phone's daemon keeps it: the rules of order, duplicates, numbers and removals, in the order in
// which iOS's daemon was seen to apply them.
//
// Not for: what an extension gathers before it sends (ExtensionRequest), or where entries are kept (DirectoryStore).

/// A request in progress.
struct LoadSession {
  /// Whether a request may be incremental.
  enum Incremental {
    /// The first load.
    case notAllowed
    /// It was loaded before, and the extension has not asked yet.
    case eligible
    /// The extension asked.
    case confirmed
  }

  /// The extension's row in the store.
  let row: Int64
  private(set) var incremental: Incremental
  var report = LoadReport()

  private let assumptions: PhoneAssumptions
  /// The last number that came, of each kind. Removals don't reset them: all additions of a request ascend.
  private var lastBlocking: Int64 = 0
  private var lastIdentification: Int64 = 0
  /// Additions of both kinds. What the store holds from earlier does not count.
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

  /// Ends a request that went well; a full one that brought nothing leaves nothing.
  mutating func finish(_ store: any DirectoryStore) throws(LoadError) {
    try removeFormerEntries(store)
  }

  private mutating func add(_ batch: ChangeBatch, _ store: any DirectoryStore) throws(LoadError) {
    try removeFormerEntries(store)
    // The count comes before the order, and a batch is refused as a whole.
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

  /// Every number is greater than the one before, the first one greater than 0.
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

  /// A request that is not incremental starts from nothing.
  private mutating func removeFormerEntries(_ store: any DirectoryStore) throws(LoadError) {
    if incremental == .confirmed || report.didInitialRemoval { return }
    try store.removeAll(.blocking, row)
    try store.removeAll(.identification, row)
    report.didInitialRemoval = true
  }
}
