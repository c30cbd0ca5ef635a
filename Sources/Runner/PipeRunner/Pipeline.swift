// A pipeline as data: the inputs, the stages in order with their options, and the output.
//
// The same type represents a single filter, a typed pipe, and a pipeline file.

package import Records

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
    /// The source's name.
    package var name: String
    /// Where the bytes come from.
    package var input: Input
    /// The source's own stages.
    package var stages: [any StagePlan]
    /// The names of the input's files in messages; nil for the input's own names.
    package var displayNames: [String]?
    /// The conditions that the source's rows must meet for the run to succeed.
    package var checks = SourceChecks()

    /// Creates a source.
    package init(name: String = "", input: Input, stages: [any StagePlan] = []) {
      self.name = name
      self.input = input
      self.stages = stages
    }
  }

  /// The sources, in the order in which they are read.
  package var sources: [Source]
  /// The stages that all sources share.
  package var stages: [any StagePlan]
  /// The path of the last stage's text output, unless that stage writes files itself; `-` is standard output.
  package var output: String
  /// The form of that output if it consists of records or raw rows.
  package var outputForm = StreamForm.text
  /// The number of threads. With 1, all stages run in one thread; with more, stages overlap.
  package var threads: Int
  /// Whether a manifest records the sources. The filters of a shell pipe can't identify them, so a typed pipe does not
  /// record them either.
  package var recordsSources = false

  /// Creates a pipeline.
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
  /// The paths of the input files.
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

  /// The files with a role in any stage, as they were typed.
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
          stage.name,
          PipelineError.mismatch(
            stage.name, input: stage.input, after: before.name, output: before.output))
      }
    }
  }
}
