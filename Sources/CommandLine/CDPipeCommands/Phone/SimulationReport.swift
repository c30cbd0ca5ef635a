// What a simulated phone did, as text and as JSON.

import FoundationEssentials
import SimulatedPhone
import SystemIO

/// What a simulated phone did.
struct SimulationReport {
  /// One request.
  struct Request {
    /// The file that was loaded.
    var file: String
    var outcome: LoadOutcome
  }

  /// One extension.
  struct Extension {
    /// The store that it is to have.
    var file: String
    var requests: [Request] = []
    /// What it had before, when no deltas lead from there.
    var withoutDeltasFrom: String?
    /// It had before what it is to have.
    var isUnchanged = false
    /// What the phone has of it in the end.
    var entries = EntryCounts()
    var seconds: Double { requests.reduce(0) { $0 + PhoneTime.seconds($1.outcome.report) } }
    var loads: Bool { requests.allSatisfy(\.outcome.isSuccess) }
  }

  /// One call.
  struct Call {
    var text: String
    var number: Int64
    /// `blocked`, `identified` or `unknown`: a phone of this command has no contacts and no lists of its owner's.
    var answer: String
    var label: String?
    /// The store that says so.
    var file: String?

    init(text: String, number: Int64, answer: CallAnswer, file name: (String) -> String) {
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

  var extensions: [Extension] = []
  var calls: [Call] = []

  /// Whether everything would load.
  var loads: Bool { extensions.allSatisfy(\.loads) }

  /// What was refused, in sentences.
  var refusals: [UserMessage] {
    extensions.flatMap(\.requests).compactMap { request in
      request.outcome.failure.map { PhoneMessages.sentence($0, request.outcome, request.file) }
    }
  }

  // MARK: Text

  /// Prints what was loaded, a line a request, and what calls show.
  func show() {
    let isTerminal = RunningProcess.isOutputTerminal
    // A label or a name could hold what a terminal takes for a command.
    func shown(_ text: String) -> String { isTerminal ? RejectMessages.printable(text) : text }
    for one in extensions {
      for request in one.requests where request.outcome.isSuccess {
        print("\(shown(request.file)): \(Self.line(request.outcome.report))")
      }
      if one.isUnchanged { print("\(shown(one.file)): nothing has changed") }
      if let former = one.withoutDeltasFrom {
        print("\(shown(one.file)): no deltas lead to it from '\(shown(former))', so all of it is loaded")
      }
    }
    if extensions.count > 1, loads {
      let entries = extensions.reduce(0) { $0 + $1.entries.blocking + $1.entries.identification }
      let seconds = extensions.reduce(0) { $0 + $1.seconds }
      print(
        "\(extensions.count) extensions have \(Self.figure(entries)) entries; "
          + "one after another, \(PhoneTime.text(seconds)) on a phone")
    }
    for call in calls {
      let label = call.label.map(shown)
      let by = call.file.map { " (\(shown($0)))" } ?? ""
      let shows =
        label.map { "shows '\($0)'" } ?? (call.answer == "blocked" ? "is blocked" : "shows the number only")
      print("a call from \(shown(call.text)) \(shows)\(by)")
    }
  }

  private static func line(_ report: LoadReport) -> String {
    var parts: [String] = []
    if report.removalsAsked > 0 { parts.append("\(figure(report.removalsAsked)) removed") }
    if report.blockingAdded > 0 { parts.append("\(figure(report.blockingAdded)) to block") }
    if report.identificationAdded > 0 { parts.append("\(figure(report.identificationAdded)) to identify") }
    if parts.isEmpty { parts.append("no entries") }
    let verb = report.isIncremental ? "changes" : "loads"
    let batches = report.batches == 1 ? "1 batch" : "\(figure(report.batches)) batches"
    let memory =
      report.privateBytesMax.map { ", with \(ByteSize.text(UInt64(clamping: $0))) of memory" } ?? ""
    return "\(verb): \(parts.joined(separator: ", ")), in \(batches)\(memory); "
      + "\(PhoneTime.text(PhoneTime.seconds(report))) on a phone"
  }

  private static func figure(_ count: Int) -> String { Figures.grouped(UInt64(clamping: count)) }

  // MARK: JSON

  private struct Facts: Encodable {
    struct Refusal: Encodable {
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
      var error: Refusal?
    }
    struct Entries: Encodable {
      var blocking: Int
      var identification: Int
    }
    struct Extension: Encodable {
      var file: String
      var loads: Bool
      var entries: Entries
      var withoutDeltasFrom: String?
      var requests: [Request]
    }
    struct Call: Encodable {
      var number: Int64
      var answer: String
      var label: String?
      var file: String?
    }
    var loads: Bool
    var phoneSeconds: Double
    var extensions: [Extension]
    var calls: [Call]
  }

  /// The report as a JSON object.
  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let facts = Facts(
      loads: loads, phoneSeconds: Self.tenths(extensions.reduce(0) { $0 + $1.seconds }),
      extensions: extensions.map(Self.facts),
      calls: calls.map { Facts.Call(number: $0.number, answer: $0.answer, label: $0.label, file: $0.file) })
    return String(decoding: try encoder.encode(facts), as: UTF8.self)
  }

  private static func facts(_ one: Extension) -> Facts.Extension {
    Facts.Extension(
      file: one.file, loads: one.loads,
      entries: Facts.Entries(blocking: one.entries.blocking, identification: one.entries.identification),
      withoutDeltasFrom: one.withoutDeltasFrom,
      requests: one.requests.map { request in
        let report = request.outcome.report
        return Facts.Request(
          file: request.file, isIncremental: report.isIncremental, blockingAdded: report.blockingAdded,
          identificationAdded: report.identificationAdded, removals: report.removalsAsked,
          batches: report.batches, privateBytes: report.privateBytesMax,
          phoneSeconds: tenths(PhoneTime.seconds(report)), error: refusal(request))
      })
  }

  private static func refusal(_ request: Request) -> Facts.Refusal? {
    guard let failure = request.outcome.failure else { return nil }
    let meaning = PhoneMessages.meaning(failure, request.outcome.interruption)
    return Facts.Refusal(
      domain: failure.domain, code: failure.code, name: PhoneMessages.name(of: failure),
      meaning: meaning.message,
      hint: meaning.hint)
  }

  private static func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
}
