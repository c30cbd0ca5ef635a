// `cdpipe info`

import ArgumentParser
import CallDeltaReader
import CallStoreFormat
import CallStoreReader
import FoundationEssentials
import Hashing
import Records
import Runner
import StoreWriting

struct InfoCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Show the content of a store, a delta or a directory.",
    discussion: """
      Entries are single numbers, as counted by iOS; a range is one record with many entries. Of a directory, only the \
      manifest is read.
      """)

  static let examples = [
    Example("Show what a store contains", "cdpipe info numbers.cdstore"),
    Example("Show the shards of a directory", "cdpipe info shards"),
    Example("Print its content hash", "cdpipe info --json numbers.cdstore | grep contentHash"),
    Example("Show which stores a delta is for", "cdpipe info change.cddelta"),
  ]

  @Argument(
    help: ArgumentHelp("The store, delta or directory.", valueName: "file"), completion: .store)
  var store: String

  @Flag(help: "Print a JSON object.")
  var json = false

  @OptionGroup var colours: ColourOptions

  /// The JSON form of a store's content.
  private struct StoreDescription: Encodable {
    var file: String
    var bytes: Int
    var contentHash: String
    var records: KindCounts
    var entries: KindCounts
    var first: UInt64?
    var last: UInt64?
    var blocks: Int
    var tableLabels: Int
  }

  func run() throws {
    let diagnostics = Diagnostics(command: "info")
    if DeltaFile.isDelta(store) { return try DeltaDescription.show(store, isJSON: json, diagnostics) }
    let input: ListInput
    do throws(Failure) {
      input = try ListInput(argument: store)
    } catch {
      throw diagnostics.end(error)
    }
    switch input {
    case .shards(let directory):
      Self.show(DirectoryMessages.lines(directory), orJSON: json ? DirectoryMessages.json(directory) : nil)
    case .lookup(let directory):
      Self.show(
        LookupDirectoryMessages.lines(directory), orJSON: json ? LookupDirectoryMessages.json(directory) : nil
      )
    case .file: try showStore(diagnostics)
    }
  }

  private static func show(_ lines: [String], orJSON json: String?) {
    for line in json.map({ [$0] }) ?? lines { StandardOutput.print(line) }
  }

  private func showStore(_ diagnostics: Diagnostics) throws {
    let description = try withStore(store, diagnostics, acceptsDeltas: true) {
      (opened) throws(CallStoreError) in
      StoreDescription(
        file: store, bytes: opened.byteCount, contentHash: Hexadecimal.text(opened.contentHash),
        records: opened.recordCounts,
        entries: opened.entryCounts,
        first: opened.firstNumber, last: opened.lastNumber, blocks: opened.blockCount,
        tableLabels: opened.labelCount)
    }
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      StandardOutput.print(String(decoding: try encoder.encode(description), as: UTF8.self))
    } else {
      Self.show(description)
    }
  }

  private static func show(_ description: StoreDescription) {
    func line(_ name: String, _ value: String) { StandardOutput.print(name.padding(to: 16) + value) }
    line("store", PrintableText.name(description.file))
    line("content hash", description.contentHash)
    line("size", "\(Figures.grouped(UInt64(description.bytes))) bytes")
    line("records", "\(Figures.grouped(description.records.blocking + description.records.identification))")
    line(
      "entries",
      "\(Figures.grouped(description.entries.blocking + description.entries.identification)) "
        + "(\(Figures.grouped(description.entries.identification)) to identify, "
        + "\(Figures.grouped(description.entries.blocking)) to block)")
    if let first = description.first, let last = description.last { line("numbers", "\(first) to \(last)") }
    line("labels", "\(Figures.grouped(UInt64(description.tableLabels))) in the table")
  }
}

/// The content of a delta, as `info` prints it.
struct DeltaDescription: Encodable {
  /// The counts of one of a delta's two stores.
  struct Counts: Encodable {
    var records: UInt64
    var entries: UInt64
  }
  var file: String
  var bytes: Int
  var from: String
  var to: String
  var step: Int
  var steps: Int
  var removals: Counts
  var additions: Counts

  init(_ path: String) throws(CallDeltaError) {
    let delta = try CallDelta(path: path)
    file = path
    bytes = delta.header.additions.upperBound
    from = Hexadecimal.text(delta.header.baselineHash)
    to = Hexadecimal.text(delta.header.resultHash)
    step = delta.header.step
    steps = delta.header.steps
    removals = Self.counts(delta.removals)
    additions = Self.counts(delta.additions)
  }

  private static func counts(_ store: borrowing CallStore) -> Counts {
    Counts(
      records: store.recordCount(of: .blocking) + store.recordCount(of: .identification),
      entries: store.entryCount(of: .blocking) + store.entryCount(of: .identification))
  }

  static func show(_ path: String, isJSON: Bool, _ diagnostics: Diagnostics) throws {
    let description: DeltaDescription
    do throws(CallDeltaError) {
      description = try DeltaDescription(path)
    } catch {
      throw diagnostics.end(error.userMessage(path: path), error.status)
    }
    guard !isJSON else {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return StandardOutput.print(String(decoding: try encoder.encode(description), as: UTF8.self))
    }
    func line(_ name: String, _ value: String) { StandardOutput.print(name.padding(to: 16) + value) }
    func counts(_ counts: Counts) -> String {
      Figures.counted(counts.records, "record") + ", "
        + Figures.counted(counts.entries, "entry", plural: "entries")
    }
    line("delta", PrintableText.name(path))
    line("from", description.from)
    line("to", description.to)
    line("step", "\(description.step) of \(description.steps)")
    line("size", "\(Figures.grouped(UInt64(description.bytes))) bytes")
    line("removals", counts(description.removals))
    line("additions", counts(description.additions))
  }
}

extension CallStoreError {
  var status: ExitCode {
    if case .cannotOpen(let code) = self { ExitStatus.opening(code) } else { ExitStatus.badData }
  }
}

extension CallDeltaError {
  var status: ExitCode {
    if case .cannotOpen(let code) = self { ExitStatus.opening(code) } else { ExitStatus.badData }
  }
}

/// Runs `body` with an open store; an error ends the command.
///
/// - Parameter acceptsDeltas: whether the command reads deltas as well; a message then names both.
func withStore<Result>(
  _ path: String, _ diagnostics: Diagnostics, acceptsDeltas: Bool = false,
  _ body: (borrowing CallStore) throws(CallStoreError) -> Result
) throws -> Result {
  do throws(CallStoreError) {
    let store = try CallStore(path: path)
    return try body(store)
  } catch {
    throw diagnostics.end(error.userMessage(path: path, acceptsDeltas: acceptsDeltas), error.status)
  }
}

extension ListInput {
  /// Finds out what an argument of a command names.
  init(argument path: String) throws(Failure) {
    do throws(ShardDirectoryError) {
      self = try ListInput(path)
    } catch {
      throw Failure(nil, error)
    }
  }
}
