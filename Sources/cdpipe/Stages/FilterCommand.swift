// The common behaviour of the stages' commands: each is a pipeline of one stage.

import ArgumentParser
import Runner
import Records
import SystemIO

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The parts of a filter that are needed to build a pipeline.
struct FilterParts {
  var input: Pipeline.Input
  var stages: [any StagePlan]
  var output: String
  var threads = 1
  /// The form of the rows that the filter writes.
  var form = StreamForm.text
  /// The message if the filter follows another one in a pipe although it does not read from it.
  var unfedRule: String

  init(
    input: Pipeline.Input, stages: [any StagePlan], output: String, packing: PackingOptions? = nil,
    threads: Int = 1, unfedRule: String = "it reads nothing, and must be the first command"
  ) throws {
    self.input = input
    self.unfedRule = unfedRule
    if case .files(let files) = input, files.isEmpty { self.input = .files(["-"]) }
    self.stages = stages
    self.output = output
    self.threads = threads
    if let packing { form = try packing.form(output: output) }
  }

  var pipeline: Pipeline {
    var pipeline = Pipeline(
      sources: [Pipeline.Source(input: input)], stages: stages, output: output, threads: threads)
    pipeline.outputForm = form
    return pipeline
  }
}

/// A stage as a command.
protocol FilterCommand: DocumentedCommand {
  /// The stage's row in the table of stages.
  static var row: StageRow { get }
  var common: CommonOptions { get }
  /// Returns the filter's parts for a pipeline.
  func parts() throws -> FilterParts
}

extension FilterCommand {
  func run() throws {
    try execute()
  }

  /// Runs the filter as a separate pipeline.
  func execute() throws {
    try PipelineCommand.run(
      try parts().pipeline, common, command: Self.configuration.commandName ?? "", summary: nil)
  }
}

/// The number of threads.
enum Threads {
  /// The maximum number of threads: more than the stages that can overlap.
  static let max = 64

  static func validate(_ threads: Int?) throws {
    if let threads, threads < 1 || threads > Self.max {
      throw ValidationError("--threads must be 1 to \(Self.max)")
    }
  }

  static func count(_ threads: Int?) -> Int {
    threads ?? RunningProcess.processorCount
  }
}
