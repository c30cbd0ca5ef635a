// Runs a row parser on an input twice, whole and cut into windows, and compares the two runs. Each fuzz target calls
// `parse` with its format. Not for other stages.

import FuzzDriver
import InputStages
import Records
import Synchronization
import SystemIO

/// The result of a run.
private struct Run: Equatable, CustomStringConvertible {
  var rows: [UInt8] = []
  var rejects: [UInt8] = []
  /// The error that ended the run early, if any.
  var failure: String?

  var description: String {
    let texts = [rows, rejects].map { $0.map { byte in escaped(byte) }.joined() }
    return "rows \(texts[0])\n  rejects \(texts[1])\n  failure \(failure ?? "none")"
  }

  /// Formats a byte for printing; the end of a field as `|`.
  private func escaped(_ byte: UInt8) -> String {
    if byte == 0xFF { return "|" }
    return 0x20...0x7E ~= byte ? String(UnicodeScalar(byte)) : "\\x" + String(byte, radix: 16)
  }
}

/// The fields that half of the runs select by name; the seeds contain objects with them.
private let names = (number: "n", label: "l", source: "s", score: "c")

/// The minimum of --max-record, in bytes.
private let shortLimit = 64

/// The number of bytes at the start that are choices, not part of the document.
private let choiceBytes = 3

/// The number of additional bytes after which a cut record is parsed again: the value of production, and small ones, so
/// that short inputs are parsed again many times.
private let heldSteps = [1024, 1, 2, 5, 16, 40, 100, 250]

/// The number of bytes that are examined to recognise the format: less than most inputs, so that the rest comes in
/// windows.
private let startBytes = 48

/// Parses an input as `format`: the first three bytes are choices, the rest is the document.
///
/// The first byte has bits for strict mode, fields by name, a short record limit, and a second input; the higher bits
/// belong to the target. The other two bytes set the size of the windows and how often a cut record is parsed again.
/// Both runs must produce the same rows, rejects and error.
///
/// - Precondition: `parse --format` supports the format.
public func parse(_ input: Span<UInt8>, as format: String) {
  guard let known = ParseOptions.Format(rawValue: format) else { preconditionFailure("no format \(format)") }
  guard input.count >= choiceBytes else { return }
  var options = ParseOptions()
  options.format = known
  options.isStrict = input[0] & 1 != 0
  if input[0] & 2 != 0 {
    options.numberField = FieldSelector(names.number)
    options.labelField = FieldSelector(names.label)
    options.sourceField = FieldSelector(names.source)
    options.scoreField = FieldSelector(names.score)
  }
  if input[0] & 4 != 0 { options.recordBytesMax = shortLimit }
  let isTwice = input[0] & 8 != 0
  guard (try? options.check()) != nil else { return }
  let document = input.extracting(choiceBytes..<input.count)
  let whole = run(document, options, windows: [document.count], heldStep: heldSteps[0], isTwice: isTwice)
  let cut = run(
    document, options, windows: [1 + Int(input[1]) % 32, 1 + Int(input[2])],
    heldStep: heldSteps[Int(input[1]) / 32], isTwice: isTwice)
  claim(whole == cut, "the result depends on where the input is cut\nwhole: \(whole)\ncut: \(cut)")
}

private func run(
  _ document: Span<UInt8>, _ options: ParseOptions, windows: [Int], heldStep: Int, isTwice: Bool
) -> Run {
  let rows = RowCollection()
  let rejects = Mutex<[UInt8]>([])
  var result = Run()
  do throws(Failure) {
    let log = try RejectLog { reject, _ in
      rejects.withLock { kept in
        kept.append(contentsOf: reject.reason.code.utf8)
        kept.append(contentsOf: reject.text)
        kept.append(0xFF)
      }
    }
    let meter = StageMeter(.parse)
    let rowParser = RowParser(
      options: options, input: "a", context: StageContext(meter: meter, rejects: log),
      downstream: rows, heldStep: heldStep, startBytes: startBytes)
    let parser = InputDecoder(rowParser)
    try feed(document, to: parser, windows)
    if isTwice {
      try parser.nextInput(name: "b")
      try feed(document, to: parser, windows)
    }
    try parser.finish()
    claim(rows.isFinished, "the stream ends for the next stage, too")
    claim(meter.rowsOut.value == rows.rows, "rows are counted")
    claim(meter.rowsIn.value == meter.rowsOut.value + meter.rejects.value, "rows in = rows out + rejects")
  } catch {
    result.failure = error.message.message
  }
  // The rows before an error depend on the windows, because rows are passed on in batches.
  if result.failure == nil {
    result.rows = rows.bytes
    result.rejects = rejects.withLock { $0 }
  }
  return result
}

private func feed(_ document: Span<UInt8>, to parser: InputDecoder, _ windows: [Int]) throws(Failure) {
  var at = 0
  var turn = 0
  while at < document.count {
    let end = min(at + windows[turn % windows.count], document.count)
    turn += 1
    var chunk = ByteChunk(capacity: end - at)
    chunk.append(document.extracting(at..<end))
    try parser.receive(&chunk)
    at = end
  }
}
