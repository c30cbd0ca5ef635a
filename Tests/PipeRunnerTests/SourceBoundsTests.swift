// The bounds of single sources: a source beyond them fails alone, and the run succeeds without it.

import InputStages
import NumberPlan
import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

@testable import Runner

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Bounds of sources")
struct SourceBoundsTests {
  /// A pipeline of a good source and one with checks.
  private static func pipeline(
    _ directory: TemporaryDirectory, _ name: String, threads: Int = 1, _ set: (inout SourceChecks) -> Void
  ) throws -> Pipeline {
    try directory.write("good", Array("+8613800138000\tgood\n".utf8))
    var parse = ParseOptions()
    parse.format = .tsv
    var sources = ["good", name].map { name in
      Pipeline.Source(
        name: name, input: .files([directory / name]),
        stages: [ParsePlan(parse), NormalizeOptions()])
    }
    set(&sources[1].checks)
    return Pipeline(
      sources: sources,
      stages: [
        SortOptions(memory: SortOptions.memoryMin), DedupeOptions(),
        EmitPlan([EmitOptions(format: .store, output: directory / "out.cdstore")]),
      ], threads: threads)
  }

  /// The error of a list's source within some bounds; nil if the run succeeds.
  private static func failure(
    _ text: String, threads: Int = 1, _ set: (inout SourceChecks) -> Void
  ) throws -> Failure? {
    let directory = try TemporaryDirectory()
    try directory.write("list", Array(text.utf8))
    let outcome = try execute(pipeline(directory, "list", threads: threads, set))
    guard let failure = outcome.failure else { return nil }
    #expect(failure.sourceIndex == 1, "\(failure)")
    #expect(failure.errorClass == .badData)
    return failure
  }

  private static func nested(_ count: Int) -> String {
    (0..<count).map { "+\(8_613_800_000_000 + $0)..+\(8_613_800_999_999 - $0)\tn\($0)\n" }.joined()
  }

  @Test("a range that is too wide", arguments: [1, 2])
  func wide(threads: Int) throws {
    let text = "+8613800138001\ta\n+8610000000000..+8619999999999\twide\n"
    let failure = try Self.failure(text, threads: threads) { $0.bound() }
    #expect(
      failure?.message.message == "source 'list': more than 100,000,000 numbers, the limit of max-numbers: "
        + "the range 8610000000000..8619999999999 exceeds it")
    #expect(try Self.failure("+8613800138000..+8613800138009\ta\n") { $0.maxNumbers = 10 } == nil)
    #expect(try Self.failure("+8613800138000..+8613800138009\ta\n") { $0.maxNumbers = 9 } != nil)
    let singles = (0..<10).map { "+861380013800\($0)\ta\n" }.joined()
    #expect(
      try Self.failure(singles) { $0.maxNumbers = 9 }?.message.message
        == "source 'list': more than 9 numbers, the limit of max-numbers")
  }

  @Test("ranges that contain one another")
  func nesting() throws {
    let failure = try Self.failure(Self.nested(5000)) {
      $0.bound()
      $0.maxNumbers = .max
    }
    #expect(
      failure?.message.message
        == "source 'list': more than 4,096 ranges contain \(8_613_800_000_000 + 4096), the limit of max-overlaps"
    )
    // As many ranges as allowed; adjacent ranges; the same range many times.
    #expect(try Self.failure(Self.nested(4)) { $0.maxOverlaps = 4 } == nil)
    #expect(try Self.failure(Self.nested(5)) { $0.maxOverlaps = 4 } != nil)
    let adjacent = (0..<500).map { "+\(86_138_001_000 + $0)0..+\(86_138_001_000 + $0)9\tn\n" }.joined()
    #expect(try Self.failure(adjacent) { $0.maxOverlaps = 1 } == nil)
    let same = String(repeating: "+861380013000..+861380013009\tn\n", count: 500)
    #expect(try Self.failure(same) { $0.maxOverlaps = 1 } == nil)
  }

  @Test("the labels of ranges that contain one another")
  func nestedLabels() throws {
    let label = String(repeating: "x", count: 1000)
    let text = (0..<600).map { "+\(8_613_800_000_000 + $0)..+\(8_613_800_999_999 - $0)\t\(label)\($0)\n" }
    let failure = try Self.failure(text.joined()) { $0.maxOverlaps = 4096 }
    #expect(failure?.code == "overlaps-too-large")
  }

  @Test("more rows than allowed", arguments: [1, 2])
  func rows(threads: Int) throws {
    let text = (0..<100).map { "+86138001380\($0 % 90 + 10)\ta\n" }.joined()
    #expect(
      try Self.failure(text, threads: threads) { $0.maxRows = 99 }?.message.message
        == "source 'list': more than 99 rows, the limit of max-rows")
    #expect(try Self.failure(text, threads: threads) { $0.maxRows = 100 } == nil)
  }

  @Test("a pipe without a writer, and one whose writer does not stop")
  func pipes() throws {
    let directory = try TemporaryDirectory()
    let path = directory / "pipe"
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let pipeline = try Self.pipeline(directory, "pipe") { $0.pipeSeconds = 0.2 }
    let expected =
      "source 'pipe': the pipe '\(path)' did not end within 0.2 seconds, the limit of pipe-timeout"
    var failure = try execute(pipeline).failure
    #expect(failure?.message.message == expected)
    #expect(failure?.sourceIndex == 1)

    // This descriptor keeps the pipe open.
    let writer = unsafe open(path, O_RDWR)
    defer { close(writer) }
    let row = Array("+8613800138001\ta\n".utf8)
    #expect(unsafe write(writer, row, row.count) == row.count)
    failure = try execute(pipeline).failure
    #expect(failure?.message.message == expected)
  }

  @Test("a pipe that ends in time")
  func pipeThatEnds() throws {
    let directory = try TemporaryDirectory()
    let path = directory / "pipe"
    #expect(unsafe mkfifo(path, 0o600) == 0)
    let pipeline = try Self.pipeline(directory, "pipe") { $0.pipeSeconds = 60 }
    let writer = try WorkerThread(name: "writer") {
      let file = unsafe open(path, O_WRONLY)
      let row = Array("+8613800138001\ta\n".utf8)
      _ = unsafe write(file, row, row.count)
      close(file)
    }
    let outcome = try execute(pipeline)
    writer.join()
    #expect(outcome.failure == nil)
    #expect(outcome.accounts.recordsOut == 2)
  }
}
