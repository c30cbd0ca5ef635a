// `cdpipe sort`

import ArgumentParser
import BasicContainers
import RecordStages
import Records
import Runner
import SystemIO

struct SortArguments: StageArguments {
  static let keys: [String: KeyTraits] = ["temp-dir": .path]

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      The memory to use, at least 12 MiB; records that don't fit are spilled to disk (default: 64 MiB).
      """, valueName: "size"))
  var memory: MemorySize?

  @Option(
    help: ArgumentHelp("The directory for spill files (default: $TMPDIR, else /var/tmp).", valueName: "dir"),
    completion: .directory)
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

struct SortCommand: FilterCommand, ManyOperandsCommand {
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

  static let examples = [
    Example("Sort records by number", "cdpipe sort records.tsv -o sorted.tsv"),
    Example(
      "Use more memory, and another disk for spill files",
      "cdpipe sort --memory 128MiB --temp-dir /var/tmp records.tsv -o sorted.tsv"),
    Example("Check whether a list is sorted", "cdpipe sort --check sorted.tsv"),
    Example("Merge lists that are already sorted", "cdpipe sort --merge monday.tsv tuesday.tsv -o week.tsv"),
  ]

  @Flag(help: "Only check whether the input is sorted: exit status 1 if not.")
  var check = false

  @Flag(help: "Only merge files that are already sorted.")
  var merge = false

  @Option(threads: "The number of threads, 1 to 64 (default: one per processor). The output is the same.")
  var threads: Int?

  @OptionGroup var arguments: SortArguments
  @OptionGroup var io: InputOutputOptions
  @OptionGroup var packing: PackingOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    try Threads.validate(threads)
    guard check || merge else { return }
    if check, merge { throw ValidationError("--check and --merge exclude each other") }
    var idle: [(String, Bool)] = []
    if check {
      idle.append(("--output", io.output != OutputFile.standardOutput))
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

  private var lists: [String] { io.files.isEmpty ? [SetOptions.standardInput] : io.files }

  func parts() throws -> FilterParts {
    if check { throw ValidationError("--check can't be used in a pipe") }
    if merge {
      let plan = SetOptions.merge(
        .merge, lists, memory: arguments.memory, temporaryDirectory: arguments.tempDir)
      return try FilterParts(input: .nothing, stages: [plan], output: io.output, packing: packing)
    }
    return try FilterParts(
      input: .files(io.files), stages: [arguments.plan()], output: io.output, packing: packing,
      threads: Threads.count(threads))
  }

  var operands: [String] {
    get { io.files }
    set { io.files = newValue }
  }

  func run() throws {
    if check { return try OrderCheck.run(io.files, common) }
    try execute()
  }
}

enum OrderCheck {
  /// Checks the order of the records. If they are not sorted, prints the row and ends with status 1.
  static func run(_ files: [String], _ common: CommonOptions) throws {
    let diagnostics = Diagnostics(command: "sort")
    let reads = Pipeline(
      sources: [Pipeline.Source(input: .files(files.isEmpty ? ["-"] : files))], stages: [EmitPlan([])],
      output: "-")
    if let error = OutputNames.error(reads, rejects: common.rejects) {
      throw diagnostics.end(error, ExitStatus.usage)
    }
    TerminalInput.announce(files.isEmpty ? ["-"] : files, isQuiet: common.quiet, diagnostics)
    let check = SortCheck()
    let meter = StageMeter(.sort)
    do throws(Failure) {
      let log = try RejectLog(policy: common.policy) { reject, ordinal in
        if !common.quiet, ordinal <= PipelineCommand.rejectsShown {
          Diagnostics.log(reject, .info)
        }
      }
      do throws(Failure) {
        try read(files.isEmpty ? ["-"] : files, into: check, StageContext(meter: meter, rejects: log))
        try log.check(stage: .sort, inputs: meter.rowsIn.value + check.rowsSeen)
      } catch {
        try? log.publish()
        throw error
      }
      try log.publish()
      if !common.quiet {
        let account = RejectMessages.StageTotal(
          stage: .sort, rejects: log.count, rows: check.rowsSeen + log.count)
        for entry in RejectMessages.totals(
          [account], shown: PipelineCommand.rejectsShown, path: common.rejects)
        {
          diagnostics.log(entry)
        }
      }
    } catch {
      throw diagnostics.end(error)
    }
    if let disorder = check.disorder {
      throw diagnostics.end(
        UserMessage(
          "row \(disorder.row): \(text(disorder.numbers, disorder)) comes after "
            + "\(text(disorder.previous, disorder)): input is not sorted"),
        ExitStatus.no)
    }
  }

  /// A record's numbers, as a range if two records start at the same number, since their ends decide the order.
  private static func text(_ numbers: ClosedRange<UInt64>, _ disorder: SortCheck.Disorder) -> String {
    let isRange =
      numbers.count > 1 && disorder.previous.lowerBound == disorder.numbers.lowerBound
    return isRange ? "\(numbers.lowerBound)..\(numbers.upperBound)" : "\(numbers.lowerBound)"
  }

  private static func read(_ files: [String], into check: SortCheck, _ context: StageContext)
    throws(Failure)
  {
    let reader = RecordReader(context: context, downstream: check)
    for (index, path) in files.enumerated() {
      if index > 0 { try reader.nextInput(name: path) }
      var file = try asFailure(.sort) { () throws(SystemError) in try InputFile(path) }
      var chunk = ByteChunk()
      while try asFailure(.sort, { () throws(SystemError) in try file.read(into: &chunk) }) > 0 {
        try reader.receive(&chunk)
      }
    }
    try reader.finish()
  }
}
