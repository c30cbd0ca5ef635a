// `cdpipe run --pipe 'parse … | sort …'`: builds a pipeline from typed commands.

import ArgumentParser
import Runner
import Records

/// A pipeline built from a typed pipe.
struct PipeInvocation {
  private(set) var pipeline: Pipeline
  /// The options of the run, combined with those of the typed commands.
  private(set) var common: CommonOptions

  /// Parses a pipe in shell syntax.
  init(_ text: String, _ diagnostics: Diagnostics, threads: Int, _ common: CommonOptions) throws {
    self.common = common
    pipeline = Pipeline(sources: [Pipeline.Source(input: .files(["-"]))], stages: [], threads: threads)
    do {
      let commands = try PipeText.commands(text)
      for (index, words) in commands.enumerated() {
        let words = words.first == "cdpipe" ? Array(words.dropFirst()) : words
        let command = try Self.command(words)
        try add(
          try Self.named(words) { try command.parts() }, of: words[0], isFirst: index == 0,
          isLast: index == commands.count - 1)
        add(command.common)
      }
    } catch let error as PipeTextError {
      throw diagnostics.end(error.message, ExitStatus.usage)
    } catch let error as PipeError {
      throw diagnostics.end(error.message, ExitStatus.usage)
    }
  }

  private static func command(_ words: [String]) throws -> any FilterCommand {
    let name = words.first ?? ""
    guard let row = StageTable.row(named: name) else {
      throw PipeError(CommandMessages.unknownStage(name, stages: StageTable.rows.map(\.name.rawValue)))
    }
    return try named(words, of: "cdpipe \(name)") {
      guard let command = try row.command.parseAsRoot(Array(words.dropFirst())) as? any FilterCommand else {
        throw ValidationError("'\(name)' is not a stage")
      }
      return command
    }
  }

  /// Adds the command's name to errors of its options; `command` is the full name of the command whose help lists them.
  private static func named<Result>(
    _ words: [String], of command: String? = nil, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      let message = RunCommand.message(for: error)
      var sentence = UserMessage(message)
      if let command { sentence = CommandMessages.invalidArguments(message, of: command) }
      throw PipeError("--pipe: \(words.first ?? ""): \(sentence.message)", hint: sentence.hint)
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
      case .files, .unlisted: throw PipeError("--pipe: \(name): only the first command reads files")
      case .stage: throw PipeError("--pipe: \(name) must be the first command")
      case .nothing:
        guard let fed = stages.first?.fedByPipe else {
          throw PipeError("--pipe: \(name): \(parts.unfedRule)")
        }
        stages[0] = fed
      }
    }
    if !isLast, parts.output != "-" || stages.last?.output == .nothing {
      throw PipeError("--pipe: \(name): only the last command has an output")
    }
    pipeline.stages += stages
    pipeline.output = parts.output
    pipeline.outputForm = parts.form
  }

  private mutating func add(_ options: CommonOptions) {
    common.rejects = common.rejects ?? options.rejects
    common.maxRejects = common.maxRejects ?? options.maxRejects
    common.strict = common.strict || options.strict
    common.quiet = common.quiet || options.quiet
    if common.progress == .auto { common.progress = options.progress }
  }
}

/// An error in the commands of a pipe.
private struct PipeError: Error {
  let message: UserMessage

  init(_ message: String, hint: String? = nil) {
    self.message = UserMessage(message, hint: hint)
  }

  init(_ message: UserMessage) {
    self.message = message
  }
}

extension PipeTextError {
  /// The message for users.
  fileprivate var message: UserMessage {
    switch self {
    case .openQuote(let quote): UserMessage("--pipe: unclosed quote (\(quote))")
    case .emptyCommand: UserMessage("--pipe: a command is missing before or after '|'")
    case .shellSign(let sign):
      UserMessage(
        "--pipe: '\(sign)' is shell syntax; a pipe has only commands, bars and quotes",
        hint:
          "write to a file with -o FILE of the last command, read files with the first command, or quote '\(sign)'"
      )
    }
  }
}
