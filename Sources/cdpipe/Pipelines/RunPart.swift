// A part of a run: some of its sources up to the sort, the merge of sorted runs, or what remains. Several processes, such
// as the tasks of a cluster, execute a run together this way; the result is that of a single process.
//
// Not for: distributing the parts, or moving their files.

import Hashing
import RecordStages
import Runner
import Records

/// The part of a run that this process executes.
struct RunPart {
  /// Where the records come from.
  enum Start {
    /// Sources of the pipeline file with these names, in the order of the file; all if empty.
    case sources([String])
    /// Sorted runs, in the order of their sources.
    case runs([String])
    /// Deduplicated parts in ascending order.
    case parts([String])
  }

  /// Where the records come from.
  var start: Start
  /// The slice of the only source that is read, the first of which is 1, and the plan of all slices; nil for all of it.
  var slice: (number: Int, plan: SourceSlices)?
  /// The last stage, `sort` or `dedupe`; nil for the last one of the pipeline file.
  var until: StageName?
  /// The file that the records are written to with ``until``.
  var output: String
  /// The merged report of the processes that executed the stages before; nil if they are not recorded.
  var accounts: RunReport?

  /// Whether other processes have read the sources.
  var continuesRun: Bool {
    if case .sources = start { false } else { true }
  }

  /// The description of the part in a report.
  var description: RunReport.Part {
    let from: RunReport.Part.Input? =
      switch start {
      case .sources: nil
      case .runs: .runs
      case .parts: .parts
      }
    var part = RunReport.Part(from: from, until: until?.rawValue)
    part.slice = slice.map { RunReport.Slice(number: $0.number, count: $0.plan.count, plan: $0.plan.hash) }
    return part
  }

  /// Restricts a pipeline to this part.
  func restrict(_ pipeline: inout Pipeline) {
    pipeline.recordedLevel = pipeline.provenanceLevel
    let all = pipeline
    switch start {
    case .sources:
      if let slice { slice.plan.restrict(&pipeline.sources[0], toSlice: slice.number) }
    case .runs(let files):
      pipeline.sources = [Pipeline.Source(input: .nothing)]
      var merge = SetPlan(.merge, files)
      if let sort = pipeline.stages.lazy.compactMap({ $0 as? SortOptions }).first {
        merge.options.memory = sort.memory
        merge.options.temporaryDirectory = sort.temporaryDirectory
      }
      pipeline.stages = [merge] + pipeline.stages.filter { $0.name != .sort }
    case .parts(let files):
      pipeline.sources = [Pipeline.Source(input: .files(files))]
      pipeline.stages = pipeline.stages.compactMap { plan in
        plan.name == .sort ? nil : (plan as? DedupeOptions)?.after(parts: files) ?? plan
      }
    }
    if continuesRun { pipeline.completed = completed(of: all) }
    guard let until, let last = pipeline.stages.firstIndex(where: { $0.name == until }) else { return }
    pipeline.stages.removeSubrange((last + 1)...)
    if let dedupe = pipeline.stages[last] as? DedupeOptions { pipeline.stages[last] = dedupe.ofPart(output) }
    pipeline.output = output
  }

  // MARK: The stages that other processes have completed

  /// The sources that were read, with their stages' counts. Not those that a task could not use.
  private func used(of all: Pipeline) -> [(source: Pipeline.Source, counts: RunReport.Source)] {
    let counts = Dictionary((accounts?.sources ?? []).map { ($0.name, $0) }) { first, _ in first }
    return all.sources.compactMap { source in
      guard let found = counts[source.name], !found.stages.isEmpty else { return nil }
      return (source, found)
    }
  }

  private func completed(of all: Pipeline) -> CompletedStages {
    let used = used(of: all)
    var shared = accounts?.stages ?? []
    var countedBefore: [StageName: UInt64] = [:]
    var expected: UInt64?
    switch start {
    case .sources: break
    case .runs:
      expected = shared.first { $0.stage == StageName.sort.rawValue }?.rowsOut
      // The merge counts the same records as the sort.
      shared.removeAll { $0.stage == StageName.sort.rawValue }
    case .parts:
      for index in shared.indices where shared[index].stage == StageName.dedupe.rawValue {
        expected = shared[index].rowsOut
        countedBefore[.dedupe] = expected
        shared[index].rowsOut = 0
      }
    }
    let sources = used.map { source, counts in
      var read = CompletedStages.Source(
        RunProvenance.Source(
          name: source.name, bytes: counts.bytes, sha256: counts.sha256.flatMap { Hexadecimal.sha256($0) }))
      read.checks = source.checks
      return read
    }
    var completed = CompletedStages(sources: sources) { [shared] in
      var counters: [StageCounters] = []
      for (index, (source, counts)) in used.enumerated() {
        for (stage, count) in zip(source.stageOutputs, counts.stages) {
          let one = StageCounters(
            stage.name, output: stage.output, sourceIndex: index, sourceName: source.name)
          ReportBuilder.add(count, to: one)
          counters.append(one)
        }
      }
      for count in shared {
        let one = StageCounters(StageName(rawValue: count.stage), output: .records)
        ReportBuilder.add(count, to: one)
        counters.append(one)
      }
      return counters
    }
    completed.countedBefore = countedBefore
    completed.expected = expected.map { (.dedupe, $0) }
    return completed
  }
}

extension Pipeline.Source {
  /// The names and outputs of the source's own stages, the one that fetches its bytes first.
  var stageOutputs: [(name: StageName, output: DataKind)] {
    var all = stages.map { (name: $0.name, output: $0.output) }
    if case .stage(let input) = input { all.insert((input.name, .bytes), at: 0) }
    return all
  }
}

extension DedupeOptions {
  /// The options for a part of all numbers: the steps that need all of them are left out. The decisions are written next
  /// to the part, so that the last process can put them into one file.
  fileprivate func ofPart(_ path: String) -> DedupeOptions {
    var options = self
    options.conflictsFormat = conflictsPath.map { conflictsFormat ?? ConflictsFormat(named: $0) }
    options.conflictsPath = conflictsPath.map { _ in Self.conflicts(ofPart: path) }
    options.limit = nil
    options.coalesce = false
    return options
  }

  /// The options for the records of all parts: only the steps that need all of them.
  fileprivate func after(parts: [String]) -> DedupeOptions {
    var options = DedupeOptions(conflictsPath: conflictsPath)
    if conflictsPath != nil { options.earlierConflicts = parts.map { Self.conflicts(ofPart: $0) } }
    options.conflictsFormat = conflictsFormat
    options.limit = limit
    options.coalesce = coalesce
    options.temporaryDirectory = temporaryDirectory
    options.observe = observe
    return options
  }

  /// The file of the decisions of a part.
  private static func conflicts(ofPart path: String) -> String { path + ".conflicts" }
}
