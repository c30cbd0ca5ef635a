// `emit` as a stage of a pipeline: one stage with one or more outputs.

package import Records

extension StageName {
  /// The stage that writes records to files.
  package static let emit = StageName(rawValue: "emit")
}

/// The outputs of a pipeline.
package struct EmitPlan: StagePlan {
  /// The options of each output.
  package var outputs: [EmitOptions]
  /// The formats other than stores.
  package var formats: EmitFormatTable

  /// Makes a plan.
  package init(_ outputs: [EmitOptions], formats: EmitFormatTable = .general) {
    self.outputs = outputs
    self.formats = formats
  }

  /// The stage's name.
  package var name: StageName { .emit }
  /// The kind of data that flows in.
  package var input: DataKind { .records }
  /// The kind of data that flows out.
  package var output: DataKind { .nothing }
  /// The files that the stage reads or writes besides the data that flows through it.
  package var files: [StageFile] { outputs.map { StageFile($0.output, .output) } }
  /// True: writing a store is about as much work as a merge and a dedupe together.
  package var needsThread: Bool { true }

  /// What the outputs require of the numbers.
  package var countryChecks: [CountryCheck] { outputs.compactMap(\.countryCheck) }

  /// What the stage's outputs record about the sources of a run.
  package var provenanceLevel: ProvenanceLevel {
    outputs.filter(\.isDirectory).map { $0.shards.leavesOutSourceHashes ? .names : .hashes }.max() ?? .none
  }

  /// Builds the stage. It passes nothing on to `downstream`.
  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
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
