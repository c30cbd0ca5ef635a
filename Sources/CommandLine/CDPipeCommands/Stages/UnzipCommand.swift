// `cdpipe unzip`

import ArgumentParser
import PipeRunner
import PipeStage
import PipelineFile
import UnzipStage

struct UnzipArguments: StageArguments {
  static let keys: [String: KeyTraits] = ["entry": .list, "password-file": .path, "temp-dir": .path]

  @Option(
    help: ArgumentHelp(
      "Only members whose name fits; * also fits /. May be repeated; each must fit some member.",
      valueName: "glob"))
  var entry: [String] = []

  @Flag(help: "Unpack members that are gzip or zlib streams in their turn, one level.")
  var nested = false

  @Option(
    help: ArgumentHelp("The password of encrypted members is the first line of FILE.", valueName: "file"))
  var passwordFile: String?

  @Option(help: ArgumentHelp("Fail when more than SIZE comes out.", valueName: "size"))
  var maxSize = ByteSize(bytes: Int(UnzipOptions().maxBytes))

  @Option(
    help: ArgumentHelp(
      "Fail when more than N times as much comes out as went in, beyond 10 MiB.", valueName: "n"))
  var maxRatio = UnzipOptions().maxRatio

  @Option(help: ArgumentHelp("Where an archive from a pipe is kept meanwhile.", valueName: "dir"))
  var tempDir: String?

  func validate() throws {
    guard maxRatio >= 1 else { throw ValidationError("--max-ratio takes a number of at least 1") }
    if passwordFile == "-" {
      throw ValidationError("--password-file takes a file; standard input is for the archive")
    }
  }

  func options() -> UnzipOptions {
    var options = UnzipOptions()
    options.entries = entry
    options.unpacksNested = nested
    options.passwordFile = passwordFile
    options.maxBytes = UInt64(maxSize.bytes)
    options.maxRatio = maxRatio
    options.tempDirectory = tempDir
    return options
  }

  func plan() -> any StagePlan { options() }
}

struct UnzipCommand: FilterCommand {
  static let row = StageRow(
    name: .unzip, group: .stages, command: Self.self, position: .source, arguments: UnzipArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "unzip", abstract: "Stream what a zip, gzip or zlib archive holds out.",
    discussion: """
      Tells zip, gzip, zlib and anything else apart by the first bytes; anything else passes through unchanged. The \
      members of a zip come out one behind the other, in the archive's order. Names of members are never used as \
      paths.

      An archive whose parts contradict each other, or that would unpack to more than the limits allow, is refused \
      before anything comes out. Checksums are checked at each member's end.
      """)

  @Argument(help: ArgumentHelp("The archive; standard input without one, or for '-'.", valueName: "file"))
  var file = "-"

  @Option(
    name: [.customShort("o"), .long],
    help: ArgumentHelp("Write to FILE, which is replaced once all is written.", valueName: "file"))
  var output = "-"

  @Flag(help: "Print the members' sizes, packed sizes and names instead.")
  var list = false

  @Flag(help: "With --list: a JSON object a line.")
  var json = false

  @OptionGroup var arguments: UnzipArguments
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if json, !list { throw ValidationError("--json goes with --list") }
  }

  func parts() throws -> FilterParts {
    if list { throw ValidationError("--list is for the command alone, not for a pipe") }
    return FilterParts(input: .files([file]), stages: [arguments.plan()], output: output)
  }

  func run() throws {
    guard list else { return try execute() }
    try ArchiveListing(file: file, output: output, isJSON: json).print(arguments.options())
  }
}
