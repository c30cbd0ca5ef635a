// `cdpipe bench`

import ArgumentParser
import RecordStages
import Records
package import Runner
import SystemIO

extension BenchShape: ExpressibleByArgument {}

struct BenchCommand: DocumentedCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure the speed of the stages on this machine.",
    discussion: """
      Generates rows (the same rows for the same seed), then runs each stage alone, all stages joined with pipes, and \
      all stages in one process. All three must write the same bytes. With --compare, 'speed × 2.00' means twice as \
      fast as the earlier result, and 'memory × 2.00' means twice the memory.
      """)

  static let examples = [
    Example("Measure a small job", "cdpipe bench --rows 20000"),
    Example("Save a result", "cdpipe bench --rows 20000 --json > before.json"),
    Example("Compare with an earlier result", "cdpipe bench --rows 20000 --compare before.json"),
  ]

  /// The maximum number of rows. Each needs about 35 bytes on disk, and the same again per stage.
  private static let rowsMax: UInt64 = 1_000_000_000
  /// The maximum number of runs; more would not improve the result.
  private static let runsMax = 100

  @Option(parsing: .unconditional, help: ArgumentHelp("The number of rows to generate.", valueName: "n"))
  var rows: UInt64 = 1_000_000

  @Option(help: ArgumentHelp("The shape of the rows.", valueName: "shape"))
  var shape: BenchShape = .seed

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The seed: the same seed generates the same rows.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Run everything N times; the fastest run counts.", valueName: "n"))
  var runs = 3

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The memory limit of sort: 12 MiB up to the memory of this machine.", valueName: "size"))
  var memory = MemorySize(bytes: SortOptions.defaultMemory)

  @Option(threads: "The threads of the single process, 1 to 64 (default: one per processor).")
  var threads: Int?

  @Flag(help: "Print a JSON object.")
  var json = false

  @Option(
    help: ArgumentHelp("Compare with an earlier result, printed by --json.", valueName: "file.json"),
    completion: .file(extensions: ["json"]))
  var compare: String?

  @Option(
    help: ArgumentHelp("Keep the rows and the output of each stage in DIR.", valueName: "dir"),
    completion: .directory)
  var keep: String?

  @Option(
    help: ArgumentHelp("The directory for the data (default: $TMPDIR, or /var/tmp).", valueName: "dir"),
    completion: .directory)
  var tempDir: String?

  @OptionGroup var colours: ColourOptions

  func validate() throws {
    try Threads.validate(threads)
    guard (1...Self.rowsMax).contains(rows) else {
      throw ValidationError("--rows must be 1 to \(Figures.grouped(Self.rowsMax))")
    }
    guard (1...Self.runsMax).contains(runs) else {
      throw ValidationError("--runs must be 1 to \(Self.runsMax)")
    }
    try memory.validate()
  }

  func run() throws {
    Interruption.cleanUp()
    let diagnostics = Diagnostics(command: "bench")
    var result = BenchResult()
    result.cdpipe = ProgramVersion.current
    result.rows = rows
    result.shape = shape.rawValue
    result.seed = seed
    result.memory = Figures.byteLimit(UInt64(memory.bytes))
    result.threads = Threads.count(threads)
    result.runs = runs
    do throws(Failure) {
      let earlier = try earlier(comparableWith: result)
      let plan = BenchPlan(
        rows: BenchRows(shape: shape, seed: seed, count: rows), memoryBytes: memory.bytes,
        threads: result.threads,
        runs: runs, temporaryDirectory: tempDir ?? TemporaryFile.defaultDirectory)
      result.figures = try BenchRun(plan, keep: keep).execute()
      if let earlier { result.compare(with: earlier) }
    } catch {
      throw diagnostics.end(error)
    }
    if json {
      StandardOutput.print(result.json)
    } else {
      for line in BenchMessages.table(result, isCompared: compare != nil) { StandardOutput.print(line) }
    }
  }

  /// Reads the earlier result before anything is measured.
  private func earlier(comparableWith result: BenchResult) throws(Failure) -> BenchResult? {
    guard let compare else { return nil }
    var bytes: [UInt8] = []
    do throws(SystemError) {
      var file = try InputFile(compare)
      var chunk = ByteChunk()
      while bytes.count <= BenchResult.bytesMax, try file.read(into: &chunk) > 0 {
        bytes.append(copying: chunk.span)
        chunk.removeAll()
      }
    } catch {
      throw Failure(nil, error)
    }
    guard let earlier = BenchResult(json: bytes) else {
      throw .notABenchResult(compare)
    }
    guard result.isComparable(with: earlier) else {
      throw .otherBenchData(compare, earlier)
    }
    return earlier
  }
}
