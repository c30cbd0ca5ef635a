// `cdpipe info`

import Runner
import ArgumentParser
import StoreWriting
import CallStoreFormat
import CallStoreReader
import Hashing
import FoundationEssentials
import Records

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
