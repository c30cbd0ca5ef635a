// The extensions of a phone and the owner's settings for them.

import Synchronization

/// How an extension runs.
public enum ExtensionProgram: Sendable {
  /// On a thread of this process. The closure must end the request or drop it.
  case inProcess(@Sendable (ExtensionRequest) -> Void)
  #if os(Linux)
    /// In its own process.
    case child(ChildProgram)
  #endif
}

/// Why an extension could not be installed or changed.
public enum RegistryError: Error, Equatable, Sendable {
  /// An extension with this identifier exists already.
  case identifierTaken
  /// The maximum number of extensions is reached.
  case tooManyExtensions(limit: Int)
  /// No extension has this identifier.
  case unknownIdentifier
  /// The extension is being loaded.
  case loading
  /// The directory reported an error.
  case directory(LoadError)
}

/// CallKit's enabled states.
public enum EnabledStatus: Int, Sendable {
  /// The status is unknown.
  case unknown = 0
  /// The extension is disabled.
  case disabled = 1
  /// The extension is enabled.
  case enabled = 2
}

extension SimulatedPhone {
  /// Installs an extension, disabled and with the lowest priority.
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

  /// Replaces an extension's program, as an app's update does. Its entries stay.
  public func update(_ identifier: String, _ program: ExtensionProgram) throws(RegistryError) {
    try state.withLock { (state) throws(RegistryError) in
      guard state.registrations[identifier] != nil else { throw .unknownIdentifier }
      state.registrations[identifier]?.program = program
    }
  }

  /// Removes an extension and its entries.
  public func uninstall(_ identifier: String) throws(RegistryError) {
    try state.withLock { (state) throws(RegistryError) in
      let registration = try state.idle(identifier)
      state.registrations[identifier] = nil
      state.order.removeAll { $0 == identifier }
      do throws(LoadError) { try state.store.forget(registration.row) } catch { throw .directory(error) }
    }
  }

  /// The extensions, highest priority first.
  public var extensions: [String] { state.withLock { $0.order } }

  /// Sets the order of the extensions, highest priority first. Extensions that are not listed follow in their old
  /// order.
  public func setPriority(_ identifiers: [String]) throws(RegistryError) {
    try state.withLock { (state) throws(RegistryError) in
      for identifier in identifiers where state.registrations[identifier] == nil { throw .unknownIdentifier }
      var seen = Set<String>()
      state.order = (identifiers + state.order).filter { seen.insert($0).inserted }
      for identifier in state.order { try state.record(identifier) }
    }
  }

  /// Disables an extension: its entries are no longer active, and its next load is a full one.
  public func switchOff(_ identifier: String) throws(RegistryError) {
    try state.withLock { (state) throws(RegistryError) in
      _ = try state.idle(identifier)
      state.registrations[identifier]?.state = .disabled
      try state.record(identifier)
    }
  }

  /// Makes an extension unavailable: its loads fail with code 102.
  public func makeUnavailable(_ identifier: String) throws(RegistryError) {
    try state.withLock { (state) throws(RegistryError) in
      _ = try state.idle(identifier)
      state.registrations[identifier]?.state = .unavailable
      try state.record(identifier)
    }
  }

  /// Returns an extension's state; nil if the identifier is unknown.
  public func extensionState(_ identifier: String) -> ExtensionState? {
    state.withLock { $0.registrations[identifier]?.state }
  }

  /// Returns whether an extension is enabled; nil if the identifier is unknown.
  public func enabledStatus(_ identifier: String) -> EnabledStatus? {
    switch extensionState(identifier) {
    case nil: nil
    case .loading, .loaded: .enabled
    case .disabled, .disabling: .disabled
    case .unavailable: .unknown
    }
  }

  /// Returns the outcome of an extension's last load; nil before the first.
  public func lastOutcome(_ identifier: String) -> LoadOutcome? {
    state.withLock { $0.registrations[identifier]?.lastOutcome }
  }

  /// Counts an extension's entries on the phone.
  public func entryCounts(_ identifier: String) throws(RegistryError) -> EntryCounts {
    try state.withLock { (state) throws(RegistryError) in
      guard let row = state.registrations[identifier]?.row else { throw .unknownIdentifier }
      do throws(LoadError) { return try state.store.counts(row) } catch { throw .directory(error) }
    }
  }
}

extension SimulatedPhone.PhoneState {
  /// Returns an extension; throws if it is being loaded.
  func idle(_ identifier: String) throws(RegistryError) -> SimulatedPhone.Registration {
    guard let registration = registrations[identifier] else { throw .unknownIdentifier }
    if registration.state == .loading { throw .loading }
    return registration
  }

  /// Writes an extension's priority and state to the store.
  func record(_ identifier: String) throws(RegistryError) {
    do throws(LoadError) { try recordLoad(identifier) } catch { throw .directory(error) }
  }

  /// Writes an extension's priority and state to the store during a load.
  func recordLoad(_ identifier: String) throws(LoadError) {
    guard let registration = registrations[identifier], let place = order.firstIndex(of: identifier) else {
      return
    }
    try store.set(
      registration.row, identifier: identifier, priority: Int64(place), state: registration.state)
  }
}
