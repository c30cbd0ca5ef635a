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
  }

  private static func command(_ words: [String]) throws -> any FilterCommand {
    let name = words.first ?? ""
    guard let row = StageTable.row(named: name) else {
      throw Failure.pipe(CommandMessages.unknownStage(name, stages: StageTable.rows.map(\.name.rawValue)))
    }
    return try named(words, isParsing: true) {
      guard let command = try row.command.parseAsRoot(Array(words.dropFirst())) as? any FilterCommand else {
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
    if common.progress == .auto { common.progress = options.progress }
  }
}

extension Failure {
  fileprivate static func pipe(_ message: UserMessage) -> Failure {
    Failure(nil, .usage, "pipe", message.prefixed("--pipe: "))
  }

  /// An unquoted redirection, or an operator that joins commands other than a bar.
  fileprivate static func shellSign(_ sign: Character) -> Failure {
    .pipe(
      UserMessage(
        "'\(sign)' is shell syntax; a pipe has only commands, bars and quotes",
        hint:
          "write to a file with \(option: "o", "FILE") of the last command, read files with the first command, "
          + "or quote '\(sign)'"))
  }
}

/// Parses a typed pipe. Quotes, backslashes and bars have the same meaning as in a shell. Other shell syntax is
/// rejected, not treated as text.
enum PipeText {
  private static let shellSigns: Set<Character> = ["<", ">", "&", ";"]

  static func commands(_ text: String) throws(Failure) -> [[String]] {
    var commands: [[String]] = [[]]
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in text {
      if isEscaped {
        if quote == "\"", character != "\"", character != "\\", character != "$", character != "`" {
          word! += "\\"
        }
        if character != "\n" { word! += String(character) }
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word! += String(character) }
      } else if character == "'" || character == "\"" {
        word = word ?? ""
        quote = character
      } else if character == "|" || character.isWhitespace {
        if let done = word { commands[commands.count - 1].append(done) }
        word = nil
        if character == "|" { commands.append([]) }
      } else if shellSigns.contains(character) {
        throw .shellSign(character)
      } else {
        word = (word ?? "") + String(character)
      }
    }
    if let quote { throw .pipe(UserMessage("unclosed quote (\(quote))")) }
    if let done = word { commands[commands.count - 1].append(done) }
    guard commands.allSatisfy({ !$0.isEmpty }) else {
      throw .pipe(UserMessage("a command is missing before or after '|'"))
    }
    return commands
  }
}
