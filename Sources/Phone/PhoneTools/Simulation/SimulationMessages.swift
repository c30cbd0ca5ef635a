// The report of a simulated phone as text and as JSON.

package import Records
import FoundationEssentials
import SimulatedPhone

/// Formats reports of simulations.
package enum SimulationMessages {
  /// Describes the loads that failed.
  package static func failures(_ report: SimulationReport) -> [UserMessage] {
    report.extensions.flatMap(\.requests).compactMap { request in
      request.outcome.failure.map { PhoneMessages.message($0, request.outcome, request.file) }
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
      if let former = one.withoutDeltasFrom {
        lines.append(
          "\(shown(one.file)): no deltas lead from '\(shown(former))' to it, so it is loaded completely")
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
      : "\(changes), \(Figures.bytes(update.bytes)) to download; \(time(update.seconds)) on a phone"
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

  /// Formats the report as a JSON object.
  package static func json(_ report: SimulationReport) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // Numbers and text only: encoding can't fail.
    return String(decoding: (try? encoder.encode(SimulationDocument(report))) ?? Data(), as: UTF8.self)
  }
}

/// The JSON form of a simulation report.
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
  struct EntriesByKind: Encodable {
    var blocking: Int
    var identification: Int
  }
  struct Extension: Encodable {
    var file: String
    var loads: Bool
    var entries: EntriesByKind
    var withoutDeltasFrom: String?
    var requests: [Request]
  }
  struct Call: Encodable {
    var number: Int64
    var answer: String
    var label: String?
    var file: String?
  }
  struct Update: Encodable {
    var removals: Int
    var blockingAdded: Int
    var identificationAdded: Int
    var bytes: UInt64
    var phoneSeconds: Double
    var firstLoadSeconds: Double
  }
  var loads: Bool
  var phoneSeconds: Double
  /// Only with --incremental.
  var update: Update?
  var extensions: [Extension]
  var calls: [Call]

  init(_ report: SimulationReport) {
    loads = report.loads
    phoneSeconds = Self.tenths(report.seconds)
    update = report.update.map { update in
      Update(
        removals: update.removals, blockingAdded: update.blockingAdded,
        identificationAdded: update.identificationAdded, bytes: update.bytes,
        phoneSeconds: Self.tenths(update.seconds), firstLoadSeconds: Self.tenths(update.firstLoadSeconds))
    }
    extensions = report.extensions.map(Self.extension)
    calls = report.calls.map { Call(number: $0.number, answer: $0.answer, label: $0.label, file: $0.file) }
  }

  private static func `extension`(_ one: SimulationReport.Extension) -> Extension {
    Extension(
      file: one.file, loads: one.loads,
      entries: EntriesByKind(blocking: one.entries.blocking, identification: one.entries.identification),
      withoutDeltasFrom: one.withoutDeltasFrom, requests: one.requests.map(request))
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
    let meaning = PhoneMessages.meaning(failure, request.outcome.interruption)
    return FailedLoad(
      domain: failure.domain, code: failure.code, name: PhoneMessages.name(of: failure),
      meaning: meaning.message, hint: meaning.hint)
  }

  private static func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
}
