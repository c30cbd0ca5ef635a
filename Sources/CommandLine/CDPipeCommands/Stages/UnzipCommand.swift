// `cdpipe unzip`

import ArgumentParser
import PipeRunner
import PipeStage
import UnzipStage

struct UnzipArguments: StageArguments {
  static let stage = StageName.unzip

  @Option(help: ArgumentHelp("Only members whose name fits. May be repeated.", valueName: "glob"))
  var entry: [String] = []

  @Option(help: ArgumentHelp("Fail when more than SIZE comes out.", valueName: "size"))
  var maxSize = ByteSize(bytes: 64 << 30)

  @Option(help: ArgumentHelp("Fail when N times as much comes out as went in.", valueName: "n"))
  var maxRatio = 1000.0

  @Option(help: ArgumentHelp("Where an archive from a pipe is kept meanwhile.", valueName: "dir"))
  var tempDir: String?

  func validate() throws {
    guard maxRatio >= 1 else { throw ValidationError("--max-ratio takes a number of at least 1") }
  }

  func options() -> UnzipOptions {
    var options = UnzipOptions()
    options.entries = entry
    options.maxBytes = UInt64(maxSize.bytes)
    options.maxRatio = maxRatio
    options.tempDirectory = tempDir
    return options
  }

  func plan() -> StagePlan { .unzip(options()) }
}

struct UnzipCommand: FilterCommand {
  static let configuration = CommandConfiguration(
    commandName: "unzip", abstract: StageTable[.unzip].help,
    discussion: """
      Tells zip, gzip and anything else apart by the first bytes; anything else passes through unchanged. The \
      members of a zip come out one behind the other, in the archive's order. Names of members are never used as \
      paths.
      """)

  @Argument(help: ArgumentHelp("The archive; standard input without one, or for '-'.", valueName: "file"))
  var file = "-"

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output = "-"

  @Flag(help: "Print the members' names and sizes instead.")
  var list = false

  @OptionGroup var arguments: UnzipArguments
  @OptionGroup var common: CommonOptions

  func parts() throws -> FilterParts {
    if list { throw ValidationError("--list is for the command alone, not for a pipe") }
    return FilterParts(input: .files([file]), stages: [arguments.plan()], output: output)
  }

  func run() throws {
    if list { return try ArchiveListing.print(file, arguments.options()) }
    try carryOut()
  }
}
