// A pipeline as data: the inputs, the stages in order with their options, and the output.
//
// The same type represents a single filter, a typed pipe, and a pipeline file.

import InputStages
package import Records
import SystemIO

/// A pipeline: sources, shared stages, and an output.
package struct Pipeline: Sendable {
  /// Where a source's bytes come from.
  package enum Input: Sendable {
    /// Files, read in order; `-` is standard input.
    case files([String])
    /// A stage that fetches the bytes.
    case stage(any InputPlan)
    /// No input: the first stage generates records or opens its lists itself.
    case nothing
    /// Files that can't be listed: the source fails with this error when its turn comes.
    case unlisted(Failure)
  }

  /// A source and the stages that process only its data.
  package struct Source: Sendable {
    package var name: String
    /// Where the bytes come from.
    package var input: Input
    package var stages: [any StagePlan]
    /// The names of the input's files in messages; nil for the input's own names.
    package var displayNames: [String]?
    /// The conditions that the source's rows must meet for the run to succeed.
    package var checks = SourceChecks()

    package init(name: String = "", input: Input, stages: [any StagePlan] = []) {
      self.name = name
      self.input = input
      self.stages = stages
    }
  }

  /// The sources, in the order in which they are read.
  package var sources: [Source]
  package var stages: [any StagePlan]
  /// The path of the last stage's text output, unless that stage writes files itself; `-` is standard output.
  package var output: String
  /// The form of that output if it consists of records or raw rows.
  package var outputForm = StreamForm.text
  /// Whether the header of the packed form was already written to standard output.
  package var hasHeader = false
  /// The number of threads. With 1, all stages run in one thread; with more, stages overlap.
  package var threads: Int
  /// Whether a manifest records the sources. The filters of a shell pipe can't identify them, so a typed pipe does not
  /// record them either.
  package var recordsSources = false

  package init(
    sources: [Source], stages: [any StagePlan], output: String = "-", threads: Int = 1
  ) {
    self.sources = sources
    self.stages = stages
    self.output = output
    self.threads = threads
  }
}

extension Pipeline.Input {
  package var paths: [String] {
    switch self {
    case .files(let paths): paths
    case .stage, .nothing, .unlisted: []
    }
  }

  /// The input's name in messages; nil if there is no input.
  package var displayName: String? {
    switch self {
    case .files(let paths): paths.first
    case .stage(let plan): plan.displayName
    case .nothing, .unlisted: nil
    }
  }
}

extension Pipeline {
  /// All stages, in the order of the data.
  package var allStages: [any StagePlan] { sources.flatMap(\.stages) + stages }

  /// The last stage; nil if there are only inputs.
  var lastStage: (any StagePlan)? { stages.last ?? sources.last?.stages.last }

  /// The days from which the ages of rows are counted, one for each source with a maximum age.
  package var agesFrom: [CalendarDay] {
    sources.flatMap(\.stages).compactMap { ($0 as? ParsePlan)?.options.dates.agesFrom }
  }

  /// The day to repeat the run with: that of the run if a source counts from it, or the only one that was chosen.
  var now: CalendarDay? {
    let days = Set(agesFrom)
    return days.contains(.ofRun) ? .ofRun : days.count == 1 ? days.first : nil
  }

  /// What the last stage outputs; bytes if there are only inputs.
  package var lastOutput: DataKind { lastStage?.output ?? .bytes }

  /// Writes the header of the packed form to standard output, before anything else can fail. A reader then notices every
  /// failure.
  package mutating func writeHeader() throws(Failure) {
    guard outputForm == .packed, output == OutputFile.standardOutput,
      let header = PackedForm.streamHeader(of: lastOutput)
    else { return }
    var chunk = ByteChunk(capacity: header.count)
    chunk.append(header.span)
    try FileSink(output, stage: lastStage?.name, calls: KernelCalls()).receive(&chunk)
    hasHeader = true
  }

  package func files(_ role: StageFile.Role) -> [String] {
    allStages.flatMap(\.files).filter { $0.role == role }.map(\.path)
  }

  /// The files that the pipeline writes, as they were typed; `-` is standard output.
  package var outputs: [String] {
    // A last stage that writes its own files has no text output.
    (lastStage?.output == .nothing ? [] : [output])
      + allStages.flatMap(\.files).filter { $0.role == .output || $0.role == .log }.map(\.path)
  }

  /// What a manifest records about the sources.
  package var provenanceLevel: ProvenanceLevel {
    recordsSources ? stages.map(\.provenanceLevel).max() ?? .none : .none
  }

  /// The names of the stages whose errors concern a single source.
  var sourceStageNames: Set<StageName> {
    var names = Set(allStages.filter(\.isPerSource).map(\.name))
    for case .stage(let plan) in sources.map(\.input) { names.insert(plan.name) }
    return names
  }

  /// Checks that each stage's input is what the stage before it outputs.
  func checkKinds() throws(Failure) {
    for source in sources {
      let all = source.stages + stages
      for (before, stage) in zip(all, all.dropFirst()) where before.output != stage.input {
        throw Failure(
          stage.name, .usage, "mismatch",
          "\(stage.name.rawValue) reads \(stage.input.rawValue), but \(before.name.rawValue) writes "
            + before.output.rawValue)
      }
    }
  }
}

// MARK: - Checks of one source's rows

/// The conditions that a source's rows must meet.
package struct SourceChecks: Equatable, Sendable {
  /// The minimum number of usable rows.
  package var minRows: UInt64?
  /// The maximum number of rejects, in percent of the rows read.
  package var maxRejectsPercent: Double?
  /// The maximum increase or decrease of usable rows, in percent of `rowsBefore`.
  package var maxChangePercent: Double?
  /// The usable rows of the previous run; nil if unknown.
  package var rowsBefore: UInt64?
  /// The maximum number of rows, usable or not.
  package var maxRows: UInt64?
  /// The maximum number of phone numbers in all records together.
  package var maxNumbers: UInt64?
  /// The maximum number of different ranges that contain the same number.
  package var maxOverlaps: UInt64?
  /// The seconds until a named pipe must have been read to its end.
  package var pipeSeconds: Double?

  package init() {}

  /// Sets the bounds that are not set. A source that the run can do without is bounded by default, so that it can't end
  /// the run in the stages that all sources share, or keep it waiting.
  package mutating func bound() {
    maxRows = maxRows ?? Self.defaultMaxRows
    maxNumbers = maxNumbers ?? Self.defaultMaxNumbers
    maxOverlaps = maxOverlaps ?? Self.defaultMaxOverlaps
    pipeSeconds = pipeSeconds ?? Self.defaultPipeSeconds
  }

  /// Whether records are checked before they enter the shared stages.
  package var boundRecords: Bool { maxRows != nil || maxNumbers != nil || maxOverlaps != nil }

  /// More rows than any known list has: the complaints of the FTC in four years are a twentieth.
  package static let defaultMaxRows: UInt64 = 100_000_000
  /// As many numbers as 50 extensions of an iPhone load.
  package static let defaultMaxNumbers: UInt64 = 100_000_000
  /// Real lists nest ranges a few levels deep; dedupe accepts 65,536 from all sources together.
  package static let defaultMaxOverlaps: UInt64 = 4096
  /// Ten minutes: a program that feeds a pipe in the night.
  package static let defaultPipeSeconds = 600.0

  /// Returns the first failed check for these counts of rows; nil if all pass.
  func error(rows: UInt64, rejects: UInt64, usable: UInt64, source: String) -> Failure? {
    if let percent = maxRejectsPercent, Double(rejects) * 100 > percent * Double(rows) {
      return .tooManyRejects(source, rejects, of: rows, limit: percent)
    }
    if let minRows, usable < minRows { return .tooFewRows(source, usable, minimum: minRows) }
    if let percent = maxChangePercent, let before = rowsBefore, before > 0 {
      let difference = usable > before ? usable - before : before - usable
      if Double(difference) * 100 > percent * Double(before) {
        return .rowsChangedTooMuch(source, usable, before: before, limit: percent)
      }
    }
    return nil
  }
}

/// Why a source was rejected although its rows could be read.
extension Failure {
  private static func check(_ source: String, _ code: String, _ text: String, hint: String?) -> Failure {
    var failure = Failure(nil, .badData, code, "source '\(source)': \(text)", hint: hint)
    failure.namesSource = true
    return failure
  }

  fileprivate static func tooFewRows(_ source: String, _ count: UInt64, minimum: UInt64) -> Failure {
    check(
      source, "too-few-rows",
      "\(Figures.counted(count, "usable row")), fewer than min-rows (\(Figures.grouped(minimum)))",
      hint: allowOnce(source, "min-rows", "0"))
  }

  fileprivate static func tooManyRejects(
    _ source: String, _ count: UInt64, of rows: UInt64, limit: Double
  ) -> Failure {
    check(
      source, "too-many-rejects",
      "\(Figures.grouped(count)) of \(Figures.grouped(rows)) rows were rejected, "
        + "more than max-rejects (\(Figures.plain(limit))%)",
      hint: allowOnce(source, "max-rejects", "100%"))
  }

  fileprivate static func rowsChangedTooMuch(
    _ source: String, _ count: UInt64, before: UInt64, limit: Double
  ) -> Failure {
    // In percent of the rows before, rounded up.
    let difference = before > count ? before - count : count - before
    let change = UInt64(exactly: (Double(difference) * 100 / Double(max(1, before))).rounded(.up)) ?? 100
    return check(
      source, "changed-too-much",
      "\(Figures.counted(count, "usable row")), previously \(Figures.grouped(before)): "
        + "a change of more than max-change (\(Figures.plain(limit))%)",
      hint: allowOnce(source, "max-change", "\(change)%"))
  }

  static func tooManyRows(_ source: String, limit: UInt64) -> Failure {
    check(
      source, "too-many-rows", "more than \(Figures.counted(limit, "row")), the limit of max-rows",
      hint: raise("max-rows"))
  }

  /// `range` is the record that exceeded the limit if it is a range.
  static func tooManyNumbers(_ source: String, limit: UInt64, range: ClosedRange<UInt64>?) -> Failure {
    check(
      source, "too-many-numbers",
      "more than \(Figures.grouped(limit)) numbers, the limit of max-numbers"
        + (range.map { ": the range \($0.lowerBound)..\($0.upperBound) exceeds it" } ?? ""),
      hint: raise("max-numbers"))
  }

  static func tooManyOverlaps(_ source: String, number: UInt64, limit: UInt64) -> Failure {
    check(
      source, "too-many-overlaps",
      "more than \(Figures.grouped(limit)) ranges contain \(number), the limit of max-overlaps",
      hint: raise("max-overlaps"))
  }

  static func overlapsTooLarge(_ source: String, number: UInt64, limit: UInt64) -> Failure {
    check(
      source, "overlaps-too-large",
      "the labels of the ranges that contain \(number) are longer than \(Figures.bytes(limit))", hint: nil)
  }

  static func pipeTimedOut(_ source: String, path: String, seconds: Double) -> Failure {
    check(
      source, "pipe-timed-out",
      "the pipe '\(PrintableText.line(path))' did not end within "
        + "\(Figures.plain(seconds)) seconds, the limit of pipe-timeout",
      hint: raise("pipe-timeout"))
  }

  private static func raise(_ key: String) -> String {
    "if the source is valid, set a larger '\(key)' for it"
  }

  private static func allowOnce(_ source: String, _ key: String, _ value: String) -> String {
    // In an override, a dot in a name would separate keys.
    let name = source.contains(".") ? "NUMBER" : source
    return "to allow it once, use --set \(ShellQuoting.quoted("sources.\(name).\(key)=\(value)"))"
  }
}

extension PipelineRun {
  package func usableRows(ofSource index: Int) -> UInt64 {
    let own = setup.counters.own(index)
    return RejectLimitCheck.usableRows(own)
  }
}
