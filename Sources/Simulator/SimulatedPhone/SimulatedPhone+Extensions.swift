// The extensions of a phone, and what its owner does with them in Settings.

import Synchronization

/// How an extension runs.
public enum ExtensionProgram: Sendable {
  /// On a thread of this process. It must end the request, or drop it.
  case inProcess(@Sendable (ExtensionRequest) -> Void)
  #if os(Linux)
    /// In a process of its own.
    case child(ChildProgram)
  #endif
}

/// Why an extension could not be installed or changed.
public enum RegistryError: Error, Equatable, Sendable {
  /// There is one of that identifier.
  case identifierTaken
  /// There are as many as a phone may have.
  case tooManyExtensions(limit: Int)
  /// There is none of that identifier.
  case unknownIdentifier
  /// It is being loaded.
  case loading
  /// The directory refused.
  case directory(LoadError)
}

/// CallKit's enabled states.
public enum EnabledStatus: Int, Sendable {
  /// The phone does not know.
  case unknown = 0
  /// Switched off.
  case disabled = 1
  /// Switched on.
  case enabled = 2
}

extension SimulatedPhone {
  /// Puts an extension on the phone: switched off, and with the lowest priority.
  public func install(_ identifier: String, _ program: ExtensionProgram) throws(RegistryError) {
    try state.withLock { (state) throws(RegistryError) in
      guard state.registrations[identifier] == nil else { throw .identifierTaken }
      guard state.registrations.count < Self.extensionsMax else {
        throw .tooManyExtensions(limit: Self.extensionsMax)
      }
      let row = state.nextRow
      state.nextRow += 1
      state.registrations[identifier] = Registration(row: row, program: program)
      state.order.append(identifier)
      try state.record(identifier)
    }
  }

  /// Replaces an extension's program, as an app's update does. What it loaded stays.
  public func update(_ identifier: String, _ program: ExtensionProgram) throws(RegistryError) {
    try state.withLock { (state) throws(RegistryError) in
      guard state.registrations[identifier] != nil else { throw .unknownIdentifier }
      state.registrations[identifier]?.program = program
    }
  }

  /// Removes an extension from the phone, with its loaded entries.
  public func uninstall(_ identifier: String) throws(RegistryError) {
    try state.withLock { (state) throws(RegistryError) in
      let registration = try state.idle(identifier)
      state.registrations[identifier] = nil
      state.order.removeAll { $0 == identifier }
      do throws(LoadError) { try state.store.forget(registration.row) } catch { throw .directory(error) }
    }
  }

  /// The extensions, the highest priority first.
  public var extensions: [String] { state.withLock { $0.order } }

  /// Sets the order of the extensions, the highest priority first. Those that are left out follow, in their old order.
  public func setPriority(_ identifiers: [String]) throws(RegistryError) {
    try state.withLock { (state) throws(RegistryError) in
      for identifier in identifiers where state.registrations[identifier] == nil { throw .unknownIdentifier }
      var seen = Set<String>()
      state.order = (identifiers + state.order).filter { seen.insert($0).inserted }
      for identifier in state.order { try state.record(identifier) }
    }
  }

  /// Switches an extension off: what it loaded does not count any more, and its next load is a full one.
  public func switchOff(_ identifier: String) throws(RegistryError) {
    try state.withLock { (state) throws(RegistryError) in
      _ = try state.idle(identifier)
      state.registrations[identifier]?.state = .disabled
      try state.record(identifier)
    }
  }

  /// Creates an extension one that iOS can't use; its loads fail with 102.
  public func makeUnavailable(_ identifier: String) throws(RegistryError) {
    try state.withLock { (state) throws(RegistryError) in
      _ = try state.idle(identifier)
      state.registrations[identifier]?.state = .unavailable
      try state.record(identifier)
    }
  }

  /// An extension's state; nil when there is none of that identifier.
  public func extensionState(_ identifier: String) -> ExtensionState? {
    state.withLock { $0.registrations[identifier]?.state }
  }

  /// Whether an extension is switched on; nil when there is none of that identifier.
  public func enabledStatus(_ identifier: String) -> EnabledStatus? {
    switch extensionState(identifier) {
    case nil: nil
    case .loading, .loaded: .enabled
    case .disabled, .disabling: .disabled
    case .unavailable: .unknown
    }
  }

  /// How the last load of an extension ended; nil before the first.
  public func lastOutcome(_ identifier: String) -> LoadOutcome? {
    state.withLock { $0.registrations[identifier]?.lastOutcome }
  }

  /// How many entries the phone has of an extension.
  public func entryCounts(_ identifier: String) throws(RegistryError) -> EntryCounts {
    try state.withLock { (state) throws(RegistryError) in
      guard let row = state.registrations[identifier]?.row else { throw .unknownIdentifier }
      do throws(LoadError) { return try state.store.counts(row) } catch { throw .directory(error) }
    }
  }
}

extension SimulatedPhone.PhoneState {
  /// An extension that is not being loaded.
  func idle(_ identifier: String) throws(RegistryError) -> SimulatedPhone.Registration {
    guard let registration = registrations[identifier] else { throw .unknownIdentifier }
    if registration.state == .loading { throw .loading }
    return registration
  }

  /// Writes an extension's priority and state to the store.
  func record(_ identifier: String) throws(RegistryError) {
    do throws(LoadError) { try recordLoad(identifier) } catch { throw .directory(error) }
  }

  /// The same, within a load.
  func recordLoad(_ identifier: String) throws(LoadError) {
    guard let registration = registrations[identifier], let place = order.firstIndex(of: identifier) else {
      return
    }
    try store.set(
      registration.row, identifier: identifier, priority: Int64(place), state: registration.state)
  }
}
