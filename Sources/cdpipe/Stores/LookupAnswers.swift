// The output of `cdpipe lookup`: a line for each record that contains a number, and which numbers were not found.

import Records
import CallStoreFormat
import RecordStages
import StoreWriting
import SystemIO

/// Looks up numbers and writes the records that contain them.
final class LookupAnswers {
  private let lookup: ListLookup
  private let isJSON: Bool
  private let sink: FileSink
  private var chunk = ByteChunk()
  /// The first numbers that were not found, as they were typed.
  private(set) var missing: [String] = []
  /// The number of numbers that were not found.
  private(set) var missingCount: UInt64 = 0

  init(_ lookup: ListLookup, isJSON: Bool, _ stage: StageName) throws(Failure) {
    self.lookup = lookup
    self.isJSON = isJSON
    sink = try FileSink(OutputFile.standardOutput, stage: stage, calls: KernelCalls())
  }

  /// Looks up a number, and writes a line for each list that contains it.
  func write(_ number: UInt64, _ text: String) throws(Failure) {
    let matches = try lookup.matches(of: number)
    if matches.isEmpty {
      missingCount += 1
      if missing.count < LookupMessages.namedNumbersMax { missing.append(text) }
    }
    for match in matches {
      // A list is named only if there are several.
      let list = lookup.names.count > 1 ? match.list : nil
      try append(isJSON ? Self.json(number, match, list) : Self.line(number, match.label, list))
    }
  }

  /// Passes on what was written so far.
  func flush() throws(Failure) {
    if !chunk.isEmpty { try sink.receive(&chunk) }
  }

  /// Ends the output.
  func finish() throws(Failure) {
    try flush()
    try sink.finish()
  }

  private func append(_ line: String) throws(Failure) {
    let bytes = Array((line + "\n").utf8)
    var written = 0
    while written < bytes.count {
      let count = min(bytes.count - written, chunk.freeCapacity)
      chunk.append(bytes.span.extracting(written..<(written + count)))
      written += count
      if chunk.freeCapacity == 0 { try flush() }
    }
  }

  /// The text form of a record, with the list as its source.
  private static func line(_ number: UInt64, _ label: String, _ list: String?) -> String {
    let recordFields = RecordFields.bytes(RecordFields.Fields(label: label, source: list ?? ""))
    return recordFields.isEmpty ? "\(number)" : "\(number)\t\(String(decoding: recordFields, as: UTF8.self))"
  }

  /// The JSON form of a record that was found.
  private struct RecordDocument: Encodable {
    var number: UInt64
    var kind: String
    var first: UInt64
    var last: UInt64
    var label: String
    var list: String?
  }

  private static func json(_ number: UInt64, _ match: ListLookup.Match, _ list: String?) -> String {
    let found = RecordDocument(
      number: number, kind: match.kind == .blocking ? "blocking" : "identification", first: match.first,
      last: match.last, label: match.label, list: list)
    return JSONLine.text(found)
  }
}

/// Looks up the numbers of rows: of each line, the text before the first tab.
final class LookupRows: RawRowSink {
  private let reading: NumberLookup
  private let answers: LookupAnswers
  private let context: StageContext

  init(_ reading: NumberLookup, _ answers: LookupAnswers, _ context: StageContext) {
    self.reading = reading
    self.answers = answers
    self.context = context
  }

  func receive(_ batch: inout RawRowBatch) throws(Failure) {
    context.meter.rowsIn.add(batch.count)
    for row in 0..<batch.count {
      var text = [UInt8](copying: batch[textAt: row])
      // Lines may end in CR LF.
      if text.last == Byte.carriageReturn { text.removeLast() }
      if text.isEmpty { continue }
      let typed = String(decoding: text, as: UTF8.self)
      let number: UInt64
      do throws(NormalizeReject) {
        number = try reading.number(typed)
      } catch {
        try context.reject(.row(batch.firstOrdinal + UInt64(row)), error, text: text.span)
        continue
      }
      try answers.write(number, typed)
    }
  }

  func finish() throws(Failure) {}
}
