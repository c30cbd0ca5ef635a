// Loads extensions: starts the request, applies its changes, and processes the result.

import Synchronization
import SystemIO
import SystemPackage

/// A load in progress.
struct RunningLoad {
  let identifier: String
  var session: LoadSession
  /// Whether changes are still accepted.
  var isOpen = true
  let ending: OneAnswer<LoadEnding>
  let started: Double
}

/// The result of completing a request.
enum Completion {
  /// The phone has applied the request.
  case taken
  /// The request had already ended.
  case expired
  /// The phone rejected the last changes.
  case refused(LoadError)
}

extension SimulatedPhone {
  // MARK: For apps and owners

  /// Loads an enabled extension, as `CXCallDirectoryManager` does, and waits for the end.
  public func load(_ identifier: String) -> LoadOutcome {
    load(identifier, bySwitch: false)
  }

  /// Enables an extension, which loads it, and waits for the end. If the load fails, the extension is disabled again.
  /// An extension that is already enabled is not loaded.
  public func switchOn(_ identifier: String) -> LoadOutcome {
    if extensionState(identifier) == .loaded { return LoadOutcome(LoadReport()) }
    return load(identifier, bySwitch: true)
  }

  /// Starts a load, and calls `completion` with its outcome on a separate thread.
  public func startLoad(_ identifier: String, completion: @escaping @Sendable (LoadOutcome) -> Void) {
    let begun: Begun
    do throws(LoadError) {
      begun = try begin(identifier, bySwitch: false)
    } catch {
      completion(LoadOutcome(LoadReport(), error))
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
      return LoadOutcome(LoadReport(), error)
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
        return LoadOutcome(LoadReport(), ending.failure, ending.interruption)
      }
      var outcome = LoadOutcome(load.session.report, ending.failure, ending.interruption)
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

  /// Records the memory of the extension's process.
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
    _ number: LoadNumber, _ body: (inout LoadSession, any DirectoryStore) throws(LoadError) -> Void
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
