// `cdpipe bench`

import ArgumentParser
import RecordStages
import Records
package import Runner
import SystemIO

extension BenchShape: ExpressibleByArgument {}

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure the speed of the stages on this machine.",
    discussion: """
      Generates rows (the same rows for the same seed), then runs each stage alone, all stages joined with pipes, and \
      all stages in one process. All three must write the same bytes. With --compare, 'speed × 2.00' means twice as \
      fast as the earlier result, and 'memory × 2.00' means twice the memory.
      """)

  /// The maximum number of rows. Each needs about 35 bytes on disk, and the same again per stage.
  private static let rowsMax: UInt64 = 1_000_000_000
  /// The maximum number of runs; more would not improve the result.
  private static let runsMax = 100

  @Option("The number of rows to generate.", value: "n", parsing: .unconditional)
  var rows: UInt64 = 1_000_000

  @Option("The shape of the rows.", value: "shape")
  var shape: BenchShape = .seed

  @Option("The seed: the same seed generates the same rows.", value: "n", parsing: .unconditional)
  var seed: UInt64 = 1

  @Option("Run everything N times; the fastest run counts.", value: "n", parsing: .unconditional)
  var runs = 3

  @Option(
    "The memory limit of sort: 12 MiB up to the memory of this machine.", value: "size",
    parsing: .unconditional)
  var memory = MemorySize(bytes: SortOptions.defaultMemory)

  @Option(threads: "The threads of the single process, 1 to 64 (default: one per processor).")
  var threads: Int?

  @Flag(help: "Print a JSON object.")
  var json = false

  @Option(
    "Compare with an earlier result, printed by --json.", value: "file.json",
    completion: .file(extensions: ["json"]))
  var compare: String?

  @Option("Keep the rows and the output of each stage in DIR.", value: "dir", completion: .directory)
  var keep: String?

  @Option("The directory for the data (default: $TMPDIR, or /var/tmp).", value: "dir", completion: .directory)
  var tempDir: String?

  @OptionGroup var colours: ColourOptions

  func validate() throws {
    try Threads.validate(threads)
    try require((1...Self.rowsMax).contains(rows), "--rows must be 1 to \(Figures.grouped(Self.rowsMax))")
    try require((1...Self.runsMax).contains(runs), "--runs must be 1 to \(Self.runsMax)")
    try memory.validate()
  }

  func run() throws {
    Interruption.cleanUp()
    var result = BenchResult()
    result.cdpipe = ProgramVersion.current
    result.rows = rows
    result.shape = shape.rawValue
    result.seed = seed
    result.memory = Figures.byteLimit(UInt64(memory.bytes))
    result.threads = Threads.count(threads)
    result.runs = runs
    let earlier = try earlier(comparableWith: result)
    let plan = BenchPlan(
      rows: BenchRows(shape: shape, seed: seed, count: rows), memoryBytes: memory.bytes,
      threads: result.threads, runs: runs, temporaryDirectory: tempDir ?? TemporaryFile.defaultDirectory)
    result.figures = try BenchRun(plan, keep: keep).execute()
    if let earlier { result.compare(with: earlier) }
    if json {
      StandardOutput.print(result.json)
    } else {
      StandardOutput.print(BenchText.table(result, isCompared: compare != nil))
    }
  }

  /// Reads the earlier result before anything is measured.
  private func earlier(comparableWith result: BenchResult) throws(Failure) -> BenchResult? {
    guard let compare else { return nil }
    let bytes = try asFailure(nil) { () throws(SystemError) in
      try InputFile.bytes(of: compare, limit: BenchResult.bytesMax)
    }
    guard let earlier = BenchResult(json: bytes) else { throw .notABenchResult(compare) }
    guard result.isComparable(with: earlier) else { throw .otherBenchData(compare, earlier) }
    return earlier
  }
}
