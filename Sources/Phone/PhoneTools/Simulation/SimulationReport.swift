// The loads of a simulated phone and its reactions to calls, and the report as text and as JSON.

import CallDeltaReader
import CallStoreReader
package import Records
package import SimulatedPhone
import StoreWriting
import SystemPackage

package struct SimulationReport {
  package struct Request {
    package var file: String
    /// Whether the extension had loaded an earlier store before.
    var isUpdate: Bool
    var outcome: LoadOutcome
  }

  package struct Extension {
    package var file: String
    var requests: [Request] = []
    /// Why everything is loaded again instead of deltas; nil if it is not.
    var withoutDeltas: WithoutDeltas?
    /// The size of the files that an app downloads for the update.
    var bytesToDownload: UInt64 = 0
    /// Whether an earlier store was loaded before.
    var hasEarlierStore = false
    /// Whether the store was loaded before.
    var isUnchanged = false
    package var entries = EntryCounts()
    /// The estimated time of all requests on a phone, in seconds.
    var seconds: Double { requests.reduce(0) { $0 + PhoneTime.seconds($1.outcome.report) } }
    package var loads: Bool { requests.allSatisfy(\.outcome.isSuccess) }
  }

  /// An update for which no deltas are loaded.
  package struct WithoutDeltas {
    /// The store that was loaded before.
    package var from: String
    /// Whether there are deltas, larger than a quarter of the new store. Otherwise none start from the store.
    package var areLarge: Bool
  }

  package struct Update: Encodable {
    var removals = 0
    var blockingAdded = 0
    /// The number of labelled numbers that were added.
    var identificationAdded = 0
    /// The size of the files that an app downloads, in bytes.
    package var bytes: UInt64 = 0
    /// The estimated time on a phone in seconds.
    var phoneSeconds = 0.0
    /// The estimated time of the first loads on a phone in seconds.
    var firstLoadSeconds = 0.0
  }

  package struct Call: Encodable {
    private enum CodingKeys: CodingKey { case number, answer, label, file }

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

  package var extensions: [Extension] = []
  package var calls: [Call] = []

  /// Whether all loads succeeded.
  package var loads: Bool { extensions.allSatisfy(\.loads) }

  /// The estimated time of all loads on a phone, one after another, in seconds.
  var seconds: Double { extensions.reduce(0) { $0 + $1.seconds } }

  /// What the updates changed; nil if no earlier stores were loaded before.
  package var update: Update? {
    guard extensions.contains(where: \.hasEarlierStore) else { return nil }
    var update = Update(bytes: extensions.reduce(0) { $0 + $1.bytesToDownload })
    for request in extensions.flatMap(\.requests) {
      let report = request.outcome.report
      guard request.isUpdate else {
        update.firstLoadSeconds += PhoneTime.seconds(report)
        continue
      }
      update.removals += report.removalsAsked
      update.blockingAdded += report.blockingAdded
      update.identificationAdded += report.identificationAdded
      update.phoneSeconds += PhoneTime.seconds(report)
    }
    return update
  }

  package var entries: Int { extensions.reduce(0) { $0 + $1.entries.blocking + $1.entries.identification } }
}

// The approximate time that a phone needs for a load.
//
// The rates are from a report on an iPhone 13 with iOS 26: 1,900,000 numbers to block in 12 s, and the same count of
// labelled numbers in 47.6 s. Another report has 1,000,000 labels in 100 s, so older phones need more than twice as
// long. docs/ios/call-directory.md cites both.

package enum PhoneTime {
  private static let blockedInASecond = 1_900_000 / 12.0
  private static let labelledInASecond = 1_900_000 / 47.6

  /// Estimates the seconds of a request. There are no measurements of removals; they count like additions with labels.
  static func seconds(_ report: LoadReport) -> Double {
    Double(report.blockingAdded) / blockedInASecond
      + Double(report.identificationAdded + report.removalsAsked) / labelledInASecond
  }
}

package enum SimulationText {
  package static func failures(_ report: SimulationReport) -> [UserMessage] {
    report.extensions.flatMap(\.requests).compactMap { request in
      request.outcome.failure.map { PhoneText.message($0, request.outcome, request.file) }
    }
  }

  // MARK: Text

  /// Lists what was loaded, one line per request, and what the phone shows for each call.
  package static func lines(_ report: SimulationReport) -> [String] {
    // A label or a file name could contain control sequences.
    func shown(_ text: String) -> String { PrintableText.name(text) }
    var lines: [String] = []
    for one in report.extensions {
      for request in one.requests where request.outcome.isSuccess {
        lines.append("\(shown(request.file)): \(line(request.outcome.report))")
      }
      if one.isUnchanged { lines.append("\(shown(one.file)): nothing has changed") }
      if let without = one.withoutDeltas {
        let reason =
          without.areLarge
          ? "the deltas from '\(shown(without.from))' are larger than a quarter of it"
          : "no deltas lead from '\(shown(without.from))' to it"
        lines.append("\(shown(one.file)): \(reason), so it is loaded completely")
      }
    }
    if let update = report.update, report.loads {
      lines.append(line(update))
    } else if report.extensions.count > 1, report.loads {
      lines.append(
        "\(report.extensions.count) extensions with "
          + Figures.counted(UInt64(clamping: report.entries), "entry", plural: "entries") + " in total; "
          + "loading all of them takes \(time(report.seconds)) on a phone")
    }
    for call in report.calls {
      let label = call.label.map(shown)
      let by = call.file.map { " (\(shown($0)))" } ?? ""
      let shows =
        label.map { "shows '\($0)'" } ?? (call.answer == "blocked" ? "is blocked" : "shows the number only")
      lines.append("a call from \(shown(call.text)) \(shows)\(by)")
    }
    return lines
  }

  private static func line(_ update: SimulationReport.Update) -> String {
    let changes = changes(update.removals, update.blockingAdded, update.identificationAdded)
    let loads =
      update.bytes == 0
      ? "nothing to load"
      : "\(changes), \(Figures.bytes(update.bytes)) to download; \(time(update.phoneSeconds)) on a phone"
    return "update: \(loads); first load: \(time(update.firstLoadSeconds))"
  }

  private static func changes(_ removed: Int, _ blocking: Int, _ identification: Int) -> String {
    var parts: [String] = []
    if removed > 0 { parts.append("\(figure(removed)) removed") }
    if blocking > 0 { parts.append("\(figure(blocking)) to block") }
    if identification > 0 { parts.append("\(figure(identification)) to identify") }
    return parts.isEmpty ? "no entries" : parts.joined(separator: ", ")
  }

  private static func line(_ report: LoadReport) -> String {
    let changes = changes(report.removalsAsked, report.blockingAdded, report.identificationAdded)
    let verb = report.isIncremental ? "changes" : "loads"
    let batches = report.batches == 1 ? "1 batch" : "\(figure(report.batches)) batches"
    let memory = report.privateBytesMax.map { ", with \(Figures.bytes($0)) of memory" } ?? ""
    return "\(verb): \(changes), in \(batches)\(memory); "
      + "\(time(PhoneTime.seconds(report))) on a phone"
  }

  private static func figure(_ count: Int) -> String { Figures.grouped(UInt64(clamping: count)) }

  /// `less than a second`, `about 51 s`, `about 43 min`
  private static func time(_ seconds: Double) -> String {
    if seconds < 1 { return "less than a second" }
    if seconds < 100 { return "about \(Int(seconds.rounded())) s" }
    return "about \(Int((seconds / 60).rounded())) min"
  }

  // MARK: JSON

  package static func json(_ report: SimulationReport) -> String {
    JSONDocument.text(SimulationDocument(report))
  }
}

private struct SimulationDocument: Encodable {
  struct FailedLoad: Encodable {
    var domain: String
    var code: Int
    var name: String?
    var meaning: String
    var hint: String?
  }
  struct Request: Encodable {
    var file: String
    var isIncremental: Bool
    var blockingAdded: Int
    var identificationAdded: Int
    var removals: Int
    var batches: Int
    var privateBytes: Int?
    var phoneSeconds: Double
    var error: FailedLoad?
  }
  struct Extension: Encodable {
    var file: String
    var loads: Bool
    var entries: EntryCounts
    var withoutDeltasFrom: String?
    var requests: [Request]
  }
  var loads: Bool
  var phoneSeconds: Double
  /// Only with --incremental.
  var update: SimulationReport.Update?
  var extensions: [Extension]
  var calls: [SimulationReport.Call]

  init(_ report: SimulationReport) {
    loads = report.loads
    phoneSeconds = Self.tenths(report.seconds)
    update = report.update.map { update in
      var rounded = update
      rounded.phoneSeconds = Self.tenths(update.phoneSeconds)
      rounded.firstLoadSeconds = Self.tenths(update.firstLoadSeconds)
      return rounded
    }
    extensions = report.extensions.map(Self.extension)
    calls = report.calls
  }

  private static func `extension`(_ one: SimulationReport.Extension) -> Extension {
    Extension(
      file: one.file, loads: one.loads,
      entries: one.entries, withoutDeltasFrom: one.withoutDeltas?.from, requests: one.requests.map(request))
  }

  private static func request(_ request: SimulationReport.Request) -> Request {
    let report = request.outcome.report
    return Request(
      file: request.file, isIncremental: report.isIncremental, blockingAdded: report.blockingAdded,
      identificationAdded: report.identificationAdded, removals: report.removalsAsked,
      batches: report.batches, privateBytes: report.privateBytesMax,
      phoneSeconds: tenths(PhoneTime.seconds(report)), error: failedLoad(request))
  }

  private static func failedLoad(_ request: SimulationReport.Request) -> FailedLoad? {
    guard let failure = request.outcome.failure else { return nil }
    let meaning = PhoneText.meaning(failure, request.outcome.interruption)
    return FailedLoad(
      domain: failure.domain, code: failure.code, name: PhoneText.name(of: failure),
      meaning: meaning.message, hint: meaning.hint)
  }

  private static func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
}

/// Describes errors of a phone: their codes, their meaning, and what to do.
enum PhoneText {
  static func message(_ error: LoadError, _ outcome: LoadOutcome, _ path: String) -> UserMessage {
    let meaning = meaning(error, outcome.interruption)
    let name = name(of: error).map { " (\($0))" } ?? ""
    return UserMessage(
      "'\(path)' does not load: iOS error \(error.code)\(name): \(meaning.message)", hint: meaning.hint)
  }

  /// The name of an error in Apple's enum.
  static func name(of error: LoadError) -> String? {
    guard case .directory(let code) = error, code != .extensionUnavailable else { return nil }
    return "\(code)"
  }

  /// What an error means, and what to do.
  static func meaning(_ error: LoadError, _ interruption: LoadInterruption?) -> UserMessage {
    if let interruption { return meaning(interruption) }
    switch error {
    case .directory(let code): return meaning(code)
    case .database(let code): return UserMessage("the directory's database failed with SQLite error \(code)")
    case .cancelled(let reason): return UserMessage("the extension cancelled the request: \(reason.text)")
    }
  }

  private static func meaning(_ code: CallDirectoryErrorCode) -> UserMessage {
    switch code {
    case .unknown: UserMessage("the directory can't be opened or changed")
    case .noExtensionFound: UserMessage("the extension does not exist")
    case .loadingInterrupted: UserMessage("the extension ended during the request")
    case .entriesOutOfOrder: UserMessage("a number is lower than the previous one")
    case .duplicateEntries: UserMessage("a number occurs twice")
    case .maximumEntriesExceeded:
      UserMessage(
        "a request must have fewer than 2,000,000 entries of both kinds together",
        hint: "write shards of 1,999,999 entries, one per extension: cdpipe emit --format store -o DIR")
    case .extensionDisabled: UserMessage("the extension is switched off")
    case .currentlyLoading: UserMessage("the extension is being loaded")
    case .unexpectedIncrementalRemoval: UserMessage("a removal in a request that is not incremental")
    case .extensionUnavailable:
      UserMessage("the extension is unavailable; Apple's enum does not contain this number")
    }
  }

  private static func meaning(_ interruption: LoadInterruption) -> UserMessage {
    switch interruption {
    case .memory(let held, let limit):
      UserMessage(
        "the extension's process was ended: it used \(Figures.bytes(held)) of memory; the limit is "
          + Figures.byteLimit(UInt64(clamping: limit)))
    case .killed: UserMessage("the extension's process was killed")
    case .signal(let number): UserMessage("the extension's process ended by signal \(number)")
    case .exit(let status): UserMessage("the extension's process ended with status \(status)")
    case .timeLimit: UserMessage("the extension took too long")
    case .exception: UserMessage("the extension raised an exception")
    case .nonsense: UserMessage("the extension sent an invalid message")
    case .notStarted(let code):
      UserMessage("cannot start the extension's process: \(SystemText.reason(Errno(rawValue: code)))")
    }
  }
}
