// The records of stores as JSON, one object per line, with their kinds: `cdpipe cat --json`.
//
// Not for: the text form, which has no kinds (RecordWriter), or the JSON lines that `emit` writes.

import CallDeltaWriter
import CallRecord
import CallStoreFormat
import CallStoreReader
import PipeStage
import SystemIO

/// Writes the records of stores as JSON.
struct RecordObjects {
  private let sink: FileSink
  private let isFile: Bool

  /// Opens the output; `-` is standard output.
  init(_ output: String) throws(StageError) {
    sink = try FileSink(output, calls: KernelCalls())
    isFile = output != OutputFile.standardOutput
  }

  /// Writes the records of all stores, one store after another.
  func write(_ paths: [String]) throws(StageError) {
    for path in paths {
      var failure: CallStoreError?
      var lines = Lines(sink)
      do throws(CallStoreError) {
        let store = try CallStore(path: path)
        var cursor = StoreCursor(store)
        var batch = StoreBatch()
        while lines.failure == nil, try cursor.nextRecords(of: store, into: &batch) {
          for index in 0..<batch.count {
            lines.add(
              batch.firsts[index], batch.lasts[index], batch.kinds[index], batch.labels[index], of: store)
          }
          store.releasePages()
        }
      } catch {
        failure = error
      }
      try lines.end()
      guard let failure else { continue }
      // The records before the damage are valid; they are written to standard output.
      if !isFile { try sink.finish() }
      throw StageError(nil, DeltaError.unreadableStore(failure, path: path))
    }
    try sink.finish()
  }

  /// The lines of one store, written in chunks.
  private struct Lines {
    /// The text after the numbers of a record: its kind and label.
    private struct Rest: Hashable {
      var kind: StoreKind
      var label: StoreLabel
    }

    /// The maximum number of texts that are kept; most stores have fewer labels.
    private static let keptMax = 4096

    private let sink: FileSink
    private var pending: ContiguousArray<UInt8> = []
    private var rests: [Rest: [UInt8]] = [:]
    /// The error of writing; no lines are added after it.
    private(set) var failure: StageError?

    init(_ sink: FileSink) { self.sink = sink }

    mutating func add(
      _ first: UInt64, _ last: UInt64, _ kind: StoreKind, _ label: StoreLabel, of store: borrowing CallStore
    ) {
      pending.append(contentsOf: "{\"first\":\(first),\"last\":\(last)".utf8)
      let rest = Rest(kind: kind, label: label)
      if let text = rests[rest] {
        pending.append(contentsOf: text)
      } else {
        let name = kind == .blocking ? "blocking" : "identification"
        let text = Array(
          ",\"kind\":\"\(name)\",\"label\":\(JSONQuoting.quoted(store.text(of: label)))}\n".utf8)
        if rests.count == Self.keptMax { rests.removeAll(keepingCapacity: true) }
        rests[rest] = text
        pending.append(contentsOf: text)
      }
      if pending.count >= ByteChunk.defaultBytes { flush() }
    }

    private mutating func flush() {
      guard failure == nil, !pending.isEmpty else { return }
      var chunk = ByteChunk(capacity: pending.count)
      chunk.append(pending.span)
      pending.removeAll(keepingCapacity: true)
      do throws(StageError) {
        try sink.receive(&chunk)
      } catch {
        failure = error
      }
    }

    /// Writes the remaining lines, and throws the error of writing if there was one.
    mutating func end() throws(StageError) {
      flush()
      if let failure { throw failure }
    }
  }
}
