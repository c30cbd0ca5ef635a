// A row of the table of rules: the loads of an extension, and the expected result.

import SimulatedPhone
import Testing

/// A rule of the Call Directory, and its evidence.
struct Rule: Sendable, CustomTestStringConvertible {
  /// The grades of evidence, as in `docs/ios/simulated-phone.md`.
  enum Grade: String, Sendable {
    case header = "H"
    case documented = "D"
    case observed = "X"
    case measured = "M"
  }

  typealias Load = @Sendable (ExtensionRequest) -> Void

  var text: String
  var grade: Grade
  /// The actions of the extension; the first load is started by the switch in Settings.
  var loads: [Load]
  /// The error of the last load; nil if it succeeds.
  var failure: LoadError?
  var interruption: LoadInterruption?
  /// The entries on the phone at the end.
  var holds: EntryCounts
  /// The extension's state at the end.
  var state: ExtensionState
  /// The number of additions that are refused.
  var limit: Int
  /// Additional checks: the phone at the end, and the result of the last load.
  var also: @Sendable (SimulatedPhone, LoadOutcome) throws -> Void

  var testDescription: String { "[\(grade.rawValue)] \(text)" }

  init(
    _ grade: Grade, _ text: String, _ loads: [Load], fails failure: LoadError? = nil,
    interruption: LoadInterruption? = nil, holds: EntryCounts = EntryCounts(), state: ExtensionState? = nil,
    limit: Int = 2_000_000,
    also: @escaping @Sendable (SimulatedPhone, LoadOutcome) throws -> Void = { _, _ in }
  ) {
    self.text = text
    self.grade = grade
    self.loads = loads
    self.failure = failure
    self.interruption = interruption
    self.holds = holds
    self.state = state ?? (failure == nil || loads.count > 1 ? .loaded : .disabled)
    self.limit = limit
    self.also = also
  }

  static let identifier = "com.example.rules.directory"

  /// A limit of additions that is small enough for tests. One test uses the real one.
  static let smallLimit = 1_000

  /// Runs the loads on a new phone, and checks the end.
  func check(_ storage: SimulatedPhone.Storage) throws {
    var assumptions = PhoneAssumptions()
    assumptions.requestTime = .seconds(60)
    assumptions.additionsRefusedAt = limit
    let phone = try SimulatedPhone(storage, assumptions: assumptions)
    var last: LoadOutcome?
    for (place, load) in loads.enumerated() {
      if place == 0 {
        try phone.install(Self.identifier, .inProcess(load))
        last = phone.switchOn(Self.identifier)
      } else {
        // One rule is about the load after a failure.
        #expect(
          last?.isSuccess == true || text.hasPrefix("after a failed load") && place == 2, "load \(place)")
        try phone.update(Self.identifier, .inProcess(load))
        last = phone.load(Self.identifier)
      }
    }
    let outcome = try #require(last)
    #expect(outcome.failure == failure)
    #expect(outcome.interruption == interruption)
    #expect(try phone.entryCounts(Self.identifier) == holds)
    #expect(phone.extensionState(Self.identifier) == state)
    try also(phone, outcome)
  }
}
