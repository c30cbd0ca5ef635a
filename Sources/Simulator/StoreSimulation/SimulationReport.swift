// What a simulated phone loaded, and what it shows for calls.
//
// Not for: the report as text or JSON (SimulationMessages).

public import SimulatedPhone

/// The result of a simulation.
public struct SimulationReport {
  /// One request.
  public struct Request {
    /// The loaded file.
    public var file: String
    /// The outcome.
    public var outcome: LoadOutcome
  }

  /// One extension.
  public struct Extension {
    /// The store to load.
    public var file: String
    /// The requests.
    public var requests: [Request] = []
    /// The store loaded before, if no deltas lead from it.
    public var withoutDeltasFrom: String?
    /// Whether the store was loaded before.
    public var isUnchanged = false
    /// The extension's entries at the end.
    public var entries = EntryCounts()
    /// The seconds.
    public var seconds: Double { requests.reduce(0) { $0 + PhoneTime.seconds($1.outcome.report) } }
    /// The loads.
    public var loads: Bool { requests.allSatisfy(\.outcome.isSuccess) }
  }

  /// One call.
  public struct Call {
    /// The text.
    public var text: String
    /// The number.
    public var number: Int64
    /// `blocked`, `identified` or `unknown`: the simulated phone has no contacts and no blocked contacts.
    public var answer: String
    /// The label.
    public var label: String?
    /// The store that contains the number.
    public var file: String?

    /// The init.
    public init(text: String, number: Int64, answer: CallAnswer, file name: (String) -> String) {
      self.text = text
      self.number = number
      switch answer {
      case .blocked(by: .extension(let identifier)):
        self.answer = "blocked"
        file = name(identifier)
      case .identified(let label, let identifier):
        self.answer = "identified"
        self.label = label
        file = name(identifier)
      case .unknown, .contact, .blocked(by: .owner): self.answer = "unknown"
      }
    }
  }

  /// The extensions.
  public var extensions: [Extension] = []
  /// The calls.
  public var calls: [Call] = []

  /// Whether all loads succeed.
  public var loads: Bool { extensions.allSatisfy(\.loads) }

  /// The time that a phone needs for all the loads, one after another, in seconds.
  public var seconds: Double { extensions.reduce(0) { $0 + $1.seconds } }

  /// The number of entries of all extensions.
  public var entries: Int { extensions.reduce(0) { $0 + $1.entries.blocking + $1.entries.identification } }
}
