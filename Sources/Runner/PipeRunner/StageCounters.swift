// One stage's counters in a run, with the source that the stage belongs to.

package import Records

/// One stage's counters in a run.
package struct StageCounters: Sendable {
  /// The index of the source that the stage belongs to; nil for a shared stage.
  package let sourceIndex: Int?
  /// The source's name; empty for a shared stage.
  package let sourceName: String
  /// The kind of data that the stage outputs.
  package let output: DataKind
  /// The counters.
  package let meter: StageMeter

  /// Whether the stage's input and output are counted in rows.
  var countsRows: Bool { output != .bytes }

  /// Creates counters at zero.
  package init(_ stage: StageName, output: DataKind, sourceIndex: Int? = nil, sourceName: String = "") {
    self.sourceIndex = sourceIndex
    self.sourceName = sourceName
    self.output = output
    meter = StageMeter(stage)
  }
}

/// The counters of all stages of a run. They exist before their stages, which are built when their source's turn comes.
struct RunCounters {
  /// All counters: source by source, then those of the shared stages, each in the order of the data.
  private(set) var all: [StageCounters] = []
  /// By source: its part of ``all``.
  private(set) var sources: [Range<Int>] = []
  /// The index of the first shared stage.
  private var sharedStart = 0

  init(_ pipeline: Pipeline) {
    for (index, source) in pipeline.sources.enumerated() {
      let start = all.count
      if case .stage(let input) = source.input { add(input.name, .bytes, index, source.name) }
      for plan in source.stages { add(plan.name, plan.output, index, source.name) }
      sources.append(start..<all.count)
    }
    sharedStart = all.count
    for plan in pipeline.stages { all.append(StageCounters(plan.name, output: plan.output)) }
  }

  private mutating func add(_ stage: StageName, _ output: DataKind, _ index: Int, _ name: String) {
    all.append(StageCounters(stage, output: output, sourceIndex: index, sourceName: name))
  }

  /// The counters of a source's own stages.
  func own(_ source: Int) -> ArraySlice<StageCounters> { all[sources[source]] }

  /// The counters of the shared stages.
  var shared: ArraySlice<StageCounters> { all[sharedStart...] }
}
