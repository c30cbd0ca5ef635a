// A pipeline as data: where the bytes come from, the stages in order with their options, and where the text goes.
//
// The same type serves one filter, a typed pipe, and a pipeline file.

public import PipeStage

/// A pipeline.
public struct Pipeline: Sendable {
  /// Where bytes come from.
  public enum Input: Sendable {
    /// Files in order; `-` is standard input.
    case files([String])
    /// A stage that fetches them.
    case stage(any InputPlan)
    /// Nowhere: the first stage makes its records, or opens its lists itself.
    case nothing
  }

  /// One source, and the stages that only its bytes go through.
  public struct Source: Sendable {
    /// The source's name.
    public var name: String
    /// Where its bytes come from.
    public var input: Input
    /// Its own stages.
    public var stages: [any StagePlan]
    /// The name of its bytes in messages; nil for the name of the input.
    public var displayName: String?
    /// What its rows must satisfy for the run to succeed.
    public var checks = SourceChecks()

    /// Makes a source.
    public init(name: String = "", input: Input, stages: [any StagePlan] = []) {
      self.name = name
      self.input = input
      self.stages = stages
    }
  }

  /// The sources, one after another.
  public var sources: [Source]
  /// The stages that all of them share.
  public var stages: [any StagePlan]
  /// Where the text of the last stage goes, unless that stage writes files; `-` is standard output.
  public var output: String
  /// With 1 everything happens in one thread; with more, stages overlap.
  public var threads: Int
  /// Whether a manifest records the sources. The filters of a shell pipe don't know them, so neither does a pipe that is
  /// run in one process record them.
  public var recordsSources = false

  /// Makes a pipeline.
  public init(
    sources: [Source], stages: [any StagePlan], output: String = "-", threads: Int = 1
  ) {
    self.sources = sources
    self.stages = stages
    self.output = output
    self.threads = threads
  }
}

extension Pipeline.Input {
  /// The files that are read.
  public var paths: [String] {
    switch self {
    case .files(let paths): paths
    case .stage, .nothing: []
    }
  }

  /// What messages call the input; nil when there is none.
  public var displayName: String? {
    switch self {
    case .files(let paths): paths.first
    case .stage(let plan): plan.displayName
    case .nothing: nil
    }
  }
}

extension Pipeline {
  /// All stages, in the order of the data.
  public var allStages: [any StagePlan] { sources.flatMap(\.stages) + stages }

  /// The last stage; nil when there are only inputs.
  var lastStage: (any StagePlan)? { stages.last ?? sources.last?.stages.last }

  /// The files with a role that the stages use, as they were typed.
  public func files(_ role: StageFile.Role) -> [String] {
    allStages.flatMap(\.files).filter { $0.role == role }.map(\.path)
  }

  /// The files that the pipeline writes, as they were typed; `-` is standard output.
  public var outputs: [String] {
    // After a stage that writes files of its own there is no text.
    (lastStage?.output == .nothing ? [] : [output])
      + allStages.flatMap(\.files).filter { $0.role == .output || $0.role == .log }.map(\.path)
  }

  /// What a manifest records about the sources.
  var provenanceLevel: ProvenanceLevel {
    recordsSources ? stages.map(\.provenanceLevel).max() ?? .none : .none
  }

  /// The names of the stages whose errors are about one source.
  var sourceStageNames: Set<StageName> {
    var names = Set(allStages.filter(\.isPerSource).map(\.name))
    for case .stage(let plan) in sources.map(\.input) { names.insert(plan.name) }
    return names
  }

  /// Checks that each stage's input is what the stage before it outputs.
  func checkKinds() throws(StageError) {
    for source in sources {
      let all = source.stages + stages
      for (before, stage) in zip(all, all.dropFirst()) where before.output != stage.input {
        throw StageError(
          stage.name,
          PipelineError.mismatch(
            stage.name, input: stage.input, after: before.name, output: before.output))
      }
    }
  }
}
