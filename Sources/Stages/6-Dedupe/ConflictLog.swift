// Every decision of a dedupe, one a line, for who wants to know what became of a record.

import CallRecord
import PipeStage
import SystemIO

/// Writes decisions: the numbers, the record that stays, the one that is dropped, and why.
///
/// Every number that a record loses is told once. The record that it is lost to may lose some of them itself, to one
/// that is more specific yet; that is a line of its own.
final class ConflictLog {
  /// Lines are handed on when so many bytes have come together.
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

  /// Tells that a record goes and another one has its numbers from `first` to `last`.
  func add(
    first: UInt64, last: UInt64, kept: Span<UInt8>, dropped: Span<UInt8>, _ decision: DecisionReason
  ) throws(StageError) {
    meter.conflicts.add(1)
    switch format {
    case .tsv: appendColumns(first, last, kept, dropped, decision.rawValue)
    case .jsonl:
      appendObject(
        first, last, decision.rawValue, kept: RecordFields.fields(kept), RecordFields.fields(dropped))
    }
    if lines.count >= Self.flushBytes { try flush() }
  }

  /// Tells that a record is left out and nothing stands for its numbers.
  func add(
    first: UInt64, last: UInt64, leftOut dropped: Span<UInt8>, _ reason: LeftOutReason
  ) throws(StageError) {
    meter.conflicts.add(1)
    let none: [UInt8] = []
    switch format {
    case .tsv: appendColumns(first, last, none.span, dropped, reason.rawValue)
    case .jsonl: appendObject(first, last, reason.rawValue, kept: nil, RecordFields.fields(dropped))
    }
    if lines.count >= Self.flushBytes { try flush() }
  }

  /// `numbers, kept, dropped, why, kept source, dropped source, kept score, dropped score`; trailing empty columns are
  /// left out, as in the text form, whose escapes the fields have already.
  private func appendColumns(
    _ first: UInt64, _ last: UInt64, _ kept: Span<UInt8>, _ dropped: Span<UInt8>, _ why: String
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
    // The word before them is never empty, so this ends there.
    while lines.last == UInt8(ascii: "\t") { lines.removeLast() }
    lines.append(UInt8(ascii: "\n"))
  }

  private func append(column recordFields: Span<UInt8>, _ range: Range<Int>) {
    lines.append(UInt8(ascii: "\t"))
    lines.append(copying: recordFields.extracting(range))
  }

  /// `{"number":…,"last":…,"why":"…","kept":{…},"dropped":{…}}`; what is empty is left out.
  private func appendObject(
    _ first: UInt64, _ last: UInt64, _ why: String, kept: RecordFields.Fields?, _ dropped: RecordFields.Fields
  ) {
    var text = "{\"number\":\(first)"
    if first != last { text += ",\"last\":\(last)" }
    text += ",\"why\":\"\(why)\""
    if let kept { text += ",\"kept\":\(Self.object(kept))" }
    text += ",\"dropped\":\(Self.object(dropped))}\n"
    lines.append(contentsOf: text.utf8)
  }

  private static func object(_ fields: RecordFields.Fields) -> String {
    var members: [String] = []
    if !fields.label.isEmpty { members.append("\"label\":\(JSONQuoting.quoted(fields.label))") }
    if !fields.source.isEmpty { members.append("\"source\":\(JSONQuoting.quoted(fields.source))") }
    if let score = fields.score { members.append("\"score\":\(score)") }
    return "{" + members.joined(separator: ",") + "}"
  }

  /// Writes what has come together.
  func flush() throws(StageError) {
    do throws(SystemError) {
      try file?.write(lines.span)
    } catch {
      throw StageError(.dedupe, error)
    }
    lines.removeAll(keepingCapacity: true)
  }

  /// Gives the file its name.
  func publish() throws(StageError) {
    guard let file = file.take() else { return }
    do throws(SystemError) {
      try file.publish(durably: false)
    } catch {
      throw StageError(.dedupe, error)
    }
  }
}
