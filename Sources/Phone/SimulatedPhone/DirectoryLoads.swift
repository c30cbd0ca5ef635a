// Loads extensions: starts the request, applies its changes by the rules for order, duplicates, numbers and removals,
// in the order observed in iOS's daemon, and processes the result.

import Synchronization
import SystemIO
import SystemPackage

struct RunningLoad {
  let identifier: String
  var session: LoadSession
  var isOpen = true
  let ending: OneAnswer<LoadEnding>
  let started: Double
}

enum Completion {
  case taken
  case expired
  case refused(LoadError)
}

extension SimulatedPhone {
  // MARK: For apps and owners

  /// Loads an enabled extension, as `CXCallDirectoryManager` does, and waits for the end.
  public func load(_ identifier: String) -> LoadOutcome { load(identifier, bySwitch: false) }

  /// Enables an extension, which loads it, and waits for the end. If the load fails, the extension is disabled again.
  /// An extension that is already enabled is not loaded.
  public func switchOn(_ identifier: String) -> LoadOutcome {
    if extensionState(identifier) == .loaded { return LoadOutcome(report: LoadReport()) }
    return load(identifier, bySwitch: true)
  }

  /// Starts a load, and calls `completion` with its outcome on a separate thread.
  public func startLoad(_ identifier: String, completion: @escaping @Sendable (LoadOutcome) -> Void) {
    let begun: Begun
    do throws(LoadError) {
      begun = try begin(identifier, bySwitch: false)
    } catch {
      completion(LoadOutcome(report: LoadReport(), failure: error))
      return
    }
    do throws(SystemError) {
      try WorkerThread(name: "load") { completion(self.run(begun)) }.detach()
    } catch {
      completion(end(begun.number, .interrupted(.notStarted(error.code.rawValue))))
    }
  }

  /// Ends an extension during its request, as iOS does when memory is low. Returns whether it was loading.
  @discardableResult
  public func kill(_ identifier: String) -> Bool {
    let ending = state.withLock { state in state.loads.values.first { $0.identifier == identifier }?.ending }
    return ending?.give(.interrupted(.killed)) ?? false
  }

  private func load(_ identifier: String, bySwitch: Bool) -> LoadOutcome {
    do throws(LoadError) {
      return run(try begin(identifier, bySwitch: bySwitch))
    } catch {
      return LoadOutcome(report: LoadReport(), failure: error)
    }
  }

  // MARK: Running a load

  private struct Begun: Sendable {
    let number: LoadNumber
    let program: ExtensionProgram
    let ending: OneAnswer<LoadEnding>
    let identifier: String
  }

  private func begin(_ identifier: String, bySwitch: Bool) throws(LoadError) -> Begun {
    try state.withLock { (state) throws(LoadError) in
      guard let registration = state.registrations[identifier] else { throw .directory(.noExtensionFound) }
      switch registration.state {
      case .disabled where bySwitch: break
      case .disabled, .disabling: throw .directory(.extensionDisabled)
      case .loading: throw .directory(.currentlyLoading)
      case .unavailable: throw .directory(.extensionUnavailable)
      case .loaded: break
      }
      let number = state.nextLoad
      state.nextLoad += 1
      let ending = OneAnswer<LoadEnding>()
      state.registrations[identifier]?.stateBefore = registration.state
      state.registrations[identifier]?.state = .loading
      try state.recordLoad(identifier)
      let session = LoadSession(
        row: registration.row, wasLoaded: registration.state == .loaded, assumptions)
      state.loads[number] = RunningLoad(
        identifier: identifier, session: session, ending: ending, started: MonotonicClock.seconds())
      return Begun(number: number, program: registration.program, ending: ending, identifier: identifier)
    }
  }

  private func run(_ begun: Begun) -> LoadOutcome {
    switch begun.program {
    case .inProcess(let program):
      return end(begun.number, runInProcess(program, begun))
    #if os(Linux)
      case .child(let program):
        let load = ChildLoad(
          phone: self, load: begun.number, identifier: begun.identifier, ending: begun.ending)
        return end(begun.number, load.run(program))
    #endif
    }
  }

  private func runInProcess(
    _ program: @escaping @Sendable (ExtensionRequest) -> Void, _ begun: Begun
  ) -> LoadEnding {
    let life = RequestLife()
    defer { life.end() }
    do throws(SystemError) {
      try WorkerThread(name: "extension") {
        program(ExtensionRequest(DirectChannel(self, begun.number, begun.ending, life)))
      }.detach()
    } catch {
      return .interrupted(.notStarted(error.code.rawValue))
    }
    let ending = begun.ending.wait(atMost: assumptions.requestTime) ?? .interrupted(.timeLimit)
    if case .refused(let failure) = ending { life.notify(failure, waiting: assumptions.requestFailedWait) }
    return ending
  }

  /// Processes the result of a load: sets the extension's state and removes entries if necessary.
  private func end(_ number: LoadNumber, _ ending: LoadEnding) -> LoadOutcome {
    state.withLock { state in
      guard let load = state.loads.removeValue(forKey: number) else {
        return LoadOutcome(report: LoadReport(), failure: ending.failure, interruption: ending.interruption)
      }
      var outcome = LoadOutcome(
        report: load.session.report, failure: ending.failure, interruption: ending.interruption)
      do throws(LoadError) {
        if ending.failure != nil, assumptions.failureRemovesEntries {
          try state.store.removeAll(.blocking, load.session.row)
          try state.store.removeAll(.identification, load.session.row)
        }
        let stays =
          ending.failure == nil || state.wasLoaded(load.identifier) && assumptions.failureKeepsEnabled
        state.registrations[load.identifier]?.state = stays ? .loaded : .disabled
        try state.recordLoad(load.identifier)
        try state.store.tidy()
      } catch {
        // The database's own error takes precedence over the extension's.
        outcome.failure = error
      }
      outcome.report.seconds = MonotonicClock.seconds() - load.started
      state.registrations[load.identifier]?.lastOutcome = outcome
      return outcome
    }
  }

  // MARK: Calls of requests

  func askIncremental(_ number: LoadNumber) -> Bool {
    state.withLock { state in
      guard state.loads[number]?.isOpen == true else { return false }
      return state.loads[number]?.session.askIncremental() ?? false
    }
  }

  func apply(_ batch: ChangeBatch, _ number: LoadNumber) -> LoadError? {
    state.withLock { state in
      state.change(number) { (session, store) throws(LoadError) in try session.apply(batch, store) }
    }
  }

  func removeAll(_ kind: EntryKind, _ number: LoadNumber) -> LoadError? {
    state.withLock { state in
      state.change(number) { (session, store) throws(LoadError) in try session.removeAll(kind, store) }
    }
  }

  func finish(_ number: LoadNumber, dropped: Int) -> Completion {
    state.withLock { state in
      guard state.loads[number]?.isOpen == true else { return .expired }
      let failure = state.change(number) { (session, store) throws(LoadError) in
        session.report.entriesDropped = dropped
        try session.finish(store)
      }
      state.loads[number]?.isOpen = false
      return failure.map { .refused($0) } ?? .taken
    }
  }

  func note(privateBytes: Int, _ number: LoadNumber) {
    state.withLock { state in
      let former = state.loads[number]?.session.report.privateBytesMax ?? 0
      state.loads[number]?.session.report.privateBytesMax = max(former, privateBytes)
    }
  }
}

extension SimulatedPhone.PhoneState {
  /// Changes an open load; closes it if that fails. Returns the error.
  fileprivate mutating func change(
    _ number: LoadNumber, _ body: (inout LoadSession, any CallDirectoryEntries) throws(LoadError) -> Void
  ) -> LoadError? {
    guard var load = loads[number], load.isOpen else { return nil }
    defer { loads[number] = load }
    do throws(LoadError) {
      try body(&load.session, store)
      return nil
    } catch {
      load.isOpen = false
      return error
    }
  }

  fileprivate func wasLoaded(_ identifier: String) -> Bool {
    registrations[identifier]?.stateBefore == .loaded
  }
}

struct LoadSession {
  enum Incremental {
    /// The request is the first load.
    case notAllowed
    /// The extension was loaded before and has not read `isIncremental` yet.
    case eligible
    case confirmed
  }

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

  mutating func askIncremental() -> Bool {
    if incremental == .eligible { incremental = .confirmed }
    report.isIncremental = incremental == .confirmed
    return report.isIncremental
  }

  mutating func apply(_ batch: ChangeBatch, _ store: any CallDirectoryEntries) throws(LoadError) {
    report.batches += 1
    switch batch.change {
    case .add: try add(batch, store)
    case .remove:
      guard incremental == .confirmed else { throw .directory(.unexpectedIncrementalRemoval) }
      try store.remove(batch, row)
      report.removalsAsked += batch.numbers.count
    }
  }

  mutating func removeAll(_ kind: EntryKind, _ store: any CallDirectoryEntries) throws(LoadError) {
    guard incremental == .confirmed else { throw .directory(.unexpectedIncrementalRemoval) }
    try store.removeAll(kind, row)
  }

  /// Ends a successful request. A full request without entries removes all entries.
  mutating func finish(_ store: any CallDirectoryEntries) throws(LoadError) { try removeFormerEntries(store) }

  private mutating func add(_ batch: ChangeBatch, _ store: any CallDirectoryEntries) throws(LoadError) {
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
  private mutating func removeFormerEntries(_ store: any CallDirectoryEntries) throws(LoadError) {
    if incremental == .confirmed || report.didInitialRemoval { return }
    try store.removeAll(.blocking, row)
    try store.removeAll(.identification, row)
    report.didInitialRemoval = true
  }
}

enum LoadEnding: Sendable {
  case completed
  /// The phone rejected the request. The extension is notified before it is ended.
  case refused(LoadError)
  case cancelled(Cancellation)
  /// The extension ended or was ended during the request.
  case interrupted(LoadInterruption)

  var failure: LoadError? {
    switch self {
    case .completed: nil
    case .refused(let failure): failure
    case .cancelled(let reason): .cancelled(reason)
    case .interrupted: .directory(.loadingInterrupted)
    }
  }

  var interruption: LoadInterruption? {
    if case .interrupted(let interruption) = self { return interruption }
    return nil
  }
}

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
  /// The maximum memory of the extension's process in bytes, without files; nil if it had no separate process.
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
}
