// `cdpipe run --pipe 'parse … | sort …'`: builds a pipeline from typed commands.

import ArgumentParser
import Records
import Runner

struct PipeInvocation {
  private(set) var pipeline: Pipeline
  /// The options of the run, combined with those of the typed commands.
  private(set) var common: CommonOptions

  /// Parses a pipe in shell syntax.
  init(_ text: String, threads: Int, _ common: CommonOptions) throws {
    self.common = common
    pipeline = Pipeline(sources: [Pipeline.Source(input: .files(["-"]))], stages: [], threads: threads)
    let commands = try PipeText.commands(text)
    for (index, words) in commands.enumerated() {
      let words = words.first == "cdpipe" ? Array(words.dropFirst()) : words
      let command = try Self.command(words)
      try add(
        try Self.named(words) { try command.parts() }, of: words[0], isFirst: index == 0,
        isLast: index == commands.count - 1)
      add(command.common)
    }
    try self.common.validate()
  }

  private static func command(_ words: [String]) throws -> any FilterCommand {
    let name = words.first ?? ""
    guard StageTable.row(named: name) != nil else {
      throw Failure.pipe(CommandText.unknownStage(name, stages: StageTable.rows.map(\.name.rawValue)))
    }
    return try named(words, isParsing: true) {
      guard let command = try CommandPath(words[...]).parse() as? any FilterCommand else {
        throw ValidationError("'\(name)' is not a stage")
      }
      return command
    }
  }

  /// Adds the command's name to errors of its options.
  private static func named<Result>(
    _ words: [String], isParsing: Bool = false, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch var failure as Failure {
      failure.message = failure.message.prefixed("--pipe: \(words.first ?? ""): ")
      throw failure
    } catch {
      let message =
        isParsing ? CommandPath(words[...]).message(for: error) : UserMessage(RunCommand.message(for: error))
      throw Failure.pipe(message.prefixed("\(words.first ?? ""): "))
    }
  }

  /// Adds a command. Only the first one may have inputs, and only the last one an output.
  private mutating func add(
    _ parts: FilterParts, of name: String, isFirst: Bool, isLast: Bool
  ) throws {
    var stages = parts.stages
    if isFirst {
      pipeline.sources[0].input = parts.input
    } else {
      switch parts.input {
      case .files(["-"]): break
      case .files, .unlisted: throw Failure.pipe(UserMessage("\(name): only the first command reads files"))
      case .stage: throw Failure.pipe(UserMessage("\(name) must be the first command"))
      case .nothing:
        guard let fed = stages.first?.fedByPipe else {
          throw Failure.pipe(UserMessage("\(name): \(parts.unfedRule)"))
        }
        stages[0] = fed
      }
    }
    if !isLast, parts.output != "-" || stages.last?.output == .nothing {
      throw Failure.pipe(UserMessage("\(name): only the last command has an output"))
    }
    pipeline.stages += stages
    pipeline.output = parts.output
    pipeline.outputForm = parts.form
  }

  private mutating func add(_ options: CommonOptions) {
    common.rejects = common.rejects ?? options.rejects
    common.maxRejects.limit = common.maxRejects.limit ?? options.maxRejects.limit
    common.strict = common.strict || options.strict
    common.quiet = common.quiet || options.quiet
    common.verbose = common.verbose || options.verbose
    if common.progress == .auto { common.progress = options.progress }
  }
}
