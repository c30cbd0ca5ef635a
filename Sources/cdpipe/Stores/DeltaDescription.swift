// The content of a delta, as `info` prints it.

import CallDeltaReader
import StoreWriting
import CallStoreFormat
import CallStoreReader
import Hashing
import FoundationEssentials
import Records

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
