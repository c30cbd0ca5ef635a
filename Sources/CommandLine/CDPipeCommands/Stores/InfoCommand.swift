// `cdpipe info`

import ArgumentParser
import CallStoreFormat
import CallStoreReader
import ContentHash
import FoundationEssentials

struct InfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Tell what a store or a delta holds.",
    discussion: "Entries are single numbers, as iOS counts them; a range is one record and many entries.")

  @Argument(help: ArgumentHelp("The store or delta.", valueName: "file"))
  var store: String

  @Flag(help: "As a JSON object.")
  var json = false

  /// What a store holds, as its JSON form has it.
  private struct Facts: Encodable {
    struct ByKind: Encodable {
      var blocking: UInt64
      var identification: UInt64
    }
    var file: String
    var bytes: Int
    var contentHash: String
    var records: ByKind
    var entries: ByKind
    var first: UInt64?
    var last: UInt64?
    var blocks: Int
    var tableLabels: Int
  }

  func run() throws {
    if DeltaFile.isDelta(store) {
      return try DeltaFacts.show(store, isJSON: json, Diagnostics(command: "info"))
    }
    let facts = try withStore(store, Diagnostics(command: "info")) { (opened) throws(CallStoreError) in
      Facts(
        file: store, bytes: opened.byteCount, contentHash: Hexadecimal.text(opened.contentHash),
        records: Facts.ByKind(
          blocking: opened.recordCount(of: .blocking), identification: opened.recordCount(of: .identification)
        ),
        entries: Facts.ByKind(
          blocking: opened.entryCount(of: .blocking), identification: opened.entryCount(of: .identification)),
        first: opened.firstNumber, last: opened.lastNumber, blocks: opened.blockCount,
        tableLabels: opened.labelCount)
    }
    if json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      print(String(decoding: try encoder.encode(facts), as: UTF8.self))
    } else {
      Self.show(facts)
    }
  }

  private static func show(_ facts: Facts) {
    func line(_ name: String, _ value: String) { print(name.padding(to: 16) + value) }
    line("store", facts.file)
    line("content hash", facts.contentHash)
    line("size", "\(Figures.grouped(UInt64(facts.bytes))) bytes")
    line("records", "\(Figures.grouped(facts.records.blocking + facts.records.identification))")
    line(
      "entries",
      "\(Figures.grouped(facts.entries.blocking + facts.entries.identification)) "
        + "(\(Figures.grouped(facts.entries.identification)) to identify, "
        + "\(Figures.grouped(facts.entries.blocking)) to block)")
    if let first = facts.first, let last = facts.last { line("numbers", "\(first) to \(last)") }
    line("labels", "\(Figures.grouped(UInt64(facts.tableLabels))) in the table")
  }
}
