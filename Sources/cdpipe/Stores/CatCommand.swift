// `cdpipe cat`

import ArgumentParser
import BasicContainers
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

  private static let excluded: [EmitFormat] = [.store, .pir, .template]

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

  @OptionGroup var packing: PackingOptions
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
    if !json, let error = EmitFormat.nameError(output, chosen: format?.format) {
      throw ValidationError(error)
    }
    try refuse(
      packing.packed && (json || options.format != .tsv), "--packed is a form of the format tsv")
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
    let isPacked = try !json && options.format == .tsv && packing.form(output: output) == .packed
    // The header comes before anything can fail.
    let stream = isPacked && output == OutputFile.standardOutput ? try PackedRecords(output, Self.stage) : nil
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "cat")
    let inputs: [ListInput]
    do throws(Failure) {
      inputs = try lists.map { (path) throws(Failure) in try ListInput(path, of: nil) }
    } catch {
      throw diagnostics.end(error)
    }
    if output != "-", OutputNames.isRead(output, by: inputs.flatMap(\.paths)) {
      throw diagnostics.end(
        UserMessage("'\(output)' is one of the stores and would be overwritten"), ExitStatus.usage)
    }
    try OutputNames.check([output])
    do throws(Failure) {
      // The headers of shards are checked before the first record is written.
      var parts = RigidArray<ListRecords>(capacity: inputs.count)
      for input in inputs { parts.append(try ListRecords(stores: input, nil, keepsKinds: json)) }
      if json { return try write(&parts, to: RecordObjects(output, Self.stage)) }
      if let stream { return try write(&parts, to: stream) }
      if isPacked { return try write(&parts, to: PackedRecords(output, Self.stage)) }
      let context = StageContext(meter: StageMeter(Self.stage), rejects: try RejectLog())
      try write(&parts, to: TextOutput(options, context))
    } catch {
      throw diagnostics.end(error)
    }
  }

  /// Writes the records of all lists, one list after another.
  private func write(
    _ parts: inout RigidArray<ListRecords>, to writer: some RecordWriting
  ) throws(Failure) {
    var batch = RecordBatch()
    for part in 0..<parts.count {
      var failure: Failure?
      var hasMore = true
      while hasMore {
        do throws(Failure) {
          hasMore = try parts[part].next(&batch)
        } catch {
          failure = error
          hasMore = false
        }
        if !batch.isEmpty { try writer.write(&batch, areBlocked: parts[part].areBlocked) }
      }
      guard let failure else { continue }
      // The records before the damage are valid; they are written to standard output.
      if output == OutputFile.standardOutput { try writer.endEarly() }
      throw failure
    }
    try writer.finish()
  }
}

private protocol RecordWriting {
  /// Writes a batch, and empties it.
  func write(_ batch: inout RecordBatch, areBlocked: [Bool]) throws(Failure)
  func finish() throws(Failure)
  /// Passes on what was written before a failure.
  func endEarly() throws(Failure)
}

extension RecordWriting {
  fileprivate func endEarly() throws(Failure) { try finish() }
}

/// Writes records in the packed form, whose end mark shows that none are missing.
private struct PackedRecords: RecordWriting {
  private let writer: RecordWriter

  init(_ output: String, _ stage: StageName) throws(Failure) {
    writer = RecordWriter(
      downstream: try FileSink(output, stage: stage, calls: KernelCalls()), form: .packed)
    try writer.begin()
  }

  func write(_ batch: inout RecordBatch, areBlocked: [Bool]) throws(Failure) { try writer.receive(&batch) }
  func finish() throws(Failure) { try writer.finish() }
  func endEarly() throws(Failure) { try writer.flush() }
}

extension TextOutput: RecordWriting {
  fileprivate func write(_ batch: inout RecordBatch, areBlocked: [Bool]) throws(Failure) {
    try receive(&batch)
  }
}

/// Writes records as JSON objects with their kinds, one per line.
private struct RecordObjects: RecordWriting {
  private let writer: TextWriter

  init(_ output: String, _ stage: StageName) throws(Failure) { writer = try TextWriter(output, stage) }

  func write(_ batch: inout RecordBatch, areBlocked: [Bool]) throws(Failure) {
    var labels: [[UInt8]] = []
    for index in 0..<batch.fieldsTable.count {
      let label = RecordFields.fields(batch.fieldsTable[index]).label
      labels.append(Array("\",\"label\":\(JSONQuoting.quoted(label))}\n".utf8))
    }
    for index in 0..<batch.count {
      let kind = areBlocked[index] ? "blocking" : "identification"
      try writer.write(
        "{\"first\":\(batch.firsts[index]),\"last\":\(batch.lasts[index]),\"kind\":\"\(kind)")
      try writer.write(labels[Int(batch.fieldsIndices[index])])
    }
    batch.removeAll()
  }

  func finish() throws(Failure) { try writer.finish() }
}
