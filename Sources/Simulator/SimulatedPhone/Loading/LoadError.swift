// Why a load failed, as an app sees it: an error domain and a number. No sentences; those are the command layer's.

/// CallKit's error numbers of the Call Directory, and the one that its enum does not have.
public enum CallDirectoryErrorCode: Int, Sendable, CaseIterable {
  /// The directory could not be opened or changed.
  case unknown = 0
  /// The phone has no extension of that identifier.
  case noExtensionFound = 1
  /// The extension's process ended during the request.
  case loadingInterrupted = 2
  /// A number is lower than the one before it.
  case entriesOutOfOrder = 3
  /// A number is the same as the one before it.
  case duplicateEntries = 4
  /// The request would bring 2,000,000 additions or more.
  case maximumEntriesExceeded = 5
  /// The owner has not switched the extension on.
  case extensionDisabled = 6
  /// The extension is being loaded already.
  case currentlyLoading = 7
  /// A removal came, though the request is not confirmed to be incremental.
  case unexpectedIncrementalRemoval = 8
  /// Internal to iOS: the extension is unavailable. Apple's enum lacks it.
  case extensionUnavailable = 102
}

/// Why a load failed.
public enum LoadError: Error, Equatable, Sendable {
  /// The Call Directory refused.
  case directory(CallDirectoryErrorCode)
  /// Its database refused, with SQLite's code; 19 is a constraint.
  case database(Int32)
  /// The extension ended the request with an error of its own.
  case cancelled(Cancellation)

  /// The error domain that an app sees.
  public var domain: String {
    switch self {
    case .directory: "com.apple.CallKit.error.calldirectorymanager"
    case .database: "com.apple.callkit.database.sqlite"
    case .cancelled(let reason): reason.domain
    }
  }

  /// The error code that an app sees.
  public var code: Int {
    switch self {
    case .directory(let code): code.rawValue
    case .database(let code): Int(code)
    case .cancelled(let reason): reason.code
    }
  }
}

/// What ended an extension in the middle of its request.
public enum LoadInterruption: Equatable, Sendable {
  /// It did what raises an exception.
  case exception(LoadRequestError)
  /// Its process held more memory than it may, in bytes.
  case memory(held: Int, limit: Int)
  /// Somebody killed it.
  case killed
  /// It ended by a signal.
  case signal(Int32)
  /// It ended with a status before the request did.
  case exit(Int32)
  /// It took too long.
  case timeLimit
  /// What it sent is not what extensions send.
  case nonsense
  /// It could not be started, for this errno.
  case notStarted(Int32)
}

/// What a load did.
public struct LoadReport: Equatable, Sendable {
  /// Whether the extension asked, and got the answer that it may send changes only.
  public internal(set) var isIncremental = false
  /// The entries that came, of each kind.
  public internal(set) var blockingAdded = 0
  /// The entries that came, of each kind.
  public internal(set) var identificationAdded = 0
  /// The removals that were asked for, whether there was such an entry or not.
  public internal(set) var removalsAsked = 0
  /// The batches that were sent.
  public internal(set) var batches = 0
  /// The entries that were dropped for labels that are empty or too long.
  public internal(set) var entriesDropped = 0
  /// What stood before was removed first.
  public internal(set) var didInitialRemoval = false
  /// The most memory that the extension's process held and had written to, in bytes; nil when it had no process of
  /// its own.
  public internal(set) var privateBytesMax: Int?
  /// How long it took, in seconds on this machine.
  public internal(set) var seconds = 0.0

  /// Creates the report of a load that did nothing.
  public init() {}
}

/// How a load ended.
public struct LoadOutcome: Equatable, Sendable {
  /// What was done.
  public internal(set) var report: LoadReport
  /// Why it failed; nil when it succeeded.
  public internal(set) var failure: LoadError?
  /// What ended the extension, when that is why.
  public internal(set) var interruption: LoadInterruption?

  /// Whether it succeeded.
  public var isSuccess: Bool { failure == nil }

  init(_ report: LoadReport, _ failure: LoadError? = nil, _ interruption: LoadInterruption? = nil) {
    self.report = report
    self.failure = failure
    self.interruption = interruption
  }
}
