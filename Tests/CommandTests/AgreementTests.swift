// Random lists as shell pipes and in one process, with different numbers of threads, amounts of memory and sizes of
// input pieces: the same bytes, and every row accounted for.

import TestSupport
import Testing

@Suite("Agreement of shell pipes and single processes", .serialized)
struct AgreementTests {
  private static let stages =
    "parse list.json | normalize --region CN | sort --memory MEMORY | dedupe --keep KEEP"

  private static func pipe(memory: String, keep: String, shell: Bool) -> String {
    let words = stages.split(separator: " ").map { word -> String in
      switch word {
      case "MEMORY": memory
      case "KEEP": keep
      default: String(word)
      }
    }
    let text = words.joined(separator: " ")
    return shell ? "cdpipe " + text.split(separator: "|").joined(separator: "| cdpipe") : text
  }

  @Test(
    "random lists result in the same bytes either way", .seeded, .timeLimit(.minutes(10)),
    arguments: [(0, false), (1, false), (40, false), (3000, false), (20_000, false), (160_000, true)])
  func couplings(rows: Int, longLabels: Bool) async throws {
    var generator = SplitMix64(test: "couplings \(rows)")
    let list = RandomList(rows: rows, longLabels: longLabels, &generator)
    let workshop = try Workshop()
    try workshop.write(workshop.work + "/list.json", list.bytes)
    let keep = generator.chance(oneIn: 2) ? "first" : "last"
    var expected: Outcome?
    for memory in longLabels ? ["12MiB", "64MiB"] : ["12MiB"] {
      let piped = try await Program.shell(Self.pipe(memory: memory, keep: keep, shell: true), in: workshop)
      expected = expected ?? piped
      #expect(piped.output == expected?.output, "piped, \(memory)")
      #expect(piped.status == expected?.status)
      for threads in ["1", "2", "5"] {
        let fused = try await Program.run(
          try Program.path(),
          ["run", "--threads", threads, "--pipe", Self.pipe(memory: memory, keep: keep, shell: false)],
          in: workshop)
        #expect(fused.output == expected?.output, "fused, \(threads) threads, \(memory)")
        #expect(fused.status == expected?.status, "fused, \(threads) threads, \(memory): \(fused.errors)")
      }
    }
    #expect(workshop.leftovers().isEmpty)
  }

  @Test(
    "every row is written, a duplicate, or a reject", .seeded, .timeLimit(.minutes(10)),
    arguments: [1000, 5000, 30_000], ["first", "last"])
  func accounts(rows: Int, keep: String) async throws {
    var generator = SplitMix64(test: "accounts \(rows) \(keep)")
    let list = RandomList(rows: rows, &generator)
    let workshop = try Workshop()
    try workshop.write(workshop.work + "/list.json", list.bytes)
    let file = """
      sources:
        - path: list.json
          normalize: { region: CN }
      dedupe: { keep: \(keep), conflicts: conflicts.tsv }
      emit:
        - { path: out.tsv }
      """
    try workshop.write(workshop.work + "/list.yaml", Array(file.utf8))
    let outcome = try await Program.run(
      try Program.path(), ["run", "--rejects", "rejects.tsv", "list.yaml"], in: workshop)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let summary = try #require(Summary(outcome.errorLines), "\(outcome.errors)")
    #expect(summary.rowsIn == list.rows)
    #expect(summary.rowsIn == summary.kept + summary.duplicates + summary.rejects)
    let files = workshop.files()
    #expect(summary.rejects == Self.lines(files["rejects.tsv"]))
    #expect(summary.written == Self.lines(files["out.tsv"]))
    #expect(outcome.errorLines.allSatisfy { !$0.contains("don't add up") })
  }

  @Test("dates and votes: text, packed records and one process", .seeded, .timeLimit(.minutes(10)))
  func dated() async throws {
    var generator = SplitMix64(test: "dates and votes")
    var table = "who,tel,list,when\n"
    // Longer than the parts that several threads parse.
    for _ in 0..<60_000 {
      let number = 8_613_800_138_000 + Int.random(in: 0..<30_000, using: &generator)
      let (month, day) = (
        Int.random(in: 1...12, using: &generator), Int.random(in: 1...31, using: &generator)
      )
      table += "label \(number % 3),\(number),s\(number % 5),\(day)/\(month)/2026\n"
    }
    let workshop = try Workshop()
    try workshop.write(workshop.work + "/list.csv", Array(table.utf8))
    let stages = [
      "parse --number tel --label who --source list --date when --since 2026-03-01 --undated keep list.csv",
      "normalize", "sort --memory 12MiB", "dedupe --keep newest --combine count --min-count 2 --infer 10:4",
    ]
    var expected: [UInt8]?
    for form in ["", " --packed"] {
      let pipe = stages.map {
        "cdpipe " + $0.replacing(" ", with: form + " ", maxReplacements: 1) + ($0 == "normalize" ? form : "")
      }
      let piped = try await Program.shell(
        pipe.joined(separator: " | ") + " | cdpipe emit --format tsv", in: workshop)
      #expect(piped.status == 0, "\(piped.errors)")
      let first = expected ?? piped.output
      expected = first
      let isSame = piped.output == first
      #expect(isSame && !first.isEmpty, "piped\(form)")
    }
    for threads in ["1", "2", "8"] {
      let pipe = stages.joined(separator: " | ") + " | emit --format tsv"
      let fused = try await Program.run(
        try Program.path(), ["run", "--threads", threads, "--pipe", pipe], in: workshop)
      let isSame = fused.output == expected
      #expect(isSame, "\(threads) threads: \(fused.errors)")
    }
  }

  private static func lines(_ bytes: [UInt8]?) -> Int? { bytes.map { $0.count { $0 == UInt8(ascii: "\n") } } }

  /// A command that receives its input in pieces, and the input.
  static let pieces: [(command: [String], sample: String)] = [
    (["unzip"], "marked.zip"),
    (["parse"], "seed.json"),
    (["normalize"], "ranges.tsv"),
    (["sort"], "ranges.tsv"),
    (["sort", "--check"], "ranges.tsv"),
    (["dedupe"], "ranges.tsv"),
    (["emit", "--format", "jsonl"], "ranges.tsv"),
    (
      ["run", "--pipe", "unzip | parse | normalize --region CN | sort | dedupe | emit --format csv"],
      "seed.json"
    ),
  ]

  @Test("input in pieces of 1 to 7 bytes", .seeded, .timeLimit(.minutes(10)), arguments: pieces.indices)
  func staccato(index: Int) async throws {
    let (command, sample) = Self.pieces[index]
    var generator = SplitMix64(test: "staccato \(command)")
    let workshop = try Workshop()
    let input = try FileTree.read(workshop.work + "/samples/" + sample)
    let whole = try await Program.run(try Program.path(), command, in: workshop, input: input)
    let pieces = try await Program.staccato(command, in: workshop, input: input, &generator)
    #expect(pieces.status == whole.status)
    #expect(pieces.output == whole.output)
    #expect(pieces.errors == whole.errors)
  }

  @Test("a random list in pieces of 1 to 7 bytes", .seeded, .timeLimit(.minutes(10)))
  func staccatoList() async throws {
    var generator = SplitMix64(test: "staccato list")
    let list = RandomList(rows: 150, &generator)
    let workshop = try Workshop()
    for pipe in ["parse", "parse | normalize --region CN | sort | dedupe"] {
      for threads in ["1", "2"] {
        let command = ["run", "--threads", threads, "--pipe", pipe]
        let whole = try await Program.run(try Program.path(), command, in: workshop, input: list.bytes)
        let pieces = try await Program.staccato(command, in: workshop, input: list.bytes, &generator)
        #expect(pieces.status == whole.status)
        #expect(pieces.output == whole.output, "\(pipe), \(threads) threads")
        #expect(Set(pieces.errorLines) == Set(whole.errorLines))
      }
    }
  }
}

/// The summary at the end of `run`.
private struct Summary {
  let rowsIn: Int
  let kept: Int
  let duplicates: Int
  let rejects: Int
  /// The records that were written: those kept, and the pieces of ranges and patterns.
  let written: Int

  /// Parses `cdpipe run: read 9 rows: 9 written, 0 duplicates, 0 rejected, in 0.0 s`.
  init?(_ lines: [String]) {
    guard let line = lines.first(where: { $0.hasPrefix("cdpipe run: ") }) else { return nil }
    let figures = Self.figures(line)
    guard figures.count >= 4 else { return nil }
    (rowsIn, kept, duplicates, rejects) = (figures[0], figures[1], figures[2], figures[3])
    let cut = lines.first { $0.hasPrefix("  ") && $0.contains("were split") }
    written = cut.flatMap { Self.figures($0).first } ?? kept
  }

  private static func figures(_ line: String) -> [Int] {
    line.split(separator: " ").compactMap { Int($0.filter { $0 != "," }) }
  }
}
