// A phone with Call Directory extensions and incoming calls: its extensions and their order, their entries, the
// contacts, and the reaction to calls.
//
// Not for Apple's classes (CallKit, IdentityLookup) or connecting them to this phone (FrameworkServices).

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

  /// The owner's settings.
  struct Owner {
    var contacts: [(name: String, number: Int64)] = []
    var blocked: Set<Int64> = []
    var called: Set<Int64> = []
    var callingCode: Int64 = 1
  }

  /// An extension on the phone.
  struct Registration {
    let row: Int64
    var program: ExtensionProgram
    var state = ExtensionState.disabled
    /// The extension's state before the current request.
    var stateBefore = ExtensionState.disabled
    var lastOutcome: LoadOutcome?
  }

  struct PhoneState {
    let store: any DirectoryStore
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
    let store: any DirectoryStore
    switch storage {
    case .database(let path): store = try DirectoryDatabase(path: path, assumptions)
    case .counting(let numbers): store = DirectoryCounts(watching: numbers, assumptions)
    }
    self.assumptions = assumptions
    state = Mutex(PhoneState(store: store))
  }
}
