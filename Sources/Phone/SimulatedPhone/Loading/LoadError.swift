// Why a load failed, as an app sees it: an error domain and a code. Not for messages, which are in UserMessages.

/// CallKit's error codes of the Call Directory, and one that its enum lacks.
public enum CallDirectoryErrorCode: Int, Sendable, CaseIterable {
  /// The directory could not be opened or changed.
  case unknown = 0
  /// The phone has no extension with this identifier.
  case noExtensionFound = 1
  /// The extension's process ended during the request.
  case loadingInterrupted = 2
  /// A number is lower than the previous one.
  case entriesOutOfOrder = 3
  /// A number equals the previous one.
  case duplicateEntries = 4
  /// The request has 2,000,000 additions or more.
  case maximumEntriesExceeded = 5
  /// The owner has not enabled the extension.
  case extensionDisabled = 6
  /// The extension is already being loaded.
  case currentlyLoading = 7
  /// An entry was removed in a request that is not confirmed to be incremental.
  case unexpectedIncrementalRemoval = 8
  /// Internal to iOS: the extension is unavailable. Apple's enum lacks it.
  case extensionUnavailable = 102
}

/// Why a load failed.
public enum LoadError: Error, Equatable, Sendable {
  /// The Call Directory rejected the load.
  case directory(CallDirectoryErrorCode)
  /// The database reported an error with SQLite's code; 19 is a violated constraint.
  case database(Int32)
  /// The extension cancelled the request with its own error.
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

/// Why an extension ended during its request.
public enum LoadInterruption: Equatable, Sendable {
  /// A call raised an exception.
  case exception(LoadRequestError)
  /// The process exceeded its memory limit; both values are in bytes.
  case memory(held: Int, limit: Int)
  /// The process was killed.
  case killed
  /// The process ended by a signal.
  case signal(Int32)
  /// The process exited with a status before the request ended.
  case exit(Int32)
  /// The request exceeded its time limit.
  case timeLimit
  /// The process sent an invalid message.
  case nonsense
  /// The process could not be started, with this errno.
  case notStarted(Int32)
}

/// The statistics of a load.
public struct LoadReport: Equatable, Sendable {
  /// Whether the extension read `isIncremental` and it was true.
  public internal(set) var isIncremental = false
  /// The number of added entries of this kind.
  public internal(set) var blockingAdded = 0
  /// The number of added entries of this kind.
  public internal(set) var identificationAdded = 0
  /// The number of requested removals, including those of entries that don't exist.
  public internal(set) var removalsAsked = 0
  /// The number of batches that were sent.
  public internal(set) var batches = 0
  /// The number of entries that were dropped because their labels are empty or too long.
  public internal(set) var entriesDropped = 0
  /// Whether the existing entries were removed first.
  public internal(set) var didInitialRemoval = false
  /// The maximum private dirty memory of the extension's process in bytes; nil if it had no separate process.
  public internal(set) var privateBytesMax: Int?
  /// The duration in seconds on this machine.
  public internal(set) var seconds = 0.0

  /// Creates an empty report.
  public init() {}
}

/// How a load ended.
public struct LoadOutcome: Equatable, Sendable {
  /// The statistics of the load.
  public internal(set) var report: LoadReport
  /// Why the load failed; nil if it succeeded.
  public internal(set) var failure: LoadError?
  /// Why the extension ended during the request; nil if it did not.
  public internal(set) var interruption: LoadInterruption?

  /// Whether the load succeeded.
  public var isSuccess: Bool { failure == nil }

  init(_ report: LoadReport, _ failure: LoadError? = nil, _ interruption: LoadInterruption? = nil) {
    self.report = report
    self.failure = failure
    self.interruption = interruption
  }
}
