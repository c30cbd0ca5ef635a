// A phone, as far as Call Directory extensions and incoming calls go: which extensions it has and in which order, what
// they loaded, who is in the contacts, and what a call shows.
//
// Not for: Apple's classes (CallKit, IdentityLookup), or how they find this phone (FrameworkServices).

import Synchronization
import SystemIO

/// A request's number, so that a late call of an ended one can't reach the next.
typealias LoadNumber = UInt64

/// A simulated phone. Any thread may use it.
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
  /// The most extensions on one phone: far beyond the 51 of the largest app known, and little to search.
  public static let extensionsMax = 1_000

  /// Where entries are kept.
  public enum Storage: Sendable {
    /// In SQLite, in a new file of that path, or in a nameless temporary one.
    case database(path: String?)
    /// Counted, and only those of these numbers kept.
    case counting(watching: Set<Int64>)
  }

  /// What the owner of the phone has set.
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
    /// Its state before the request that runs.
    var stateBefore = ExtensionState.disabled
    var lastOutcome: LoadOutcome?
  }

  struct PhoneState {
    let store: any DirectoryStore
    var registrations: [String: Registration] = [:]
    /// The identifiers, the highest priority first.
    var order: [String] = []
    var nextRow: Int64 = 1
    var loads: [LoadNumber: RunningLoad] = [:]
    var nextLoad: LoadNumber = 1
    var owner = Owner()
  }

  /// What may be set where Apple documents nothing.
  public let assumptions: PhoneAssumptions
  let state: Mutex<PhoneState>

  /// Creates a phone without extensions. Throws when the directory can't be made.
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
