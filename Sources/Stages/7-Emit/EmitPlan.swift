// `emit` as a stage of a pipeline: one stage with one or more outputs.

public import PipeStage

extension StageName {
  /// The stage that writes records to files.
  public static let emit = StageName(rawValue: "emit")
}

/// The outputs of a pipeline.
public struct EmitPlan: StagePlan {
  /// The options of each output.
  public var outputs: [EmitOptions]
  /// The formats other than stores.
  public var formats: EmitFormatTable

  /// Makes a plan.
  public init(_ outputs: [EmitOptions], formats: EmitFormatTable = .general) {
    self.outputs = outputs
    self.formats = formats
  }

  /// The stage's name.
  public var name: StageName { .emit }
  /// The kind of data that flows in.
  public var input: DataKind { .records }
  /// The kind of data that flows out.
  public var output: DataKind { .nothing }
  /// The files that the stage reads or writes besides the data that flows through it.
  public var files: [StageFile] { outputs.map { StageFile($0.output, .output) } }
  /// True: writing a store is about as much work as a merge and a dedupe together.
  public var needsThread: Bool { true }

  /// What the outputs require of the numbers.
  public var countryChecks: [CountryCheck] { outputs.compactMap(\.countryCheck) }

  /// What the stage's outputs record about the sources of a run.
  public var provenanceLevel: ProvenanceLevel {
    outputs.filter(\.isDirectory).map { $0.shards.leavesOutSourceHashes ? .names : .hashes }.max() ?? .none
  }

  /// Builds the stage. It passes nothing on to `downstream`.
  public func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(StageError) -> AnySink {
    var options = outputs
    for index in options.indices { options[index].threads = environment.threads }
    let accepted = EmitOptions.defaultMaxEntries
    let tooHigh = outputs.filter { $0.format == .store && $0.maxEntries > accepted }
    if let limit = tooHigh.map(\.maxEntries).max() {
      environment.notify?(
        EmitNotice.maxEntriesTooHigh(
          limit: limit, accepted: accepted, isDirectory: tooHigh.allSatisfy(\.isDirectory)))
    }
    for output in outputs {
      if let fitting = formats.formats(fitting: output.output), !fitting.contains(output.format) {
        environment.notify?(EmitNotice.otherName(format: output.format, path: output.output))
      }
    }
    return .records(
      try Emitter(
        options: options, formats: formats, context: environment.context, provenance: environment.provenance,
        countries: environment.countries, notify: environment.notify, observe: environment.recordOutputs))
  }
}

extension EmittedOutput: StageOutput {}
