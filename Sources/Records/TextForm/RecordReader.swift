// Reads records from the text form or the packed form: the input of filters that read records.

package import SystemIO

/// Reads records from their text form or packed form. A line that is not a record is rejected with its number; reading
/// continues.
package final class RecordReader: ByteSink {
  private var sink: RecordLineSink
  private var stream: StreamReader

  /// Makes a reader that passes records to `downstream` and rejects to the log of the context.
  package init(context: StageContext, downstream: any RecordSink) {
    sink = RecordLineSink(context: context, downstream: downstream)
    stream = StreamReader(lineBytesMax: RecordLine.bytesMax, stage: context.stage)
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

  /// Passes on the last line and ends the stream.
  package func finish() throws(Failure) {
    try stream.endInput(for: &sink)
    try sink.finish()
  }
}

extension RecordBatch {
  /// Adds the record of a line without its line feed; returns false when it does not fit.
  ///
  /// - Complexity: O(bytes).
  @inline(__always)
  package mutating func append(line: Span<UInt8>) throws(TextFormReject) -> Bool {
    if isFull { return false }
    let head: RecordLine.Head
    do throws(RecordLineError) {
      head = try RecordLine.head(line)
    } catch {
      throw error == .notANumber ? .notANumber : .notARange
    }
    let recordFields = line.extracting(head.fieldsStart..<line.count)
    if let known = fieldsTable.index(of: recordFields) {
      append(first: head.first, last: head.last, fieldsIndex: known)
      return true
    }
    let checked: Int
    do throws(RecordFieldsError) {
      checked = try RecordFields.check(recordFields)
    } catch {
      throw .badFields(error)
    }
    return append(first: head.first, last: head.last, recordFields: recordFields.extracting(0..<checked))
  }
}

private struct RecordLineSink: LineSink, PackedBlockSink, ~Copyable {
  let context: StageContext
  let downstream: any RecordSink
  var batch = RecordBatch()
  var labels = LabelCache()
  var row: UInt64 = 0

  init(context: StageContext, downstream: any RecordSink) {
    self.context = context
    self.downstream = downstream
  }

  mutating func receive(line: Span<UInt8>) throws(Failure) {
    row += 1
    do throws(TextFormReject) {
      if try batch.append(line: line) { return }
    } catch {
      return try reject(error, line)
    }
    try flush()
    // The line is valid, as checked above, and any record fits into an empty batch.
    _ = try? batch.append(line: line)
  }

  mutating func receivePlain(lines: Span<UInt8>, from start: Int) throws(Failure) -> Int {
    var at = start
    while true {
      let count = batch.count
      at = batch.append(lines: lines, from: at, &labels)
      row += UInt64(batch.count - count)
      guard batch.isFull else { return at }
      try flush()
    }
  }

  mutating func receiveOverlong(line: Span<UInt8>) throws(Failure) {
    row += 1
    try reject(.lineTooLong, line)
  }

  var packedRows: PackedForm.Rows { .records }

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

  private func reject(_ reason: TextFormReject, _ line: Span<UInt8>) throws(Failure) {
    context.meter.rowsIn.add(1)
    try context.reject(.row(row), reason, text: line)
  }

  mutating func flush() throws(Failure) {
    labels.removeAll(rows: batch.count)
    try downstream.receive(&batch)
    batch.removeAll()
  }

  mutating func finish() throws(Failure) {
    if !batch.isEmpty { try flush() }
    try downstream.finish()
  }
}
