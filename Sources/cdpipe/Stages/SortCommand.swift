// `cdpipe sort`

import ArgumentParser
import RecordStages
import Records
import Runner
import SystemIO

struct SortArguments: StageArguments {
  static let keys: [String: KeyTraits] = ["temp-dir": .path]

  @Option(
    """
    The memory to use, at least 12 MiB; records that don't fit are spilled to disk (default: 64 MiB).
    """, value: "size", parsing: .unconditional)
  var memory: MemorySize?

  @Option(
    "The directory for spill files (default: $TMPDIR, else /var/tmp).", value: "dir", completion: .directory)
  var tempDir: String?

  func validate() throws {
    // Validate the default, too: it may exceed this machine's memory.
    try (memory ?? MemorySize(bytes: SortOptions.defaultMemory)).validate()
  }

  func plan() -> any StagePlan {
    var options = SortOptions(memory: memory?.bytes ?? SortOptions.defaultMemory)
    if let tempDir { options.temporaryDirectory = tempDir }
    return options
  }
}

struct SortCommand: FilterCommand, InputFilesCommand {
  static let row = StageRow(
    name: .sort, group: .stages, command: Self.self, position: .shared, arguments: SortArguments.self)

  static let configuration = CommandConfiguration(
    commandName: "sort", abstract: "Sort records by number, in bounded memory.",
    discussion: """
      Sorts by first number, numerically. When two records start at the same number, the wider range sorts first; \
      equal records keep their order. Nothing is written before all input is read. Spill files have no name, so none \
      is left after a crash. With --merge, files that are already sorted are merged while they are read. More than \
      \(SetOptions.listsMax) files are merged in groups first, to spill files.
      """)

  @Flag(help: "Only check whether the input is sorted: exit status 1 if not.")
  var check = false

  @Flag(help: "Only merge files that are already sorted.")
  var merge = false

  @Option(threads: "The number of threads, 1 to 64 (default: one per processor). The output is the same.")
  var threads: Int?

  @OptionGroup var arguments: SortArguments
  @OptionGroup var input: InputFiles

  @Option(output: .complete)
  var output = "-"

  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try Threads.validate(threads)
    guard check || merge else { return }
    if check, merge { throw ValidationError("--check and --merge exclude each other") }
    var idle: [(String, Bool)] = []
    if check {
      idle.append(("--output", output != OutputFile.standardOutput))
      idle.append(("--memory", arguments.memory != nil))
      idle.append(("--temp-dir", arguments.tempDir != nil))
    }
    idle.append(("--threads", threads != nil))
    if let (name, _) = idle.first(where: \.1) {
      throw ValidationError(
        "\(name) can't be used with \(check ? "--check" : "--merge"), which does not sort")
    }
    if merge { try SetLists.validate(lists, min: 1) }
  }

  private var lists: [String] { input.files.isEmpty ? [SetOptions.standardInput] : input.files }

  func parts() throws -> FilterParts {
    if check { throw ValidationError("--check can't be used in a pipe") }
    if merge {
      let plan = SetOptions.merge(
        .merge, lists, memory: arguments.memory, temporaryDirectory: arguments.tempDir)
      return try FilterParts(input: .nothing, stages: [plan], output: output, packing: packing)
    }
    return try FilterParts(
      input: .files(input.files), stages: [arguments.plan()], output: output, packing: packing,
      threads: Threads.count(threads))
  }

  func run() throws {
    if check { return try OrderCheck.run(input.files, common) }
    try execute()
  }
}

enum OrderCheck {
  /// Checks the order of the records. If they are not sorted, prints the row and ends with status 1.
  static func run(_ files: [String], _ common: CommonOptions) throws {
    let files = files.isEmpty ? [InputFile.standardInput] : files
    let reads = Pipeline(
      sources: [Pipeline.Source(input: .files(files))], stages: [EmitPlan([])], output: "-")
    try OutputNames.check(reads, rejects: common.rejects)
    TerminalInput.announce(files, isQuiet: common.quiet)
    if common.verbose { for file in files { Diagnostics.typed.log(InputText.reading(file)) } }
    let check = SortCheck()
    let counts = try PipelineCommand.withRejects(.sort, common) { (context) throws(Failure) in
      try check.read(files, context)
      return context.meter.rowsIn.value + check.rowsSeen
    }
    if !common.quiet {
      let total = RejectText.StageTotal(
        stage: .sort, rejects: counts.rejects, rows: check.rowsSeen + counts.rejects)
      for entry in RejectText.totals([total], shown: PipelineCommand.rejectsShown, path: common.rejects) {
        Diagnostics.typed.log(entry)
      }
    }
    if let disorder = check.disorder {
      throw Diagnostics.typed.end(UserMessage(disorder.text), ExitStatus.no)
    }
  }
}
