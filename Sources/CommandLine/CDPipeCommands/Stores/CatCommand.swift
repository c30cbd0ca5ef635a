// `cdpipe cat`

import ArgumentParser
import CallRecord
import CallStoreReader
import PipeStage
import SetStage
import SystemIO

struct CatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat", abstract: "Write a store's records as text.",
    discussion: """
      Writes the records of both kinds in ascending order, one a line: number or first..last, and the label. What \
      was emitted comes back, except for sources and scores, which a store does not keep.
      """)

  @Argument(help: ArgumentHelp("The stores, in order.", valueName: "store"))
  var stores: [String]

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output = "-"

  func run() throws {
    Interruption.cleanUp()
    let voice = Diagnostics(command: "cat")
    if output != "-", OutputNames.isRead(output, by: stores) {
      throw voice.end(
        UserMessage("'\(output)' is a store that is read, and would be replaced by text"), Status.usage)
    }
    do throws(StageError) {
      let writer = RecordWriter(downstream: try FileSink(output, calls: KernelCalls()))
      var batch = RecordBatch()
      for path in stores {
        // One store after another; a store that fails ends the command where it fails.
        let trouble = try Self.write(path, writer, &batch)
        if let trouble {
          // What stood before the damage is right and goes out, as far as standard output.
          if output == "-" { try writer.finish() }
          throw CatError(trouble, path).stageError
        }
      }
      try writer.finish()
    } catch {
      if let failure = error.cause as? CatError {
        throw voice.end(
          StoreMessages.sentence(failure.error, failure.path), StoreMessages.status(failure.error))
      }
      throw voice.end(error)
    }
  }

  private struct CatError: ErrorCause {
    let error: CallStoreError
    let path: String
    var errorClass: ErrorClass { .badData }
    var stageError: StageError { StageError(nil, self) }

    init(_ error: CallStoreError, _ path: String) {
      self.error = error
      self.path = path
    }
  }

  /// Writes a store's records; returns why it could not be read to its end.
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
      var trouble: CallStoreError?
      do throws(CallStoreError) {
        hasMore = try records?.fill(&batch) == true
      } catch {
        trouble = error
      }
      try flush(&batch, writer)
      if trouble != nil || !hasMore { return trouble }
    }
  }

  private static func flush(_ batch: inout RecordBatch, _ writer: RecordWriter) throws(StageError) {
    if !batch.isEmpty { try writer.receive(&batch) }
  }
}
