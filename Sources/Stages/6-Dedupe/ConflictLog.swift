// The conflicts file: every decision of dedupe, one per line.

import Records
import SystemIO

/// Writes decisions: the numbers, the record that is kept, the one that is dropped, and why.
///
/// Every number that a record loses is logged once. The record that wins it may lose it to a more specific one; that is
/// logged on a separate line.
final class ConflictLog {
  /// The number of buffered bytes at which lines are written to the file.
  private static let flushBytes = 64 << 10

  private let format: DedupeOptions.ConflictsFormat
  private let meter: StageMeter
  private var file: OutputFile?
  private var lines: [UInt8] = []

  init(
    _ path: String, _ format: DedupeOptions.ConflictsFormat, _ meter: StageMeter, calls: any SystemCalls
  ) throws(SystemError) {
    self.format = format
    self.meter = meter
    file = try OutputFile(path, calls: calls)
  }

  /// Logs that `kept` wins the numbers from `first` to `last`, which `dropped` loses; with the votes for `kept`, if they
  /// are counted.
  func add(
    first: UInt64, last: UInt64, kept: Span<UInt8>, dropped: Span<UInt8>, _ decision: DecisionReason,
    _ votes: Votes?
  ) throws(Failure) {
    meter.conflicts.add(1)
    switch format {
    case .tsv: appendColumns(first, last, kept, dropped, decision.rawValue, votes)
    case .jsonl:
      appendObject(
        first, last, decision.rawValue, kept: RecordFields.fields(kept), RecordFields.fields(dropped), votes)
    }
    if lines.count >= Self.flushBytes { try flush() }
  }

  /// Logs that a range is inferred, with the numbers that are listed in it as votes.
  func add(first: UInt64, last: UInt64, inferred: Span<UInt8>, _ votes: Votes) throws(Failure) {
    let none: [UInt8] = []
    try add(first: first, last: last, kept: inferred, dropped: none.span, .inferred, votes)
  }

  /// Logs that a record is left out without another one covering its numbers.
  func add(
    first: UInt64, last: UInt64, leftOut dropped: Span<UInt8>, _ reason: LeftOutReason, _ votes: Votes?
  ) throws(Failure) {
    meter.conflicts.add(1)
    let none: [UInt8] = []
    switch format {
    case .tsv: appendColumns(first, last, none.span, dropped, reason.rawValue, votes)
    case .jsonl:
      appendObject(first, last, reason.rawValue, kept: nil, RecordFields.fields(dropped), votes)
    }
    if lines.count >= Self.flushBytes { try flush() }
  }

  /// `numbers, kept, dropped, why, kept source, dropped source, kept score, dropped score, kept day, dropped day, votes,
  /// sources`. As in the text form, trailing empty columns are omitted; the fields are escaped already.
  private func appendColumns(
    _ first: UInt64, _ last: UInt64, _ kept: Span<UInt8>, _ dropped: Span<UInt8>, _ why: String,
    _ votes: Votes?
  ) {
    lines.append(contentsOf: String(first).utf8)
    if first != last { lines.append(contentsOf: "..\(last)".utf8) }
    let winner = RecordFields.parts(kept)
    let loser = RecordFields.parts(dropped)
    append(column: kept, winner.label)
    append(column: dropped, loser.label)
    lines.append(UInt8(ascii: "\t"))
    lines.append(contentsOf: why.utf8)
    append(column: kept, winner.source)
    append(column: dropped, loser.source)
    append(column: kept, winner.score)
    append(column: dropped, loser.score)
    append(column: kept, winner.day)
    append(column: dropped, loser.day)
    if let votes { lines.append(contentsOf: "\t\(votes.records)\t\(votes.sources)".utf8) }
    // The reason is never empty, so the loop stops there.
    while lines.last == UInt8(ascii: "\t") { lines.removeLast() }
    lines.append(UInt8(ascii: "\n"))
  }

  private func append(column recordFields: Span<UInt8>, _ range: Range<Int>) {
    lines.append(UInt8(ascii: "\t"))
    lines.append(copying: recordFields.extracting(range))
  }

  /// `{"number":…,"last":…,"why":"…","kept":{…},"dropped":{…},"votes":…,"sources":…}`, without empty members.
  private func appendObject(
    _ first: UInt64, _ last: UInt64, _ why: String, kept: RecordFields.Fields?,
    _ dropped: RecordFields.Fields,
    _ votes: Votes?
  ) {
    var text = "{\"number\":\(first)"
    if first != last { text += ",\"last\":\(last)" }
    text += ",\"why\":\"\(why)\""
    if let kept { text += ",\"kept\":\(Self.object(kept))" }
    if dropped != RecordFields.Fields() || why != DecisionReason.inferred.rawValue {
      text += ",\"dropped\":\(Self.object(dropped))"
    }
    if let votes { text += ",\"votes\":\(votes.records),\"sources\":\(votes.sources)" }
    text += "}\n"
    lines.append(contentsOf: text.utf8)
  }

  private static func object(_ fields: RecordFields.Fields) -> String {
    var members: [String] = []
    if !fields.label.isEmpty { members.append("\"label\":\(JSONQuoting.quoted(fields.label))") }
    if !fields.source.isEmpty { members.append("\"source\":\(JSONQuoting.quoted(fields.source))") }
    if let score = fields.score { members.append("\"score\":\(score)") }
    if let day = fields.day { members.append("\"day\":\"\(day.text)\"") }
    return "{" + members.joined(separator: ",") + "}"
  }

  func flush() throws(Failure) {
    do throws(SystemError) { try file?.write(lines.span) } catch { throw Failure(.dedupe, error) }
    lines.removeAll(keepingCapacity: true)
  }

  func publish() throws(Failure) {
    try asFailure(.dedupe) { () throws(SystemError) in try file.take()?.publish(durably: false) }
  }
}
