// The text form to records: what a filter that takes records puts before its stage.

package import CallRecord
public import SystemIO

/// Reads records from their text form. A line that is no record is rejected with its number; the rest go on.
public final class RecordReader: ByteSink {
  private var taker: RecordTaker
  private var cutter = LineCutter(lineBytesMax: RecordLine.bytesMax)

  /// Makes a reader that hands records to `downstream` and rejects to the context's log.
  public init(context: StageContext, downstream: any RecordSink) {
    taker = RecordTaker(context: context, downstream: downstream)
  }

  /// Takes a chunk of the text.
  public func receive(_ chunk: inout ByteChunk) throws(PipeFailure) {
    try cutter.cut(chunk.span, for: &taker)
    chunk.removeAll()
  }

  /// Hands over the last line and ends the stream.
  public func finish() throws(PipeFailure) {
    try cutter.finish(for: &taker)
    try taker.finish()
  }
}

extension RecordBatch {
  /// Adds the record that a line, without its line feed, is. False when the batch has no room for it.
  ///
  /// - Complexity: O(bytes).
  @inline(__always)
  package mutating func append(line: Span<UInt8>) throws(TextFormReject) -> Bool {
    if isFull { return false }
    let head: RecordLine.Head
    do throws(RecordLine.Defect) {
      head = try RecordLine.head(line)
    } catch {
      throw error == .notANumber ? .notANumber : .notARange
    }
    let annotation = line.extracting(head.annotationStart..<line.count)
    if let known = annotations.index(of: annotation) {
      append(first: head.first, last: head.last, annotationIndex: known)
      return true
    }
    let checked: Int
    do throws(Annotation.Defect) {
      checked = try Annotation.check(annotation)
    } catch {
      throw .badFields(error)
    }
    return append(first: head.first, last: head.last, annotation: annotation.extracting(0..<checked))
  }
}

private struct RecordTaker: LineTaker, ~Copyable {
  let context: StageContext
  let downstream: any RecordSink
  var batch = RecordBatch()
  var row: UInt64 = 0

  init(context: StageContext, downstream: any RecordSink) {
    self.context = context
    self.downstream = downstream
  }

  mutating func take(line: Span<UInt8>) throws(PipeFailure) {
    row += 1
    do throws(TextFormReject) {
      if try batch.append(line: line) { return }
    } catch {
      return try reject(error, line)
    }
    try flush()
    // It was read before, and an empty batch has room for any record.
    _ = try? batch.append(line: line)
  }

  mutating func takeOverlong(line: Span<UInt8>) throws(PipeFailure) {
    row += 1
    try reject(.lineTooLong, line)
  }

  private func reject(_ reason: TextFormReject, _ line: Span<UInt8>) throws(PipeFailure) {
    context.meter.rowsIn.add(1)
    try context.reject(.row(row), reason, text: line)
  }

  mutating func flush() throws(PipeFailure) {
    try downstream.receive(&batch)
    batch.removeAll()
  }

  mutating func finish() throws(PipeFailure) {
    if !batch.isEmpty { try flush() }
    try downstream.finish()
  }
}
