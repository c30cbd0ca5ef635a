// Builds a report from a run's counters, counts and outputs.

import CallManifest
import CallStoreFormat
import Hashing
package import InputStages
import NumberPlan
package import RecordStages
package import Records
import StoreWriting
package import SystemIO
import SystemPackage

package enum ReportBuilder {
  package static func rows(_ counters: [StageCounters]) -> RunReport.Rows {
    let accounts = Accounts(counters)
    return RunReport.Rows(
      read: accounts.rowsIn, splits: accounts.splits, written: accounts.recordsOut,
      duplicates: accounts.duplicates, rejects: accounts.rejects, leftOut: accounts.leftOut,
      removed: accounts.removed, joined: accounts.joined, inferred: some(accounts.inferred),
      patterns: some(accounts.patterns),
      patternNumbers: some(accounts.patternNumbers), isBalanced: accounts.isBalanced)
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

  package static func shared(_ counters: [StageCounters]) -> [RunReport.Stage] {
    counters.filter { $0.sourceIndex == nil }.map { stage($0.meter) }
  }

  /// Lists the reasons of records that were left out, in the order of the stages.
  package static func leftOut(_ counters: [StageCounters]) -> [RunReport.LeftOutUse]? {
    var uses: [RunReport.LeftOutUse] = []
    for counter in counters {
      let stage = counter.meter.stage.rawValue
      for (reason, count) in counter.meter.leftOutByReason.sorted(by: { $0.key < $1.key }) {
        if let index = uses.firstIndex(where: { $0.stage == stage && $0.reason == reason }) {
          uses[index].count += count
        } else {
          uses.append(RunReport.LeftOutUse(stage: stage, reason: reason, count: count))
        }
      }
    }
    return uses.isEmpty ? nil : uses
  }

  package static func add(_ notices: [InputNotice], to sources: inout [RunReport.Source]) {
    for notice in notices {
      guard case .layout(let layout) = notice.finding,
        let index = sources.count == 1 ? 0 : sources.firstIndex(where: { $0.name == notice.source })
      else { continue }
      let input = RunReport.Input(
        name: notice.input, format: layout.format.rawValue, encoding: layout.encoding,
        number: layout.number, label: layout.label, source: layout.source, score: layout.score,
        date: layout.date,
        last: layout.last, country: layout.country, areaCode: layout.areaCode, others: layout.others)
      sources[index].inputs = (sources[index].inputs ?? []) + [input]
    }
  }

  private static func stage(_ meter: StageMeter) -> RunReport.Stage {
    let reasons = meter.leftOutByReason
    return RunReport.Stage(
      stage: meter.stage.rawValue, rowsIn: meter.rowsIn.value, rowsOut: meter.rowsOut.value,
      bytesIn: some(meter.bytesIn.value), rejects: some(meter.rejects.value),
      duplicates: some(meter.duplicates.value), leftOut: some(meter.leftOut.value),
      removed: some(meter.removed.value), joined: some(meter.joined.value),
      splits: some(meter.splits.value), inferred: some(meter.inferred.value),
      leftOutReasons: reasons.isEmpty ? nil : reasons, patterns: some(meter.patterns.value),
      patternNumbers: some(meter.patternNumbers.value), conflicts: some(meter.conflicts.value),
      bytesSpilled: some(meter.bytesSpilled.value))
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
      tally.items[index].country = CountryText.country(callingCode: code)
    }
    return tally
  }

  package static func validity(_ counts: CountryCounts) -> RunReport.Validity {
    RunReport.Validity(checked: counts.checked, invalid: counts.invalid)
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
      tally.items.append(
        RunReport.Tally.Item(
          name: PrintableText.shortened(text(name), to: RunReport.Tally.nameMax), records: count.records,
          entries: count.entries))
    }
    tally.others = ranked.others.map {
      RunReport.Tally.Others(count: $0.names, records: $0.count.records, entries: $0.count.entries)
    }
    return tally
  }

  // MARK: Outputs

  package static func output(_ emitted: EmittedOutput) -> RunReport.Output {
    var output = RunReport.Output(
      path: emitted.path, format: emitted.format.rawValue, bytes: emitted.bytes,
      contentID: emitted.contentID)
    if emitted.contentID != nil {
      output.records = sum(emitted.stores.map(\.file.records))
      output.entries = sum(emitted.stores.map(\.file.entries))
    }
    if emitted.isDirectory {
      output.shards = emitted.stores.map { store in
        RunReport.Output.Shard(
          id: store.id ?? 0, name: store.file.name, bytes: store.file.bytes,
          entries: sum([store.file.entries]), contentHash: store.file.contentHash)
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
        change.shardsKept = emitted.stores.count { before.contains($0.file.contentHash) }
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

// MARK: - The changes from one version of a list to the next, for a report

extension ReportBuilder {
  /// Compares two lists, as `cdpipe diff --summary` does.
  package static func changes(
    from: String, old: String, new: String, calls: any SystemCalls
  ) throws(Failure) -> RunReport.Changes {
    let context = StageContext(meter: StageMeter(.diff), rejects: try RejectLog(), calls: calls)
    var difference = try ListDifference(old: old, new: new, allFields: false, context)
    var tally = ChangeTally()
    var examples = ChangeExamples()
    try difference.walk { (change) throws(Failure) in
      tally.add(change)
      examples.add(change)
    }
    return changes(from: from, tally.summary, examples.result)
  }

  package static func changes(
    from: String, _ summary: ChangeSummary, _ examples: RunReport.Changes.Examples
  ) -> RunReport.Changes {
    var changes = RunReport.Changes(from: from)
    changes.numbers = RunReport.Output.Numbers(
      added: summary.total.added, removed: summary.total.removed, relabelled: summary.total.relabelled)
    changes.labels = breakdown(summary.labels.map { (item($0), $0.counts) }, rest: summary.otherLabels)
    changes.countries = breakdown(summary.countries.map { (item($0), $0.counts) }, rest: ChangeCounts())
    changes.examples = examples
    return changes
  }

  private static func item(_ label: ChangeSummary.Label) -> RunReport.Changes.Item {
    RunReport.Changes.Item(name: PrintableText.shortened(label.label, to: RunReport.Tally.nameMax))
  }

  private static func item(_ country: ChangeSummary.Country) -> RunReport.Changes.Item {
    RunReport.Changes.Item(
      name: country.callingCode == 0 ? "" : String(country.callingCode), region: country.region,
      country: country.callingCode == 0 ? nil : CountryText.country(callingCode: country.callingCode))
  }

  /// The first items with their counts, and the sum of the others and of `rest`.
  private static func breakdown(
    _ all: [(item: RunReport.Changes.Item, counts: ChangeCounts)], rest: ChangeCounts
  ) -> RunReport.Changes.Breakdown {
    var breakdown = RunReport.Changes.Breakdown()
    breakdown.items = all.prefix(RunReport.Changes.listedMax).map { item, counts in
      var item = item
      (item.added, item.removed, item.relabelled) = (counts.added, counts.removed, counts.relabelled)
      return item
    }
    let unlisted = all.dropFirst(RunReport.Changes.listedMax)
    if unlisted.isEmpty, rest.sum == 0 { return breakdown }
    var sum = rest
    for one in unlisted { sum.add(one.counts) }
    breakdown.others = RunReport.Changes.Others(
      count: rest.sum == 0 ? unlisted.count : nil, added: sum.added, removed: sum.removed,
      relabelled: sum.relabelled)
    return breakdown
  }
}

package struct ChangeExamples {
  private var added = EvenSample<ListChange>(max: RunReport.Changes.examplesMax)
  private var removed = EvenSample<ListChange>(max: RunReport.Changes.examplesMax)
  private var relabelled = EvenSample<ListChange>(max: RunReport.Changes.examplesMax)

  package init() {}

  package mutating func add(_ change: ListChange) {
    switch change.kind {
    case .added: added.add(change)
    case .removed: removed.add(change)
    case .relabelled: relabelled.add(change)
    case .votes, .changed: break
    }
  }

  package var result: RunReport.Changes.Examples {
    RunReport.Changes.Examples(
      added: added.result.map(Self.example), removed: removed.result.map(Self.example),
      relabelled: relabelled.result.map(Self.example))
  }

  private static func example(_ change: ListChange) -> RunReport.Changes.Example {
    func label(_ fields: [UInt8]) -> String {
      PrintableText.shortened(RecordFields.fields(fields.span).label, to: RunReport.Tally.nameMax)
    }
    return RunReport.Changes.Example(
      first: change.first, last: change.last, label: label(change.kind == .removed ? change.old : change.new),
      before: change.kind == .relabelled ? label(change.old) : nil)
  }
}

/// A sample of a sequence of unknown length, spread evenly over it: the same sequence has the same sample.
///
/// Memory: twice the maximum number of elements.
struct EvenSample<Element> {
  private let max: Int
  /// Every `stride`-th element is kept.
  private var stride = 1
  private var seen = 0
  private var kept: [Element] = []

  init(max: Int) { self.max = max }

  mutating func add(_ element: Element) {
    defer { seen += 1 }
    guard seen % stride == 0 else { return }
    // `seen` is then a multiple of the doubled stride, too.
    if kept.count == 2 * max {
      kept = kept.indices.filter { $0 % 2 == 0 }.map { kept[$0] }
      stride *= 2
    }
    kept.append(element)
  }

  /// At most `max` elements, in order.
  var result: [Element] { kept.count <= max ? kept : (0..<max).map { kept[$0 * kept.count / max] } }
}

// MARK: - A report file of a run

/// A file that is published at the end of a run.
package final class ReportFile {
  private var file: OutputFile?

  package init(_ path: String) throws(Failure) {
    file = try asFailure(nil) { () throws(SystemError) in try OutputFile(path) }
  }

  /// Writes the content and publishes the file. Call it once.
  package func publish(_ text: [UInt8]) throws(Failure) {
    guard var file = file.take() else { return }
    do throws(SystemError) {
      try file.write(text.span)
      try file.publish()
    } catch {
      throw Failure(nil, error)
    }
  }

  package func publish(report: some Encodable) throws(Failure) { try publish(Self.json(report)) }

  private static func json(_ report: some Encodable) -> [UInt8] {
    Array((JSONDocument.text(report) + "\n").utf8)
  }

  /// Runs a program that writes a report's page to the file, and publishes the file. Call it once.
  package func publish(report: some Encodable, by program: ReportProgram) throws(Failure) {
    guard let file = file.take() else { return }
    try program.write(Self.json(report), to: file.descriptor)
    do throws(SystemError) {
      try file.publish()
    } catch {
      throw Failure(nil, error)
    }
  }
}

// MARK: - The program that formats a report as a page
//
// It is looked up before a run, so that its absence is an early error.
//
// It is a separate program because few users need pages, and filters should not load a template library.

/// `cdpipe-report`.
package struct ReportProgram {
  package static let name = "cdpipe-report"
  /// The environment variable that overrides its path.
  package static let variable = "CDPIPE_REPORT"

  private let path: String

  package init() throws(Failure) {
    if let path = RunningProcess.environment(Self.variable), !path.isEmpty {
      guard ProgramPath.isProgram(path) else { throw .notAProgram(path) }
      self.path = path
    } else {
      guard let path = ProgramPath.find(Self.name) else { throw .noReportProgram }
      self.path = path
    }
  }

  package static func isPage(_ path: String) -> Bool {
    let name = path.lowercased()
    return name.hasSuffix(".html") || name.hasSuffix(".htm")
  }

  func write(_ report: [UInt8], to page: FileDescriptor) throws(Failure) {
    let input = try asFailure(nil) { () throws(SystemError) in
      // Appending writes at explicit offsets, so the file's own offset is still at the start.
      var file = try TemporaryFile(in: TemporaryFile.defaultDirectory)
      try file.append(report.span)
      return file
    }
    let ending: ChildProgram.Termination
    do throws(Errno) {
      ending = try ChildProgram(path, [], input: input.descriptor, output: page).wait()
    } catch {
      throw .notStarted(path, error)
    }
    guard ending.status == 0 else { throw .pageFailed(path, ending.status) }
  }
}

extension Failure {
  fileprivate static var noReportProgram: Failure {
    Failure(
      nil, .unavailable, "no-report-program",
      "a report as a page needs \(ReportProgram.name), which is neither next to cdpipe nor on the PATH",
      hint: "build it with 'make report', set \(ReportProgram.variable)=FILE, or use --report FILE.json")
  }

  fileprivate static func notAProgram(_ path: String) -> Failure {
    Failure(
      nil, .unavailable, "not-a-program", "\(ReportProgram.variable) is '\(path)', which is not a program")
  }

  fileprivate static func notStarted(_ path: String, _ code: Errno) -> Failure {
    Failure(nil, .unavailable, "not-started", "cannot start '\(path)': \(SystemText.reason(code))")
  }

  /// The program printed why.
  fileprivate static func pageFailed(_ path: String, _ status: Int32) -> Failure {
    Failure(
      nil, .inputOutput, "page-failed",
      "'\(path)' could not write the report's page: it failed with status \(status)")
  }
}
