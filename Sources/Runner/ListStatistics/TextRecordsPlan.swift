// Reads one input in the text form. The stages that read records as filters leave this to the runner; here each input
// of several may have another form.

import Records
import SystemIO

/// Reads records in the text form.
struct TextRecordsPlan: StagePlan {
  var name: StageName { .stats }
  var input: DataKind { .bytes }
  var output: DataKind { .records }

  func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    .bytes(TextRecordsSink(environment.context, downstream: downstream.recordSink))
  }
}

/// Counts bytes, and passes them to the reader of the text form.
private final class TextRecordsSink: ByteSink {
  private let meter: StageMeter
  private let reader: RecordReader

  init(_ context: StageContext, downstream: any RecordSink) {
    meter = context.meter
    reader = RecordReader(context: context, downstream: MeteredRecords(context.meter, downstream))
  }

  func receive(_ chunk: inout ByteChunk) throws(Failure) {
    meter.bytesIn.add(chunk.count)
    try reader.receive(&chunk)
  }

  func finish() throws(Failure) {
    try reader.finish()
    meter.finish()
  }
}

/// Forwards records and counts them as the rows of a stage that reads them.
final class MeteredRecords: RecordSink {
  private let meter: StageMeter
  private let downstream: any RecordSink

  init(_ meter: StageMeter, _ downstream: any RecordSink) {
    self.meter = meter
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    meter.rowsIn.add(batch.count)
    meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
  }

  func finish() throws(Failure) {
    try downstream.finish()
  }
}
