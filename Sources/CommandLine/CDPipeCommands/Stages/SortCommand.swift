// `cdpipe sort`

import ArgumentParser
import PipeRunner
import PipeStage
import PipelineFile
import SetStage
import SortStage
import SystemIO

struct SortArguments: StageArguments {
  static let keys: [String: KeyTraits] = ["temp-dir": .path]

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      The memory to use, 12 MiB up to what the machine has; what doesn't fit goes to disk (default: 64 MiB).
      """, valueName: "size"))
  var memory: MemorySize?

  @Option(help: ArgumentHelp("Where spill files go (default: $TMPDIR, else /var/tmp).", valueName: "dir"))
  var tempDir: String?

  func validate() throws {
    // The default memory may be more than there is, too.
    try (memory ?? MemorySize(bytes: SortOptions.defaultMemory)).validate()
  }

  func plan() -> any StagePlan {
    var options = SortOptions(memory: memory?.bytes ?? SortOptions.defaultMemory)
    if let tempDir { options.temporaryDirectory = tempDir }
    return options
  }
}

struct SortCommand: FilterCommand {
  static let row = StageRow(
    name: .sort, group: .stages, command: Self.self, position: .shared, arguments: SortArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "sort", abstract: "Sort records by number, in bounded memory.",
    discussion: """
      Sorts by first number, numerically; of two with the same first number the wider range comes first, and equal \
      ones keep their order. Nothing is written before everything is read. Spill files have no name: whatever \
      happens, none stays behind. With --merge the files are sorted already, up to \(SetOptions.listsMax) of them, and \
      are merged as they are read.
      """)

  @Flag(help: "Only say whether the input is sorted: exit status 1 if not.")
  var check = false

  @Flag(help: "Only merge the files, each of which is sorted.")
  var merge = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Threads to use, 1 to 64 (default: one a processor). The output does not depend on it.", valueName: "n")
  )
  var threads: Int?

  @OptionGroup var arguments: SortArguments
  @OptionGroup var io: InputOutputOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try Threads.validate(threads)
    guard check || merge else { return }
    if check, merge { throw ValidationError("--check and --merge do not go together") }
    var idle = [
      ("--memory", arguments.memory != nil), ("--temp-dir", arguments.tempDir != nil),
      ("--threads", threads != nil),
    ]
    if check { idle.insert(("--output", io.output != OutputFile.standardOutput), at: 0) }
    if let (name, _) = idle.first(where: \.1) {
      throw ValidationError(
        "\(check ? "--check writes and" : "--merge") sorts nothing: \(name) does not go with it")
    }
    if merge { try SetLists.validate(lists, min: 1) }
  }

  /// The files as lists to be merged.
  private var lists: [String] { io.files.isEmpty ? [SetOptions.standardInput] : io.files }

  func parts() throws -> FilterParts {
    if check { throw ValidationError("--check is for the command alone, not for a pipe") }
    if merge {
      return FilterParts(
        input: .nothing, stages: [SetPlan(.merge, lists)], output: io.output)
    }
    return FilterParts(
      input: .files(io.files), stages: [arguments.plan()], output: io.output, threads: Threads.count(threads))
  }

  func run() throws {
    if check { return try OrderCheck.run(io.files, common) }
    try execute()
  }
}
