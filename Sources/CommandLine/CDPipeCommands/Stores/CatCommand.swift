// `cdpipe cat`

import ArgumentParser
import CallRecord
import CallStoreFormat
import CallStoreReader
import PipeStage
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
    let voice = Voice(command: "cat")
    if output != "-", stores.map(OutputNames.normalized).contains(OutputNames.normalized(output)) {
      throw voice.end(
        Sentence("'\(output)' is a store that is read, and would be replaced by text"), Status.usage)
    }
    do throws(PipeFailure) {
      let writer = RecordWriter(downstream: try FileSink(output, calls: KernelCalls()))
      var batch = RecordBatch()
      for path in stores {
        // One store after another; a store that fails ends the command where it fails.
        let trouble = try Self.write(path, writer, &batch)
        if let trouble {
          // What stood before the damage is right and goes out, as far as standard output.
          if output == "-" { try writer.finish() }
          throw CatFailure(trouble, path).pipeFailure
        }
      }
      try writer.finish()
    } catch {
      if let failure = error.cause as? CatFailure {
        throw voice.end(
          StoreWording.sentence(failure.error, failure.path), StoreWording.status(failure.error))
      }
      throw voice.end(error)
    }
  }

  private struct CatFailure: FailureCause {
    let error: CallStoreError
    let path: String
    var failureClass: FailureClass { .badData }
    var pipeFailure: PipeFailure { PipeFailure(nil, self) }

    init(_ error: CallStoreError, _ path: String) {
      self.error = error
      self.path = path
    }
  }

  /// Writes a store's records; returns why it could not be read to its end.
  private static func write(
    _ path: String, _ writer: RecordWriter, _ batch: inout RecordBatch
  ) throws(PipeFailure) -> CallStoreError? {
    var records = StoreBatch()
    do {
      let store = try CallStore(path: path)
      var cursor = StoreCursor(store)
      while try cursor.nextRecords(of: store, into: &records) {
        // It goes through once: what was read need not stay.
        defer { store.releasePages() }
        for index in 0..<records.count {
          let label = Annotation.bytes(Annotation.Fields(label: store.text(of: records.labels[index])))
          let first = records.firsts[index]
          let last = records.lasts[index]
          if batch.append(first: first, last: last, annotation: label.span) { continue }
          try flush(&batch, writer)
          _ = batch.append(first: first, last: last, annotation: label.span)
        }
      }
      try flush(&batch, writer)
    } catch let error as CallStoreError {
      try flush(&batch, writer)
      return error
    } catch let error as PipeFailure {
      throw error
    } catch {
      preconditionFailure("nothing else is thrown")
    }
    return nil
  }

  private static func flush(_ batch: inout RecordBatch, _ writer: RecordWriter) throws(PipeFailure) {
    if !batch.isEmpty { try writer.receive(&batch) }
  }
}
