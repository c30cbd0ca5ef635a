// `cdpipe cat`

import ArgumentParser
import CallStoreFormat
import CallStoreReader
import RecordStages
import Records
import Runner
import StoreWriting
import SystemIO

/// The formats of `cat`: those of `emit` other than directories and stores.
struct CatFormat: ExpressibleByArgument {
  let format: EmitFormat

  init?(argument: String) {
    guard let format = EmitFormat(rawValue: argument), !Self.excluded.contains(format) else { return nil }
    self.format = format
  }

  private static let excluded: [EmitFormat] = [.store, .pir]

  static var allValueStrings: [String] {
    EmitFormat.allCases.filter { !excluded.contains($0) }.map(\.rawValue)
  }
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

struct CatCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat", abstract: "Write the records of stores as text.",
    discussion: """
      Writes the records of both kinds in ascending order, one per line: number or first..last, and the label. These are \
      the emitted records, except for sources and scores, which a store does not contain. Of a directory, all shards are \
      written in the order of their numbers. With --json, writes one object per record, with its kind.
      """)

  @Argument(
    help: ArgumentHelp("The stores or directories, in the order to write them.", valueName: "list"),
    completion: .store)
  var lists: [String]

  @Option(
    help: ArgumentHelp(
      "The format of the output (default: by the output's name, else tsv).", valueName: "format"))
  var format: CatFormat?

  @Flag(help: "In CSV, put ' before labels that a spreadsheet would run as formulas.")
  var csvSafe = false

  @Option(output: .written)
  var output = "-"

  @Flag(help: "Write one JSON object per record, with its kind.")
  var json = false

  @OptionGroup var colours: ColourOptions

  /// The name of the command in errors of the output.
  private static let stage = StageName(rawValue: "cat")

  func validate() throws {
    if json, format != nil || csvSafe {
      throw ValidationError("--json excludes \(option: "format") and \(option: "csv-safe")")
    }
    if json, [".csv", ".tsv", ".cdstore"].contains(where: output.hasSuffix) {
      throw ValidationError("'\(output)' is not a name for JSON: remove --json, or choose a name in .jsonl")
    }
    if !json, format == nil, let choices = EmitFormat.choices(named: output) {
      throw ValidationError(EmitFormat.unclearName(output, choices))
    }
    if options.format == .store {
      throw ValidationError(
        "'\(output)' is the name of a store, but cat writes text: choose \(option: "format")")
    }
  }

  private var options: EmitOptions {
    var options = EmitOptions(
      format: format?.format ?? EmitFormat.named(output), output: output)
    options.isCSVSafe = csvSafe
    return options
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "cat")
    let inputs: [ListInput]
    do throws(Failure) {
      inputs = try lists.map { (path) throws(Failure) in try ListInput(path) }
    } catch {
      throw diagnostics.end(error)
    }
    if output != "-", OutputNames.isRead(output, by: inputs.flatMap(\.paths)) {
      throw diagnostics.end(
        UserMessage("'\(output)' is one of the stores and would be overwritten"), ExitStatus.usage)
    }
    try OutputNames.check([output])
    do throws(Failure) {
      let parts = try Self.parts(of: inputs)
      if json { return try RecordObjects(output).write(parts) }
      let context = StageContext(meter: StageMeter(Self.stage), rejects: try RejectLog())
      let writer = try TextOutput(options, context)
      var batch = RecordBatch()
      for part in parts {
        let failure: Failure?
        switch part {
        case .store(let path):
          failure = try Self.write(path, writer, &batch).map { .unreadableStore($0, path: path) }
        case .lookup(let directory): failure = try Self.write(directory, writer, &batch)
        }
        if let failure {
          // The records before the damage are valid; they are written to standard output.
          if output == "-" { try writer.finish() }
          throw failure
        }
      }
      try writer.finish()
    } catch {
      throw diagnostics.end(error)
    }
  }

  /// What to write, one after another. The headers of shards are checked before the first record is written.
  private static func parts(of inputs: [ListInput]) throws(Failure) -> [WrittenList] {
    var parts: [WrittenList] = []
    for input in inputs {
      if case .lookup(let directory) = input {
        parts.append(.lookup(directory))
      } else {
        parts += try input.storePaths().map { .store($0) }
      }
    }
    return parts
  }

  /// Writes a store's records; returns the error if it could not be read completely.
  private static func write(
    _ path: String, _ writer: TextOutput, _ batch: inout RecordBatch
  ) throws(Failure) -> CallStoreError? {
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
      if !batch.isEmpty { try writer.receive(&batch) }
      if failure != nil || !hasMore { return failure }
    }
  }

  /// Writes a directory's records; returns the error if it could not be read completely.
  private static func write(
    _ directory: LookupDirectory, _ writer: TextOutput, _ batch: inout RecordBatch
  ) throws(Failure) -> Failure? {
    var records = LookupRecords(directory)
    while true {
      var hasMore = false
      var failure: Failure?
      do throws(Failure) {
        hasMore = try records.fill(&batch)
      } catch {
        failure = error
      }
      if !batch.isEmpty { try writer.receive(&batch) }
      if failure != nil || !hasMore { return failure }
    }
  }
}

/// A list whose records `cdpipe cat` writes.
enum WrittenList {
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
