// `cdpipe bench`

import ArgumentParser
import PipeStage
import SortStage
import SystemIO

struct BenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure how fast the stages are here.",
    discussion: """
      Makes rows, always the same ones for a seed, and runs each stage alone, then all of them joined with pipes, then \
      all in one process. The three must give the same bytes. With --compare, speed × 2.00 is twice as fast as \
      the earlier result, and memory × 2.00 is twice as much.

        cdpipe bench --json > before.json
        cdpipe bench --compare before.json
      """)

  /// More rows than this take more disk than one has to spare: some 35 bytes each, and as much for each stage.
  private static let rowsMax: UInt64 = 1_000_000_000
  /// More runs than this tell nothing that fewer don't.
  private static let runsMax = 100

  @Option(help: ArgumentHelp("How many rows to make.", valueName: "n"))
  var rows: UInt64 = 1_000_000

  @Option(help: ArgumentHelp("What the rows are like.", valueName: "shape"))
  var shape: BenchShape = .seed

  @Option(help: ArgumentHelp("Which rows: the same seed makes the same ones.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("How often to run everything; the fastest run counts.", valueName: "n"))
  var runs = 3

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The memory that sort is to use, 12 MiB up to what the machine has.", valueName: "size"))
  var memory = MemorySize(bytes: SortOptions.defaultMemory)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Threads of the one process, 1 to 64 (default: one a processor).", valueName: "n"))
  var threads: Int?

  @Flag(help: "As a JSON object.")
  var json = false

  @Option(help: ArgumentHelp("Compare with an earlier result, which --json gave.", valueName: "file.json"))
  var compare: String?

  @Option(help: ArgumentHelp("Keep the rows and what each stage made of them in DIR.", valueName: "dir"))
  var keep: String?

  @Option(help: ArgumentHelp("Where the data goes (default: $TMPDIR, else /var/tmp).", valueName: "dir"))
  var tempDir: String?

  func validate() throws {
    try Threads.validate(threads)
    guard (1...Self.rowsMax).contains(rows) else {
      throw ValidationError("--rows takes 1 to \(Figures.grouped(Self.rowsMax))")
    }
    guard (1...Self.runsMax).contains(runs) else {
      throw ValidationError("--runs takes 1 to \(Self.runsMax)")
    }
    try memory.validate()
  }

  func run() throws {
    Interruption.cleanUp()
    let voice = Diagnostics(command: "bench")
    var result = BenchResult()
    result.cdpipe = CDPipe.version
    result.rows = rows
    result.shape = shape.rawValue
    result.seed = seed
    result.memory = ByteSize.limit(UInt64(memory.bytes))
    result.threads = Threads.count(threads)
    result.runs = runs
    do throws(StageError) {
      let earlier = try earlier(comparableWith: result)
      let plan = BenchPlan(
        rows: BenchRows(shape: shape, seed: seed, count: rows), memory: memory, threads: result.threads,
        runs: runs, temporaryDirectory: tempDir ?? TemporaryFile.defaultDirectory)
      result.figures = try BenchRun(plan, keep: keep).execute()
      if let earlier { result.compare(with: earlier) }
    } catch {
      throw voice.end(error)
    }
    if json {
      print(result.json)
    } else {
      for line in result.table(isCompared: compare != nil) { print(line) }
    }
  }

  /// The result to compare with, looked at before anything is measured.
  private func earlier(comparableWith result: BenchResult) throws(StageError) -> BenchResult? {
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
      throw StageError(nil, error)
    }
    guard let earlier = BenchResult(json: bytes) else {
      throw StageError(nil, BenchError.notAResult(path: compare))
    }
    guard result.isComparable(with: earlier) else {
      throw StageError(nil, BenchError.otherData(path: compare, earlier))
    }
    return earlier
  }
}
