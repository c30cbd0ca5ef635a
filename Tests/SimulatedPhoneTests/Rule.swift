// A row of the table of rules: what an extension does in one load after another, and what must come of it.

import SimulatedPhone
import Testing

/// A rule of the Call Directory, and how certain it is.
struct Rule: Sendable, CustomTestStringConvertible {
  /// How a fact is known, as `docs/ios/simulated-phone.md` grades them.
  enum Grade: String, Sendable {
    case header = "H"
    case documented = "D"
    case observed = "X"
    case measured = "M"
  }

  typealias Load = @Sendable (ExtensionRequest) -> Void

  var text: String
  var grade: Grade
  /// What the extension does; the first load comes with the switch in Settings.
  var loads: [Load]
  /// How the last load fails; nil when it succeeds.
  var failure: LoadError?
  var interruption: LoadInterruption?
  /// What the phone holds in the end.
  var holds: EntryCounts
  /// The state in the end.
  var state: ExtensionState
  /// How many additions are refused.
  var limit: Int
  /// More to look at: the phone in the end, and how the last load ended.
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

  /// A limit of additions that a test can reach quickly. One test reaches the real one.
  static let smallLimit = 1_000

  /// Runs the loads on a fresh phone, and looks at the end.
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
        // One rule is about what comes after a failure.
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
