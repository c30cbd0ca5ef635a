// `cdpipe parse`

public import ArgumentParser
public import ParseStage
import PipeRunner
import PipeStage

extension ParseOptions.Format: ExpressibleByArgument {}

extension FieldSelector: ExpressibleByArgument {
  /// Reads a field name, or `=TEXT`.
  public init?(argument: String) {
    self.init(argument)
  }
}

struct ParseFields: ParsableArguments {
  @Option(help: ArgumentHelp("The shape of the input.", valueName: "format"))
  var format: ParseOptions.Format = .auto

  @Option(help: ArgumentHelp("Objects are rows, and this field is the number.", valueName: "field"))
  var number: FieldSelector?

  @Option(help: ArgumentHelp("The label's field, or =TEXT for the same everywhere.", valueName: "field"))
  var label: FieldSelector?

  @Option(help: ArgumentHelp("The source's field, or =TEXT for the same everywhere.", valueName: "field"))
  var source: FieldSelector?

  @Option(help: ArgumentHelp("The score's field, or =NUMBER for the same everywhere.", valueName: "field"))
  var score: FieldSelector?

  @Option(help: ArgumentHelp("Reject a record longer than this.", valueName: "size"))
  var maxRecord = ByteSize(bytes: ParseOptions.recordBytesUsual)

  func validate() throws {
    do {
      try options(isStrict: false).check()
    } catch {
      throw ValidationError(ParseWording.sentence(error).message)
    }
    guard maxRecord.bytes >= 64, maxRecord.bytes <= 256 << 20 else {
      throw ValidationError("--max-record takes 64 B to 256 MiB")
    }
  }

  func options(isStrict: Bool) -> ParseOptions {
    var options = ParseOptions()
    options.format = format
    options.numberField = number
    options.labelField = label
    options.sourceField = source
    options.scoreField = score
    options.recordBytesMax = maxRecord.bytes
    options.isStrict = isStrict
    return options
  }
}

/// The options in a pipeline file: those of the command, and the one that all commands share.
struct ParseArguments: StageArguments {
  static let stage = StageName.parse

  @OptionGroup var fields: ParseFields
  @Flag(help: "Take RFC 8259 to the letter.")
  var strict = false

  func plan() -> StagePlan { .parse(fields.options(isStrict: strict)) }
}

struct ParseCommand: FilterCommand {
  static let configuration = CommandConfiguration(
    commandName: "parse", abstract: StageTable[.parse].help,
    discussion: """
      Reads pairs of number and label in JSON of any layout: an array of objects, one object with many pairs, JSON \
      lines, one minified line, bare pairs, with or without trailing commas. With --number, objects are rows and \
      their fields are named. A broken row is rejected with its place, and the rest go on. --strict takes RFC 8259 \
      to the letter instead.

      Writes raw rows, one a line: the number's text as it stood, label, source and score, with tabs between.
      """)

  @OptionGroup var arguments: ParseFields
  @OptionGroup var io: FilesInFileOut
  @OptionGroup var common: CommonOptions

  func parts() -> FilterParts {
    FilterParts(
      input: .files(io.files), stages: [.parse(arguments.options(isStrict: common.strict))], output: io.output
    )
  }
}
