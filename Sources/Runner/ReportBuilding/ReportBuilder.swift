// Builds a report from a run's counters, counts and outputs.
//
// Not for when and where it is written (RunReporting), or for its format (RunReport).

import StoreWriting
package import Records
import CallStoreFormat
import Hashing
package import RecordStages
import NumberPlan
package import InputStages

/// Builds reports.
package enum ReportBuilder {
  /// Counts all rows by outcome.
  package static func rows(_ counters: [StageCounters]) -> RunReport.Rows {
    let accounts = Accounts(counters)
    var rows = RunReport.Rows()
    rows.read = accounts.rowsIn
    rows.splits = accounts.splits
    rows.written = accounts.recordsOut
    rows.duplicates = accounts.duplicates
    rows.rejects = accounts.rejects
    rows.leftOut = accounts.leftOut
    rows.removed = accounts.removed
    rows.joined = accounts.joined
    rows.patterns = some(accounts.patterns)
    rows.patternNumbers = some(accounts.patternNumbers)
    rows.isBalanced = accounts.isBalanced
    return rows
  }

  /// Lists the sources with their own stages. `contents` has the sizes and hashes as far as they are known.
  package static func sources(
    _ counters: [StageCounters], _ contents: [RunProvenance.Source] = []
  ) -> [RunReport.Source] {
    let contents = Dictionary(contents.map { ($0.name, $0) }) { first, _ in first }
    var sources: [RunReport.Source] = []
    var latest: Int?
    for one in counters {
      guard let index = one.sourceIndex else { continue }
      if index != latest {
        latest = index
        var source = RunReport.Source()
        source.name = one.sourceName
        source.bytes = contents[one.sourceName]?.bytes
        source.sha256 = contents[one.sourceName]?.sha256.map { Hexadecimal.text($0) }
        sources.append(source)
      }
      sources[sources.count - 1].stages.append(stage(one.meter))
    }
    return sources
  }

  /// Lists the stages that all sources share.
  package static func shared(_ counters: [StageCounters]) -> [RunReport.Stage] {
    counters.filter { $0.sourceIndex == nil }.map { stage($0.meter) }
  }

  /// Adds the inputs' formats and fields to their sources.
  package static func add(_ notices: [InputNotice], to sources: inout [RunReport.Source]) {
    for notice in notices {
      guard case .layout(let layout) = notice.finding,
        let index = sources.count == 1 ? 0 : sources.firstIndex(where: { $0.name == notice.source })
      else { continue }
      var input = RunReport.Input()
      input.name = notice.input
      input.format = layout.format.rawValue
      input.encoding = layout.encoding
      input.number = layout.number
      input.label = layout.label
      input.source = layout.source
      input.score = layout.score
      input.others = layout.others
      sources[index].inputs = (sources[index].inputs ?? []) + [input]
    }
  }

  private static func stage(_ meter: StageMeter) -> RunReport.Stage {
    var stage = RunReport.Stage()
    stage.stage = meter.stage.rawValue
    stage.rowsIn = meter.rowsIn.value
    stage.rowsOut = meter.rowsOut.value
    stage.bytesIn = some(meter.bytesIn.value)
    stage.rejects = some(meter.rejects.value)
    stage.duplicates = some(meter.duplicates.value)
    stage.leftOut = some(meter.leftOut.value)
    stage.removed = some(meter.removed.value)
    stage.joined = some(meter.joined.value)
    stage.splits = some(meter.splits.value)
    stage.patterns = some(meter.patterns.value)
    stage.patternNumbers = some(meter.patternNumbers.value)
    stage.conflicts = some(meter.conflicts.value)
    stage.bytesSpilled = some(meter.bytesSpilled.value)
    return stage
  }

  private static func some(_ count: UInt64) -> UInt64? { count > 0 ? count : nil }

  // MARK: Counts

  /// Lists labels, most frequent first.
  package static func labels(_ counts: RecordCounts) -> RunReport.Tally {
    tally(counts.labels, rest: counts.otherLabels) { String(decoding: $0, as: UTF8.self) }
  }

  /// Lists calling codes with their regions; numbers without a calling code have an empty name.
  package static func callingCodes(_ counts: CountryCounts) -> RunReport.Tally {
    let countries = counts.countries.map {
      (key: $0.callingCode, value: RecordCounts.Count(records: $0.records, entries: $0.entries))
    }
    var tally = tally(countries, rest: RecordCounts.Count()) { $0 == 0 ? "" : String($0) }
    for index in tally.items.indices {
      guard let code = UInt16(tally.items[index].name) else { continue }
      tally.items[index].regions = NumberPlan.regions(callingCode: code).map(\.code)
    }
    return tally
  }

  /// How many numbers are valid in their country.
  package static func validity(_ counts: CountryCounts) -> RunReport.Validity {
    var validity = RunReport.Validity()
    validity.checked = counts.checked
    validity.invalid = counts.invalid
    return validity
  }

  /// Lists the first digits of numbers.
  package static func prefixes(_ counts: RecordCounts) -> RunReport.Tally {
    tally(counts.prefixes, rest: counts.otherPrefixes) { String($0) }
  }

  private static func tally<Name>(
    _ counts: some Sequence<(key: Name, value: RecordCounts.Count)>, rest: RecordCounts.Count,
    text: (Name) -> String
  ) -> RunReport.Tally {
    let ranked = RankedCounts(counts, rest: rest, listedMax: RunReport.Tally.listedMax, text: text)
    var tally = RunReport.Tally()
    for (name, count) in ranked.listed {
      var item = RunReport.Tally.Item()
      item.name = shortened(text(name), to: RunReport.Tally.nameMax)
      item.records = count.records
      item.entries = count.entries
      tally.items.append(item)
    }
    if let unlisted = ranked.others {
      var others = RunReport.Tally.Others()
      others.count = unlisted.names
      others.records = unlisted.count.records
      others.entries = unlisted.count.entries
      tally.others = others
    }
    return tally
  }

  /// Shortens a text to at most `count` characters.
  package static func shortened(_ text: String, to count: Int) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: count, limitedBy: scalars.endIndex),
      end != scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }

  // MARK: Outputs

  /// Describes an output.
  package static func output(_ emitted: EmittedOutput) -> RunReport.Output {
    var output = RunReport.Output()
    output.path = emitted.path
    output.format = emitted.format.rawValue
    output.bytes = emitted.bytes
    output.contentID = emitted.contentID
    if emitted.contentID != nil {
      output.records = sum(emitted.stores.map(\.records))
      output.entries = sum(emitted.stores.map(\.entries))
    }
    if emitted.isDirectory {
      output.shards = emitted.stores.map { store in
        var shard = RunReport.Output.Shard()
        shard.id = store.id ?? 0
        shard.name = store.name
        shard.bytes = store.bytes
        shard.entries = sum([store.entries])
        shard.contentHash = store.contentHash
        return shard
      }
    }
    if let previous = emitted.previous {
      var change = RunReport.Output.Change()
      change.from = previous.contentID
      change.isUnchanged = previous.contentID == emitted.contentID
      change.records = sum([previous.records])
      change.entries = sum([previous.entries])
      if emitted.isDirectory {
        let before = Set(previous.stores)
        change.shardsKept = emitted.stores.count { before.contains($0.contentHash) }
      }
      change.removals = emitted.removals
      change.additions = emitted.additions
      change.numbers = emitted.changes.map {
        RunReport.Output.Numbers(added: $0.added, removed: $0.removed, relabelled: $0.relabelled)
      }
      output.change = change
    }
    return output
  }

  private static func sum(_ all: [KindCounts]) -> RunReport.ByKind {
    all.reduce(into: RunReport.ByKind()) {
      $0.blocking &+= $1.blocking
      $0.identification &+= $1.identification
    }
  }
}
