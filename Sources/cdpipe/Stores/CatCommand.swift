// `cdpipe cat`

import ArgumentParser
import CallStoreReader
import RecordStages
import Records
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

struct CatCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "cat", abstract: "Write the records of stores as text.",
    discussion: """
      Writes the records of both kinds in ascending order, one per line: number or first..last, and the label. These are \
      the emitted records, except for sources and scores, which a store does not contain. Of a directory, all shards are \
      written in the order of their numbers. With --json, writes one object per record, with its kind.
      """)

  static let examples = [
    Example("Write the records of a store as text", "cdpipe cat numbers.cdstore"),
    Example("Write the records of all shards to a file", "cdpipe cat shards -o all.tsv"),
    Example("Write them as a table for a spreadsheet", "cdpipe cat --csv-safe shards -o all.csv"),
    Example("Count the records of each label", "cdpipe cat numbers.cdstore | cut -f 2 | sort | uniq -c"),
  ]

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

  @Option(
    name: [.customShort("o", allowingJoined: true), .long],
    help: ArgumentHelp("Write to FILE, which is replaced when everything is written.", valueName: "file"),
    completion: .file())
  var output = "-"

  @Flag(help: "Write one JSON object per record, with its kind.")
  var json = false

  @OptionGroup var colours: ColourOptions

  /// The name of the command in errors of the output.
  private static let stage = StageName(rawValue: "cat")

  func validate() throws {
    if json, format != nil || csvSafe { throw ValidationError("--json excludes --format and --csv-safe") }
    if json, [".csv", ".tsv", ".cdstore"].contains(where: output.hasSuffix) {
      throw ValidationError("'\(output)' is not a name for JSON: remove --json, or choose a name in .jsonl")
    }
    if !json, format == nil, let choices = EmitFormat.choices(named: output) {
      throw ValidationError(EmitFormat.unclearName(output, choices))
    }
    if options.format == .store {
      throw ValidationError("'\(output)' is the name of a store, but cat writes text: choose --format")
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
      inputs = try lists.map { (path) throws(Failure) in try ListInput(argument: path) }
    } catch {
      throw diagnostics.end(error)
    }
    if output != "-", OutputNames.isRead(output, by: inputs.flatMap(\.paths)) {
      throw diagnostics.end(
        UserMessage("'\(output)' is one of the stores and would be overwritten"), ExitStatus.usage)
    }
    try OutputNames.check([output], diagnostics)
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
    do throws(ShardDirectoryError) {
      var parts: [WrittenList] = []
      for input in inputs {
        if case .lookup(let directory) = input {
          parts.append(.lookup(directory))
        } else {
          parts += try input.storePaths().map { .store($0) }
        }
      }
      return parts
    } catch {
      throw Failure(nil, error)
    }
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
