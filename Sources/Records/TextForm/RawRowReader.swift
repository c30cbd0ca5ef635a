// Reads raw rows from the text form or the packed form: the input of `normalize` as a filter.

import BasicContainers
package import SystemIO

/// Reads raw rows from their text form or packed form. A line that is not a raw row is rejected with its number; reading
/// continues.
package final class RawRowReader: ByteSink {
  /// The largest size of a line in bytes: every byte of the number's text may be escaped.
  static let lineBytesMax = 2 * RawRowBatch.textBytesMax + 8 + RecordFields.bytesMax

  private var sink: RawRowLineSink
  private var stream: StreamReader

  /// Makes a reader that passes rows to `downstream` and rejects to the log of the context.
  package init(context: StageContext, downstream: any RawRowSink) {
    sink = RawRowLineSink(context: context, downstream: downstream)
    stream = StreamReader(lineBytesMax: Self.lineBytesMax, stage: context.stage)
  }

  /// Receives a chunk of the input.
  package func receive(_ chunk: inout ByteChunk) throws(Failure) {
    try stream.cut(chunk.span, for: &sink)
    chunk.removeAll()
  }

  /// Ends an input; the next one may have the other form.
  package func nextInput(name: String) throws(Failure) {
    try stream.endInput(for: &sink)
  }

  /// Passes on the rows of the lines received so far, without waiting for a full batch.
  package func passRows() throws(Failure) {
    if !sink.batch.isEmpty { try sink.flush() }
  }

  /// Passes on the last line and ends the stream.
  package func finish() throws(Failure) {
    try stream.endInput(for: &sink)
    try sink.finish()
  }
}

private struct RawRowLineSink: LineSink, PackedBlockSink, ~Copyable {
  let context: StageContext
  let downstream: any RawRowSink
  var batch = RawRowBatch()
  var labels = LabelCache()
  var row: UInt64 = 0

  init(context: StageContext, downstream: any RawRowSink) {
    self.context = context
    self.downstream = downstream
  }

  mutating func receive(line: Span<UInt8>) throws(Failure) {
    row += 1
    var end = 0
    var isEscaped = false
    while end < line.count, line[end] != Byte.tab {
      if line[end] == Byte.backslash { isEscaped = true }
      end += 1
    }
    let recordFields = line.extracting(min(end + 1, line.count)..<line.count)
    guard end <= 2 * RawRowBatch.textBytesMax else { return try reject(.lineTooLong, line) }
    guard isEscaped else { return try append(line.extracting(0..<end), recordFields, line) }
    guard let unescaped = Self.unescape(line.extracting(0..<end)) else { return try reject(.badEscape, line) }
    try append(unescaped.span, recordFields, line)
  }

  mutating func receivePlain(lines: Span<UInt8>, from start: Int) throws(Failure) -> Int {
    var at = start
    while true {
      let count = batch.count
      at = batch.append(lines: lines, from: at, &labels)
      row += UInt64(batch.count - count)
      // Otherwise the next line is not plain, or its record fields don't fit.
      guard !batch.isEmpty, !batch.hasCapacity(forText: RawRowCapacity.textBytesMax) else { return at }
      try flush()
    }
  }

  mutating func receiveOverlong(line: Span<UInt8>) throws(Failure) {
    row += 1
    try reject(.lineTooLong, line)
  }

  var packedRows: PackedForm.Rows { .rawRows }

  mutating func receive(block: PackedFormBlock, _ columns: Span<UInt8>) throws(Failure) -> Bool {
    if !batch.isEmpty { try flush() }
    guard block.read(columns, into: &batch) else {
      batch.removeAll()
      return false
    }
    row += UInt64(block.rows)
    try flush()
    return true
  }

  private mutating func append(
    _ text: Span<UInt8>, _ recordFields: Span<UInt8>, _ line: Span<UInt8>
  ) throws(Failure) {
    guard text.count <= RawRowBatch.textBytesMax else { return try reject(.lineTooLong, line) }
    if !batch.hasCapacity(forText: text.count) { try flush() }
    if let known = batch.fieldsTable.index(of: recordFields) {
      return batch.append(text: text, fieldsIndex: known)
    }
    let checked: Int
    do throws(RecordFieldsError) {
      checked = try RecordFields.check(recordFields)
    } catch {
      return try reject(.badFields(error), line)
    }
    let canonical = recordFields.extracting(0..<checked)
    if !batch.append(text: text, recordFields: canonical) {
      try flush()
      _ = batch.append(text: text, recordFields: canonical)
    }
  }

  /// A rejected line counts as a row, so the batch ends before it.
  private mutating func reject(_ reason: TextFormReject, _ line: Span<UInt8>) throws(Failure) {
    let rejected = row
    if !batch.isEmpty { try flush() }
    batch.firstOrdinal = rejected + 1
    context.meter.rowsIn.add(1)
    try context.reject(.row(rejected), reason, text: line)
  }

  mutating func flush() throws(Failure) {
    // The sink may swap the batch for one with another ordinal.
    let next = batch.firstOrdinal + UInt64(batch.count)
    labels.removeAll(rows: batch.count)
    try downstream.receive(&batch)
    batch.removeAll()
    batch.firstOrdinal = next
  }

  mutating func finish() throws(Failure) {
    if !batch.isEmpty { try flush() }
    try downstream.finish()
  }

  private static func unescape(_ text: Span<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    var index = 0
    while index < text.count {
      var byte = text[index]
      if byte == Byte.backslash {
        index += 1
        guard index < text.count, Byte.isEscaped(text[index]) else { return nil }
        byte = Byte.unescaped(text[index])
      }
      result.append(byte)
      index += 1
    }
    return result
  }
}
