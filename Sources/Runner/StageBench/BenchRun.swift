// Runs a benchmark: generates rows, then starts this program as users do. Intermediate files are unnamed, so nothing
// remains however the run ends.

package import Records
import Synchronization
package import SystemIO
package import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

package struct BenchPlan {
  package var rows: BenchRows
  /// The memory limit of `sort` in bytes.
  package var memoryBytes: Int
  package var threads: Int
  /// The number of runs; the fastest counts.
  package var runs: Int
  package var temporaryDirectory: String

  package init(rows: BenchRows, memoryBytes: Int, threads: Int, runs: Int, temporaryDirectory: String) {
    self.rows = rows
    self.memoryBytes = memoryBytes
    self.threads = threads
    self.runs = runs
    self.temporaryDirectory = temporaryDirectory
  }

  /// A limit above any benchmark's count of numbers: the output is one store, regardless of iOS's limit.
  private static let maxEntries = 999_999_999_999_999

  package var stages: [(name: String, arguments: [String])] {
    [
      ("parse", ["parse", "--format", "json"]),
      ("normalize", ["normalize", "--region", BenchRows.region]),
      ("sort", ["sort", "--memory", "\(memoryBytes)", "--temp-dir", temporaryDirectory]),
      ("dedupe", ["dedupe"]),
      ("emit", ["emit", "--format", "store", "--max-entries", "\(Self.maxEntries)"]),
    ]
  }
}

package struct BenchRun: ~Copyable {
  private let plan: BenchPlan
  private let program: String
  /// The directory for `--keep`; nil to keep nothing.
  private let keepDirectory: String?

  /// Prepares a benchmark: finds this program and the directory for `--keep`.
  package init(_ plan: BenchPlan, keep: String?) throws(Failure) {
    guard let own = ProgramPath.own else { throw .noProgram }
    self.plan = plan
    keepDirectory = keep
    program = own
  }

  /// Measures each stage alone, then all stages piped, then all stages fused.
  package func execute() throws(Failure) -> [BenchFigure] {
    if let keepDirectory {
      try asFailure(nil) { () throws(SystemError) in try Directory.make(keepDirectory) }
    }
    let rows = try makeRows()
    try keep(rows, as: "rows.json")
    var figures: [BenchFigure] = []
    // Each stage reads the output of the previous one.
    var input = try temporaryFile()
    for (index, stage) in plan.stages.enumerated() {
      let output = try temporaryFile()
      if index == 0 {
        figures.append(try measure(stage.name, [stage.arguments], rows, output))
      } else {
        figures.append(try measure(stage.name, [stage.arguments], input, output))
      }
      try keep(output, as: "\(stage.name).\(index == plan.stages.count - 1 ? "cdstore" : "tsv")")
      input = consume output
    }
    for (name, commands) in [("piped", plan.stages.map(\.arguments)), ("fused", [fused])] {
      let output = try temporaryFile()
      figures.append(try measure(name, commands, rows, output))
      guard try BenchFile.isEqual(input, output) else { throw .differentOutputs(name) }
    }
    return figures
  }

  private var fused: [String] {
    let stages = plan.stages.map { $0.arguments.map(ShellQuoting.quoted).joined(separator: " ") }
    return ["run", "--threads", "\(plan.threads)", "--pipe", stages.joined(separator: " | ")]
  }

  // MARK: Files

  private func makeRows() throws(Failure) -> TemporaryFile {
    var file = try temporaryFile()
    // Rows are written in pieces of this size.
    let flushBytes = 1 << 20
    var text: [UInt8] = Array("[\n".utf8)
    for row in 0..<plan.rows.count {
      plan.rows.append(row, to: &text)
      guard text.count >= flushBytes || row == plan.rows.count - 1 else { continue }
      if row == plan.rows.count - 1 { text.append(contentsOf: "]\n".utf8) }
      try asFailure(nil) { () throws(SystemError) in try file.append(text.span) }
      text.removeAll(keepingCapacity: true)
    }
    return file
  }

  private func temporaryFile() throws(Failure) -> TemporaryFile {
    try asFailure(nil) { () throws(SystemError) in try TemporaryFile(in: plan.temporaryDirectory) }
  }

  private func keep(_ file: borrowing TemporaryFile, as name: String) throws(Failure) {
    guard let keepDirectory else { return }
    var kept = try asFailure(nil) { () throws(SystemError) in
      try OutputFile(FilePath(keepDirectory).appending(name).string)
    }
    try BenchFile.forEachChunk(file) { (chunk) throws(SystemError) in try kept.write(chunk) }
    do throws(SystemError) {
      try kept.publish(durably: false)
    } catch {
      throw Failure(nil, error)
    }
  }

  // MARK: Measuring

  private func measure(
    _ name: String, _ commands: [[String]], _ input: borrowing TemporaryFile,
    _ output: borrowing TemporaryFile
  ) throws(Failure) -> BenchFigure {
    var best = BenchFigure()
    best.name = name
    (best.bytes, best.rows) = try BenchFile.size(input)
    // The generated list has one line before its rows and one after them.
    if commands[0][0] == "parse" || name == "fused" { best.rows = plan.rows.count }
    for run in 0..<plan.runs {
      let (seconds, cpu, peak) = try once(name, commands, input, output)
      if run == 0 || seconds < best.seconds { (best.seconds, best.cpuSeconds) = (seconds, cpu) }
      best.peakMemoryBytes = max(best.peakMemoryBytes, peak)
    }
    return best
  }

  private func once(
    _ name: String, _ commands: [[String]], _ input: borrowing TemporaryFile,
    _ output: borrowing TemporaryFile
  ) throws(Failure) -> (seconds: Double, cpuSeconds: Double, peakBytes: UInt64) {
    let started: [ChildProgram]
    let start = MonotonicClock.seconds()
    do throws(Errno) {
      started = try begin(commands, input.descriptor, output.descriptor)
    } catch {
      throw .notStarted(error)
    }
    let watch = MemorySampler(started.map(\.identifier))
    let endings = started.map { $0.wait() }
    let seconds = MonotonicClock.seconds() - start
    let seen = watch.stop()
    for (index, ending) in endings.enumerated() where ending.status != 0 {
      let stage = commands.count > 1 ? plan.stages[index].name : name
      throw .stageFailed(stage, ending.status)
    }
    // For a process that ended before the first sample, use the system's figure as an upper bound.
    let peaks = zip(endings, seen).map { $1 > 0 ? $1 : $0.peakBytes }
    return (seconds, endings.reduce(0) { $0 + $1.cpuSeconds }, peaks.reduce(0, +))
  }

  private func begin(
    _ commands: [[String]], _ input: FileDescriptor, _ output: FileDescriptor
  ) throws(Errno) -> [ChildProgram] {
    // The processes read and write at the file's offset.
    try BenchFile.rewind(input)
    try BenchFile.empty(output)
    var started: [ChildProgram] = []
    var pipes: [ProgramPipe] = []
    defer { for pipe in pipes { pipe.close() } }
    for _ in commands.dropFirst() { pipes.append(try ProgramPipe()) }
    for (index, arguments) in commands.enumerated() {
      started.append(
        try ChildProgram(
          program, arguments + ["--quiet"], input: index == 0 ? input : pipes[index - 1].reading,
          output: index == commands.count - 1 ? output : pipes[index].writing))
    }
    return started
  }
}

// MARK: - Operations on a benchmark's unnamed files: rewind, count, compare

package enum BenchFile {
  package static func rewind(_ file: FileDescriptor) throws(Errno) {
    do {
      _ = try file.seek(offset: 0, from: .start)
    } catch {
      throw error as? Errno ?? .ioError
    }
  }

  /// Truncates a file to zero bytes.
  package static func empty(_ file: FileDescriptor) throws(Errno) {
    try KernelCalls().truncate(file, to: 0)
    try rewind(file)
  }

  /// Calls `body` with every chunk of a file.
  package static func forEachChunk(
    _ file: borrowing TemporaryFile, _ body: (borrowing ByteChunk) throws(SystemError) -> Void
  ) throws(Failure) {
    do throws(SystemError) {
      var chunk = ByteChunk()
      var offset: Int64 = 0
      while true {
        let count = try file.read(into: &chunk, at: offset)
        if count == 0 { return }
        try body(chunk)
        offset += Int64(count)
        chunk.removeAll()
      }
    } catch {
      throw Failure(nil, error)
    }
  }

  /// Counts the bytes and lines of a file.
  package static func size(_ file: borrowing TemporaryFile) throws(Failure) -> (
    bytes: UInt64, lines: UInt64
  ) {
    var bytes: UInt64 = 0
    var lines: UInt64 = 0
    try forEachChunk(file) { (chunk) throws(SystemError) in
      let span = chunk.span
      bytes += UInt64(span.count)
      for index in 0..<span.count where span[index] == UInt8(ascii: "\n") { lines += 1 }
    }
    return (bytes, lines)
  }

  /// Whether two files have the same bytes.
  package static func isEqual(
    _ one: borrowing TemporaryFile, _ other: borrowing TemporaryFile
  ) throws(Failure) -> Bool {
    do throws(SystemError) {
      var chunk = ByteChunk()
      var otherChunk = ByteChunk()
      var offset: Int64 = 0
      while true {
        let count = try one.read(into: &chunk, at: offset)
        // The other file may be read in smaller pieces.
        var otherCount = 0
        while otherCount < max(count, 1) {
          let more = try other.read(
            into: &otherChunk, at: offset + Int64(otherCount), limit: max(count, 1) - otherCount)
          if more == 0 { break }
          otherCount += more
        }
        guard count == otherCount else { return false }
        if count == 0 { return true }
        guard chunk.span.hasSameBytes(as: otherChunk.span) else { return false }
        offset += Int64(count)
        chunk.removeAll()
        otherChunk.removeAll()
      }
    } catch {
      throw Failure(nil, error)
    }
  }
}

// MARK: - Samples the memory of processes until they end
//
// The peak that the system reports for a process that has ended includes this process's memory at the time of the fork,
// which is more than a small filter needs.

package final class MemorySampler: Sendable {
  /// The interval between samples. Peaks in a process's last few milliseconds are missed.
  private static let intervalMicroseconds: UInt32 = 4000

  private let processes: [Int32]
  private let peaks: Mutex<[UInt64]>
  private let isStopped = Atomic<Bool>(false)
  private let thread = Mutex<WorkerThread?>(nil)

  package init(_ processes: [Int32]) {
    self.processes = processes
    peaks = Mutex(processes.map { _ in 0 })
    let started = try? WorkerThread(name: "memory") { [self] in
      while !isStopped.load(ordering: .relaxed) {
        sample()
        usleep(Self.intervalMicroseconds)
      }
    }
    thread.withLock { $0 = started }
  }

  /// Stops, and returns the peak of each process; 0 for one that was never sampled.
  package func stop() -> [UInt64] {
    isStopped.store(true, ordering: .relaxed)
    thread.withLock { $0.take() }?.join()
    return peaks.withLock { $0 }
  }

  private func sample() {
    #if os(Linux)
      for (index, process) in processes.enumerated() {
        guard let bytes = ProcessMemory.peakBytes(ofProcess: process) else { continue }
        peaks.withLock { $0[index] = max($0[index], bytes) }
      }
    #endif
  }
}

extension Failure {
  fileprivate static var noProgram: Failure {
    Failure(
      nil, .unavailable, "no-program",
      "cannot find this program's own file, so it can't start itself again")
  }

  fileprivate static func notStarted(_ code: Errno) -> Failure {
    Failure(nil, .unavailable, "not-started", "cannot start a process: \(SystemText.reason(code))")
  }

  /// The stage printed why.
  fileprivate static func stageFailed(_ name: String, _ status: Int32) -> Failure {
    Failure(nil, .inputOutput, "stage-failed", "'\(name)' failed with status \(status)")
  }

  fileprivate static func differentOutputs(_ name: String) -> Failure {
    Failure(
      nil, .inputOutput, "different-outputs",
      "run \(name), the stages wrote different bytes than one by one: this is a bug in cdpipe, please report it"
    )
  }

  package static func notABenchResult(_ path: String) -> Failure {
    Failure(
      nil, .badData, "not-a-result", "'\(path)' is not a benchmark result",
      hint: "make one with 'cdpipe bench --json > FILE'")
  }

  package static func otherBenchData(_ path: String, _ earlier: BenchResult) -> Failure {
    Failure(
      nil, .badData, "other-data", "'\(path)' measured other data",
      hint: "use the same data: --rows \(earlier.rows) --shape \(earlier.shape) --seed \(earlier.seed) "
        + "--memory '\(earlier.memory)'")
  }
}
