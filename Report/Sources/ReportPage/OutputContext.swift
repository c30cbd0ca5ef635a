// An output of the run: its files, and what has changed.

import RunReport

/// An output of the run.
struct OutputContext {
  let path: String
  /// The components of the path, so that a line can end after each.
  let parts: [String]
  let format: String
  let facts: [PageContext.Fact]
  let change: String?
  /// The shards of a directory; nil for other outputs.
  let shards: PageTable?

  init(_ output: RunReport.Output) {
    path = output.path
    parts = Self.parts(output.path)
    format = output.format
    var facts = [PageContext.Fact(name: "size", value: Figures.bytes(output.bytes))]
    if let entries = output.entries {
      facts.append(
        PageContext.Fact(
          name: "entries",
          value:
            "\(Figures.grouped(entries.sum)) (\(Figures.grouped(entries.identification)) to identify, "
            + "\(Figures.grouped(entries.blocking)) to block)"))
    }
    if let records = output.records {
      facts.append(PageContext.Fact(name: "records", value: Figures.grouped(records.sum)))
    }
    if let shards = output.shards {
      facts.append(PageContext.Fact(name: "shards", value: Figures.grouped(UInt64(shards.count))))
    }
    if let contentID = output.contentID {
      facts.append(PageContext.Fact(name: "content id", id: contentID))
    }
    self.facts = facts
    change = output.change.map { Self.words($0, output) }
    let shards = output.shards ?? []
    self.shards =
      shards.isEmpty
      ? nil
      : PageTable(
        id: "", names: ["file"], figures: ["shard", "entries", "size"],
        rows: shards.map { shard in
          (
            names: [shard.name],
            figures: [String(shard.id), Figures.grouped(shard.entries.sum), Figures.bytes(shard.bytes)]
          )
        })
  }

  /// The components of a path, each but the last with its slash. The ids of versions, which are 64 hexadecimal digits,
  /// are cut.
  static func parts(_ path: String) -> [String] {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
      part.utf8.count == 64 && part.allSatisfy(\.isHexDigit) ? Figures.short(String(part)) : String(part)
    }
    return parts.dropLast().map { $0 + "/" } + parts.suffix(1)
  }

  /// Describes the change from the previous output.
  static func words(_ change: RunReport.Output.Change, _ output: RunReport.Output) -> String {
    if change.isUnchanged { return "Unchanged." }
    var parts: [String] = []
    if let entries = output.entries {
      parts.append(
        "\(Figures.grouped(change.entries.sum)) entries before, \(Figures.grouped(entries.sum)) now")
    }
    if let numbers = change.numbers {
      parts.append(
        "+\(Figures.grouped(numbers.added)), −\(Figures.grouped(numbers.removed)), "
          + "\(Figures.grouped(numbers.relabelled)) relabelled numbers")
    } else if let removals = change.removals, let additions = change.additions {
      parts.append("+\(Figures.grouped(additions)), −\(Figures.grouped(removals)) numbers")
    }
    if let kept = change.shardsKept, let shards = output.shards {
      parts.append(
        kept == 0
          ? "no shard unchanged (of \(shards.count))" : "\(kept) of \(shards.count) shards unchanged")
    }
    return parts.joined(separator: "; ") + "."
  }
}
