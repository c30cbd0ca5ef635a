// `cdpipe unzip`

import ArgumentParser
import InputStages
import Records
import Runner
import SystemIO

struct UnzipArguments: StageArguments {
  static let keys: [String: KeyTraits] = ["entry": .list, "password-file": .path, "temp-dir": .path]

  @Option(
    "Unpack only members whose name matches; * also matches /. May be repeated; each must match a member.",
    value: "glob")
  var entry: [String] = []

  @Flag(help: "Also unpack members that are compressed themselves (not zip), one level deep.")
  var nested = false

  @Option(
    "Read the password of encrypted members from the first line of FILE.", value: "file", completion: .file())
  var passwordFile: String?

  @Option("Fail if the output is larger than SIZE.", value: "size")
  var maxSize = ByteSize(bytes: Int(UnzipOptions().maxBytes))

  @Option(
    "Fail if the output is more than N times the input, after the first 10 MiB.", value: "n",
    parsing: .unconditional)
  var maxRatio = UnzipOptions().maxRatio

  @Option(
    "The directory for an archive from a pipe (default: $TMPDIR, else /var/tmp).", value: "dir",
    completion: .directory)
  var tempDir: String?

  func validate() throws {
    guard maxRatio >= 1 else { throw ValidationError("\(option: "max-ratio") must be at least 1") }
    try refuse(
      passwordFile == "-", "\(option: "password-file") must be a file: standard input is the archive")
  }

  func options() -> UnzipOptions {
    var options = UnzipOptions()
    options.entries = entry
    options.isExceptions = ParseOptions.isNameOfExceptions
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
    commandName: "unzip", abstract: "Unpack zip, gzip, zlib, zstd, xz and bzip2.",
    discussion: """
      Recognises the format by the first bytes; any input that is not packed is copied unchanged. The members of a zip \
      archive are written one after another, in archive order. Names of members are never used as paths.

      An archive whose parts contradict each other, or that would exceed the limits, is refused before anything is \
      written. The checksum of each member is verified at its end.
      """)

  @Argument(help: ArgumentHelp("The archive; '-' is standard input.", valueName: "file"), completion: .file())
  var file = "-"

  @Option(output: .complete)
  var output = "-"

  @Flag(help: "Only list the members: size, compressed size, name.")
  var list = false

  @Flag(help: "With --list: print JSON, one object per line.")
  var json = false

  @OptionGroup var arguments: UnzipArguments
  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if json, !list { throw ValidationError("--json needs --list") }
    try refuse(list && packing.packed, "--list can't be packed")
  }

  func parts() throws -> FilterParts {
    if list { throw ValidationError("--list can't be used in a pipe") }
    return try FilterParts(
      input: .files([file]), stages: [arguments.plan()], output: output, packing: packing)
  }

  func run() throws {
    guard list else { return try execute() }
    Interruption.cleanUp()
    if output != "-", output == file { throw Failure.usage("'\(file)' is read and written") }
    let isTerminal = output == "-" && RunningProcess.isOutputTerminal
    try ArchiveListing.write(
      file, to: output, arguments.options(), isJSON: json, isTerminal: isTerminal)
  }
}
