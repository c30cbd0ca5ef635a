// Reads the records of stores: one, or the shards of a directory.

import CallStoreReader
import RecordStages
import Records
import StoreWriting
import SystemIO
import SystemPackage

/// Reads stores, one after another.
struct StoreRecordsPlan: StagePlan {
  /// The paths of the stores; `-` is standard input, which must be a file.
  let stores: [String]

  var name: StageName { .stats }
  var input: DataKind { .nothing }
  var output: DataKind { .records }
  var files: [StageFile] { stores.map { StageFile($0, .input) } }

  func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    .records(StoreRecordsSource(stores, environment.context.meter, downstream.recordSink))
  }
}

/// Sends the records of stores when its own stream, which is empty, ends.
private final class StoreRecordsSource: RecordSink {
  private let stores: [String]
  private let meter: StageMeter
  private let downstream: MeteredRecords

  init(_ stores: [String], _ meter: StageMeter, _ downstream: any RecordSink) {
    self.stores = stores
    self.meter = meter
    self.downstream = MeteredRecords(meter, downstream)
  }

  func receive(_ batch: inout RecordBatch) {}

  func finish() throws(Failure) {
    var batch = RecordBatch()
    for path in stores {
      var records = try open(path)
      while try fill(&batch, from: &records, path) {
        try downstream.receive(&batch)
        batch.removeAll()
      }
    }
    try downstream.finish()
    meter.finish()
  }

  private func fill(
    _ batch: inout RecordBatch, from records: inout StoreRecords, _ path: String
  ) throws(Failure) -> Bool {
    do throws(CallStoreError) {
      return try records.fill(&batch)
    } catch {
      throw .unreadableStore(error, path: InputName.plain(path), .stats)
    }
  }

  private func open(_ path: String) throws(Failure) -> StoreRecords {
    do throws(CallStoreError) {
      if path == InputFile.standardInput {
        return try StoreRecords(descriptor: FileDescriptor.standardInput.rawValue)
      }
      return try StoreRecords(path: path)
    } catch {
      throw .unreadableStore(error, path: InputName.plain(path), .stats)
    }
  }
}
