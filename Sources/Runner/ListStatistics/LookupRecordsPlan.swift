// Reads the records of a Live Caller ID Lookup directory.

import Records
import StoreWriting

/// Reads a directory.
struct LookupRecordsPlan: StagePlan {
  /// The directory.
  let directory: LookupDirectory

  var name: StageName { .stats }
  var input: DataKind { .nothing }
  var output: DataKind { .records }
  var files: [StageFile] { [StageFile(directory.manifestPath, .input)] }

  func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    .records(LookupRecordsSource(directory, environment.context, downstream.recordSink))
  }
}

/// Sends the records of a directory when its own stream, which is empty, ends.
private final class LookupRecordsSource: RecordSink {
  private let directory: LookupDirectory
  private let context: StageContext
  private let downstream: MeteredRecords

  init(_ directory: LookupDirectory, _ context: StageContext, _ downstream: any RecordSink) {
    self.directory = directory
    self.context = context
    self.downstream = MeteredRecords(context.meter, downstream)
  }

  func receive(_ batch: inout RecordBatch) {}

  func finish() throws(Failure) {
    var batch = RecordBatch()
    var records = LookupRecords(directory, calls: context.calls)
    while try fill(&batch, from: &records) {
      try downstream.receive(&batch)
      batch.removeAll()
    }
    try downstream.finish()
    context.meter.finish()
  }

  private func fill(_ batch: inout RecordBatch, from records: inout LookupRecords) throws(Failure) -> Bool
  {
    do throws(Failure) {
      return try records.fill(&batch)
    } catch {
      throw error.of(.stats)
    }
  }
}
