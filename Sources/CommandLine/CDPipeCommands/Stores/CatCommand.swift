// `cdpipe cat`

import ArgumentParser
import CallDeltaWriter
import CallRecord
import CallStoreReader
import PipeStage
import SetStage
import SystemIO
import UserMessages

struct CatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat", abstract: "Write a store's records as text.",
    discussion: """
      Writes the records of both kinds in ascending order, one per line: number or first..last, and the label. These are \
      the emitted records, except for sources and scores, which a store does not contain.
      """)

  @Argument(help: ArgumentHelp("The stores, in the order to write them.", valueName: "store"))
  var stores: [String]

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when everything is written.", valueName: "file"))
  var output = "-"

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "cat")
    if output != "-", OutputNames.isRead(output, by: stores) {
      throw diagnostics.end(
        UserMessage("'\(output)' is one of the stores and would be overwritten"), ExitStatus.usage)
    }
    do throws(StageError) {
      let writer = RecordWriter(downstream: try FileSink(output, calls: KernelCalls()))
      var batch = RecordBatch()
      for path in stores {
        let failure = try Self.write(path, writer, &batch)
        if let failure {
          // The records before the damage are valid; they are written to standard output.
          if output == "-" { try writer.finish() }
          throw StageError(nil, DeltaError.unreadableStore(failure, path: path))
        }
      }
      try writer.finish()
    } catch {
      throw diagnostics.end(error)
    }
  }

  /// Writes a store's records; returns the error if it could not be read completely.
  private static func write(
    _ path: String, _ writer: RecordWriter, _ batch: inout RecordBatch
  ) throws(StageError) -> CallStoreError? {
    var records: StoreRecords?
    do throws(CallStoreError) {
      records = try StoreRecords(path: path)
    } catch {
      return error
    }
    while true {
      var hasMore = false
      var failure: CallStoreError?
      do throws(CallStoreError) {
        hasMore = try records?.fill(&batch) == true
      } catch {
        failure = error
      }
      try flush(&batch, writer)
      if failure != nil || !hasMore { return failure }
    }
  }

  private static func flush(_ batch: inout RecordBatch, _ writer: RecordWriter) throws(StageError) {
    if !batch.isEmpty { try writer.receive(&batch) }
  }
}
