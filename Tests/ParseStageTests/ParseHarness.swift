// Runs the parser on bytes that are cut at any positions, and collects its output.

import Records
import Synchronization
import SystemIO

@testable import InputStages

/// An output row: number text and record fields.
struct RawRow: Equatable, CustomStringConvertible {
  var text: [UInt8]
  var recordFields: [UInt8]

  init(_ text: String, _ recordFields: String) {
    self.text = Array(text.utf8)
    self.recordFields = Array(recordFields.utf8)
  }

  init(text: [UInt8], recordFields: [UInt8]) {
    self.text = text
    self.recordFields = recordFields
  }

  var description: String {
    "\(String(decoding: text, as: UTF8.self))|\(String(decoding: recordFields, as: UTF8.self))"
  }
}

/// A reject.
struct Rejected: Equatable, CustomStringConvertible {
  var place: InputLocation
  var reason: ParseReject?
  var text: String

  var description: String { "\(place) \(reason.map { $0.code } ?? "?") <\(text)>" }
}

/// The results of one run.
struct Outcome: Equatable {
  var rows: [RawRow] = []
  var rejects: [Rejected] = []
  var failure: Failure?
  /// The content of an input that is neither text nor in a known format.
  var content: BinaryContent?
  var bytesIn: UInt64 = 0
  var rowsIn: UInt64 = 0
  var rowsOut: UInt64 = 0
  var rejectCount: UInt64 = 0
  var isFinished = false
  var ordinalsAreRight = true

  var codes: [String] { rejects.map { $0.reason?.code ?? "?" } }
  var lines: [UInt64] {
    rejects.map { if case .line(let line, _, _) = $0.place { line } else { 0 } }
  }
}

final class RowCollector: RawRowSink {
  var rows: [RawRow] = []
  var isFinished = false
  var ordinalsAreRight = true
  /// The number of the first row.
  /// Whether each batch is swapped for a new one, as a sink may.
  var swaps = false

  func receive(_ batch: inout RawRowBatch) throws(Failure) {
    if batch.firstOrdinal != UInt64(rows.count) + 1 { ordinalsAreRight = false }
    for index in 0..<batch.count {
      rows.append(
        RawRow(text: Self.copy(batch[textAt: index]), recordFields: Self.copy(batch[fieldsAt: index])))
    }
    if swaps { batch = RawRowBatch() }
  }

  func finish() throws(Failure) { isFinished = true }

  static func copy(_ span: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<span.count { bytes.append(span[index]) }
    return bytes
  }
}

private final class RejectCollector: Sendable {
  let rejects = Mutex<[Rejected]>([])
}

/// Parses documents one after another. `cuts` are the sizes of the pieces, repeated; if empty, there is one piece.
func parse(
  _ documents: [[UInt8]], _ options: ParseOptions = jsonOptions(), cuts: [Int] = [], heldStep: Int = 1,
  swaps: Bool = false, startBytes: Int = ParseLimits.startBytesMax
) throws -> Outcome {
  let meter = StageMeter(.parse)
  let collector = RejectCollector()
  let log = try RejectLog(observe: { reject, _ in
    collector.rejects.withLock {
      $0.append(
        Rejected(
          place: reject.place, reason: reject.reason as? ParseReject,
          text: String(decoding: reject.text, as: UTF8.self)))
    }
  })
  let sink = RowCollector()
  sink.swaps = swaps
  let rowParser = RowParser(
    options: options, input: "in0", context: StageContext(meter: meter, rejects: log),
    downstream: sink, heldStep: heldStep, startBytes: startBytes)
  let parser = InputDecoder(rowParser)
  var outcome = Outcome()
  do throws(Failure) {
    var turn = 0
    for (ordinal, document) in documents.enumerated() {
      if ordinal > 0 { try parser.nextInput(name: "in\(ordinal)") }
      var at = 0
      while at < document.count {
        let size = cuts.isEmpty ? document.count : min(cuts[turn % cuts.count], document.count - at)
        turn += 1
        var chunk = ByteChunk(capacity: size)
        chunk.append(document.span.extracting(at..<at + size))
        try parser.receive(&chunk)
        at += size
      }
    }
    try parser.finish()
  } catch {
    outcome.failure = error
    outcome.content = BinaryContent(rawValue: String(error.code.dropFirst("binary-".count)))
  }
  outcome.rows = sink.rows
  outcome.rejects = collector.rejects.withLock { $0 }
  outcome.isFinished = sink.isFinished
  outcome.ordinalsAreRight = sink.ordinalsAreRight
  outcome.bytesIn = meter.bytesIn.value
  outcome.rowsIn = meter.rowsIn.value
  outcome.rowsOut = meter.rowsOut.value
  outcome.rejectCount = meter.rejects.value
  return outcome
}

func parse(_ text: String, _ options: ParseOptions = jsonOptions(), cuts: [Int] = []) throws -> Outcome {
  try parse([Array(text.utf8)], options, cuts: cuts)
}

/// The sizes of the pieces in which tests cut the input.
let staccato: [[Int]] = [[], [1], [2], [3], [7], [5, 1, 11, 2], [64, 1], [300]]

/// Options for JSON, whatever the input looks like: `auto` would not accept garbage.
func jsonOptions() -> ParseOptions {
  var options = ParseOptions()
  options.format = .json
  return options
}

/// Options where objects are rows.
func objectOptions(
  number: String = "phone", label: String? = "name", source: String? = nil, score: String? = nil
) -> ParseOptions {
  var options = jsonOptions()
  options.numberField = FieldSelector(number)
  options.labelField = label.map { FieldSelector($0) }
  options.sourceField = source.map { FieldSelector($0) }
  options.scoreField = score.map { FieldSelector($0) }
  return options
}

extension Failure {
  /// The parts of a message such as `in0:3 (byte 16): not well-formed XML`.
  var located: (line: UInt64, byte: UInt64, reason: String)? {
    guard let match = message.message.firstMatch(of: #/^in0:(\d+) \(byte (\d+)\): (.*)$/#),
      let line = UInt64(match.1), let byte = UInt64(match.2)
    else { return nil }
    return (line, byte, String(match.3))
  }
}
