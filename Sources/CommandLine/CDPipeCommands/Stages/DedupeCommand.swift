// `cdpipe dedupe`

public import ArgumentParser
public import DedupeStage
import PipeRunner
import PipeStage

extension DedupeOptions.Keep: ExpressibleByArgument {}

struct DedupeArguments: StageArguments {
  static let stage = StageName.dedupe

  @Option(help: ArgumentHelp("Which of several records for one number stays.", valueName: "which"))
  var keep: DedupeOptions.Keep = .first

  @Option(help: ArgumentHelp("Write every decision to FILE: number, kept, dropped, why.", valueName: "file"))
  var conflicts: String?

  func plan() -> StagePlan {
    .dedupe(DedupeOptions(keep: keep, conflictsPath: conflicts))
  }
}

struct DedupeCommand: FilterCommand {
  static let configuration = CommandConfiguration(
    commandName: "dedupe", abstract: StageTable[.dedupe].help,
    discussion: """
      Reads sorted records and writes disjoint, ascending ones. The more specific record wins over the more \
      general one: a number over a range, a short range over a long one, which is cut. Among equals --keep \
      decides. Input that is not sorted is an error.
      """)

  @OptionGroup var arguments: DedupeArguments
  @OptionGroup var io: FilesInFileOut
  @OptionGroup var common: CommonOptions

  func parts() -> FilterParts {
    FilterParts(input: .files(io.files), stages: [arguments.plan()], output: io.output)
  }
}
