// The loads of a simulated phone and its reactions to calls.
//
// Not for formatting the report as text or JSON (SimulationMessages).

package import SimulatedPhone

/// The result of a simulation.
package struct SimulationReport {
  /// The result of one request.
  package struct Request {
    /// The file that was loaded.
    package var file: String
    /// The size of the file in bytes.
    package var fileBytes: UInt64
    /// Whether the extension had loaded an earlier store before.
    package var isUpdate: Bool
    /// The outcome.
    package var outcome: LoadOutcome
  }

  /// The results of one extension.
  package struct Extension {
    /// The store to load.
    package var file: String
    /// The requests.
    package var requests: [Request] = []
    /// The store loaded before, if no deltas start from it.
    package var withoutDeltasFrom: String?
    /// Whether an earlier store was loaded before.
    package var hasEarlierStore = false
    /// Whether the store was loaded before.
    package var isUnchanged = false
    /// The extension's entries at the end.
    package var entries = EntryCounts()
    /// The estimated time of all requests on a phone, in seconds.
    package var seconds: Double { requests.reduce(0) { $0 + PhoneTime.seconds($1.outcome.report) } }
    /// Whether all requests succeeded.
    package var loads: Bool { requests.allSatisfy(\.outcome.isSuccess) }
  }

  /// What all updates together changed.
  package struct Update {
    /// The number of entries that were removed.
    package var removals = 0
    /// The number of numbers to block that were added.
    package var blockingAdded = 0
    /// The number of labelled numbers that were added.
    package var identificationAdded = 0
    /// The size of the files that an app downloads, in bytes.
    package var bytes: UInt64 = 0
    /// The estimated time on a phone in seconds.
    package var seconds = 0.0
    /// The estimated time of the first loads on a phone in seconds.
    package var firstLoadSeconds = 0.0
  }

  /// The phone's reaction to one call.
  package struct Call {
    /// The caller's number as typed.
    package var text: String
    /// The caller's number in E.164 form.
    package var number: Int64
    /// `blocked`, `identified` or `unknown`: the simulated phone has no contacts and no blocked contacts.
    package var answer: String
    /// The label that the phone shows; nil if none.
    package var label: String?
    /// The store that contains the number; nil if none.
    package var file: String?

    /// Creates the report of a call. `name` returns the store of an extension's identifier.
    package init(text: String, number: Int64, answer: CallAnswer, file name: (String) -> String) {
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

  /// The results by extension.
  package var extensions: [Extension] = []
  /// The reactions to calls.
  package var calls: [Call] = []

  /// Whether all loads succeeded.
  package var loads: Bool { extensions.allSatisfy(\.loads) }

  /// The estimated time of all loads on a phone, one after another, in seconds.
  package var seconds: Double { extensions.reduce(0) { $0 + $1.seconds } }

  /// What the updates changed; nil if no earlier stores were loaded before.
  package var update: Update? {
    guard extensions.contains(where: \.hasEarlierStore) else { return nil }
    var update = Update()
    var files: Set<String> = []
    for request in extensions.flatMap(\.requests) {
      let report = request.outcome.report
      guard request.isUpdate else {
        update.firstLoadSeconds += PhoneTime.seconds(report)
        continue
      }
      update.removals += report.removalsAsked
      update.blockingAdded += report.blockingAdded
      update.identificationAdded += report.identificationAdded
      update.seconds += PhoneTime.seconds(report)
      if files.insert(request.file).inserted { update.bytes += request.fileBytes }
    }
    return update
  }

  /// The number of entries of all extensions.
  package var entries: Int { extensions.reduce(0) { $0 + $1.entries.blocking + $1.entries.identification } }
}
