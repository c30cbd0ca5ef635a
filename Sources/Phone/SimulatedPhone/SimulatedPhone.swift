// A phone with Call Directory extensions and incoming calls: its extensions and their order, the owner's settings for
// them, and the assumptions about undocumented behaviour.

import Synchronization
import SystemIO

/// The number of a request, so that a late call of an ended request can't affect the next one.
typealias LoadNumber = UInt64

/// A simulated phone. Usable from any thread.
///
/// ```swift
/// let phone = try SimulatedPhone()
/// try phone.install("com.example.app.directory", .inProcess { request in
///   request.addBlocking(15_550_100)
///   _ = request.complete()
/// })
/// phone.switchOn("com.example.app.directory").isSuccess      // true
/// try phone.answer(IncomingCall(from: "+1 555 0100"))        // .blocked(by: .extension("com.example.app.directory"))
/// ```
public final class SimulatedPhone: Sendable {
  /// The maximum number of extensions on a phone: far more than the 51 of the largest known app, and fast to search.
  public static let extensionsMax = 1_000

  /// Where entries are stored.
  public enum Storage: Sendable {
    /// In SQLite, in a new file at a path, or in an unnamed temporary file.
    case database(path: String?)
    /// Entries are counted; only those of the watched numbers are stored.
    case counting(watching: Set<Int64>)
  }

  struct Owner {
    var contacts: [(name: String, number: Int64)] = []
    var blocked: Set<Int64> = []
    var called: Set<Int64> = []
    var callingCode: Int64 = 1
  }

  struct Registration {
    let row: Int64
    var program: ExtensionProgram
    var state = ExtensionState.disabled
    /// The extension's state before the current request.
    var stateBefore = ExtensionState.disabled
    var lastOutcome: LoadOutcome?
  }

  struct PhoneState {
    let store: any CallDirectoryEntries
    var registrations: [String: Registration] = [:]
    /// The identifiers, highest priority first.
    var order: [String] = []
    var nextRow: Int64 = 1
    var loads: [LoadNumber: RunningLoad] = [:]
    var nextLoad: LoadNumber = 1
    var owner = Owner()
  }

  /// The assumptions about undocumented behaviour.
  public let assumptions: PhoneAssumptions
  let state: Mutex<PhoneState>

  /// Creates a phone without extensions. Throws if the directory can't be created.
  public init(
    _ storage: Storage = .database(path: nil), assumptions: PhoneAssumptions = PhoneAssumptions()
  ) throws(LoadError) {
    let store: any CallDirectoryEntries
    switch storage {
    case .database(let path): store = try CallDirectoryDatabase(path: path, assumptions)
    case .counting(let numbers): store = CallDirectoryCounts(watching: numbers, assumptions)
    }
    self.assumptions = assumptions
    state = Mutex(PhoneState(store: store))
  }
}

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

/// The assumptions about undocumented behaviour of iOS. Each was observed in iOS builds or is a choice;
/// docs/ios/simulated-phone.md lists which.
public struct PhoneAssumptions: Sendable, Equatable {
  /// Which identification entries an extension may store for the same number.
  public enum LabelsPerNumber: Sendable, Equatable {
    /// Two incremental loads may store two labels for a number; the same label twice is rejected. Assumed because
    /// Apple's header mentions several labels.
    case several
    /// A number has one label per extension; a second one is rejected.
    case one
  }

  /// The number of additions of both kinds together at which a request is rejected; the maximum is one fewer.
  public var additionsRefusedAt = 2_000_000
  /// Whether a failed load removes all entries of the extension.
  public var failureRemovesEntries = true
  /// Whether an extension that was loaded before stays enabled after a failed load.
  public var failureKeepsEnabled = true
  /// Which identification entries may be stored for the same number.
  public var labelsPerNumber = LabelsPerNumber.several
  /// The time limit for `requestFailed`, after which the extension is ended.
  public var requestFailedWait = Duration.seconds(10)
  /// The time limit for a request. iOS's limit is unknown; this one stops tests with a broken handler and is far above
  /// the slowest reported load.
  public var requestTime = Duration.seconds(600)
  /// Whether numbers that the owner has called are no longer blocked (reported for iOS 26).
  public var calledNumbersAreNotBlocked = false

  /// Creates the most likely assumptions.
  public init() {}
}
