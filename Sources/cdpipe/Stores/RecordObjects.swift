// The records of stores and directories as JSON, one object per line, with their kinds: `cdpipe cat --json`.
//
// Not for: the text form, which has no kinds (RecordWriter), or the JSON lines that `emit` writes.

import StoreWriting
import Records
import CallStoreFormat
import CallStoreReader
import SystemIO

/// A list whose records `cdpipe cat` writes.
enum WrittenList {
  /// A store, by its path.
  case store(String)
  /// A Live Caller ID Lookup directory.
  case lookup(LookupDirectory)
}

/// Writes the records of stores and directories as JSON.
struct RecordObjects {
  private let sink: FileSink
  private let isFile: Bool

  /// Opens the output; `-` is standard output.
  init(_ output: String) throws(Failure) {
    sink = try FileSink(output, calls: KernelCalls())
    isFile = output != OutputFile.standardOutput
  }

  /// Writes the records of all lists, one list after another.
  func write(_ lists: [WrittenList]) throws(Failure) {
    for list in lists {
      var lines = Lines(sink)
      let failure: Failure?
      switch list {
      case .store(let path): failure = Self.read(path, &lines)
      case .lookup(let directory): failure = Self.read(directory, &lines)
      }
      try lines.end()
      guard let failure else { continue }
      // The records before the damage are valid; they are written to standard output.
      if !isFile { try sink.finish() }
      throw failure
    }
    try sink.finish()
  }

  /// Adds the records of a store; returns the error if it can't be read completely.
  private static func read(_ path: String, _ lines: inout Lines) -> Failure? {
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
      return nil
    } catch {
      return .unreadableStore(error, path: path)
    }
  }

  /// Adds the records of a directory; returns the error if it can't be read completely.
  private static func read(_ directory: LookupDirectory, _ lines: inout Lines) -> Failure? {
    do throws(Failure) {
      var records = LookupRecords(directory)
      while lines.failure == nil, try records.next() {
        lines.add(
          records.number, records.isBlocked, RecordFields.fields(records.recordFields.span).label)
      }
      return nil
    } catch {
      return error
    }
  }

  /// The lines of one list, written in chunks.
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
    private(set) var failure: Failure?

    init(_ sink: FileSink) { self.sink = sink }

    mutating func add(
      _ first: UInt64, _ last: UInt64, _ kind: StoreKind, _ label: StoreLabel, of store: borrowing CallStore
    ) {
      addNumbers(first, last)
      let rest = Rest(kind: kind, label: label)
      if let text = rests[rest] {
        pending.append(contentsOf: text)
      } else {
        let text = Self.text(kind == .blocking, store.text(of: label))
        if rests.count == Self.keptMax { rests.removeAll(keepingCapacity: true) }
        rests[rest] = text
        pending.append(contentsOf: text)
      }
      if pending.count >= ByteChunk.defaultBytes { flush() }
    }

    /// Adds the line of a single number.
    mutating func add(_ number: UInt64, _ isBlocked: Bool, _ label: String) {
      addNumbers(number, number)
      pending.append(contentsOf: Self.text(isBlocked, label))
      if pending.count >= ByteChunk.defaultBytes { flush() }
    }

    private mutating func addNumbers(_ first: UInt64, _ last: UInt64) {
      pending.append(contentsOf: "{\"first\":\(first),\"last\":\(last)".utf8)
    }

    /// The text after the numbers.
    private static func text(_ isBlocked: Bool, _ label: String) -> [UInt8] {
      let kind = isBlocked ? "blocking" : "identification"
      return Array(",\"kind\":\"\(kind)\",\"label\":\(JSONQuoting.quoted(label))}\n".utf8)
    }

    private mutating func flush() {
      guard failure == nil, !pending.isEmpty else { return }
      var chunk = ByteChunk(capacity: pending.count)
      chunk.append(pending.span)
      pending.removeAll(keepingCapacity: true)
      do throws(Failure) {
        try sink.receive(&chunk)
      } catch {
        failure = error
      }
    }

    /// Writes the remaining lines, and throws the error of writing if there was one.
    mutating func end() throws(Failure) {
      flush()
      if let failure { throw failure }
    }
  }
}
