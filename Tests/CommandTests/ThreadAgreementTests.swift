// Random lists in every layout that is read in parts, with each policy: one, two, four and eight threads write the same
// records, rejects, conflicts, reports and messages.

import TestSupport
import Testing

@Suite("Agreement of numbers of threads", .serialized)
struct ThreadAgreementTests {
  static let policies = [
    "{ keep: first, conflicts: conflicts.tsv }",
    "{ keep: last }",
    "{ keep: highest-score, min-score: 0, conflicts: conflicts.jsonl }",
    "{ keep: most-frequent, coalesce: true, conflicts: conflicts.tsv }",
    "{ keep: priority, priority: [s2, s1], limit: 30000 }",
  ]

  @Test(
    "every policy and layout", .seeded, .timeLimit(.minutes(10)), arguments: policies.indices,
    LayoutList.Layout.allCases)
  func couplings(policy: Int, layout: LayoutList.Layout) async throws {
    var generator = SplitMix64(test: "threads \(policy) \(layout)")
    let workshop = try Workshop()
    // Longer than the parts that are pushed before the first result is known, and than the bytes of a sort's first run.
    let list = LayoutList(layout, rows: 70_000, &generator)
    try workshop.write(workshop.work + "/list.txt", list.bytes)
    var sources = ["list.txt"]
    // Lists that one thread each reads, some of them longer than what waits for its turn.
    for index in 2...7 {
      sources.append("short\(index).txt")
      let rows = generator.chance(oneIn: 3) ? 40_000 : Int.random(in: 1...5000, using: &generator)
      try workshop.write(
        "\(workshop.work)/short\(index).txt", LayoutList(layout, rows: rows, &generator).bytes)
    }
    let file = """
      sources:
      \(sources.enumerated().map { index, path in
        "  - { name: s\(index + 1), path: \(path), parse: \(layout.options), normalize: { region: CN } }"
      }.joined(separator: "\n"))
      sort: { memory: 40MiB }
      dedupe: \(Self.policies[policy])
      emit:
        - { format: store, path: stores, max-entries: 20000 }
      """
    try workshop.write(workshop.work + "/list.yaml", Array(file.utf8))
    var expected: (files: [String: [UInt8]], messages: [String])?
    for threads in ["1", "2", "4", "8", "8"] {
      // Nothing is left of the run before, with which a report would compare this one.
      FileTree.remove(workshop.work + "/stores")
      let outcome = try await Program.run(
        try Program.path(),
        [
          "run", "--threads", threads, "--rejects", "rejects.tsv", "--report", "report.json", "list.yaml",
        ],
        in: workshop)
      #expect(outcome.status == 0, "\(threads) threads: \(outcome.errors)")
      var files = workshop.files()
      files["report.json"] = try Self.withoutTimes(#require(files["report.json"]))
      // The last line contains the time.
      let found = (files, outcome.errorLines.filter { !$0.hasPrefix("cdpipe run: read") })
      let first = expected ?? found
      expected = first
      for name in Set(first.files.keys).union(found.0.keys).sorted() {
        let isSame = first.files[name] == found.0[name]
        #expect(isSame, "\(name), \(threads) threads")
      }
      #expect(first.messages == found.1, "\(threads) threads")
    }
    #expect(workshop.leftovers().isEmpty)
  }

  /// A report without the lines that differ between equal runs.
  static func withoutTimes(_ report: [UInt8]) -> [UInt8] {
    let differing = ["cpuSeconds", "peakMemoryBytes", "seconds", "started"].map { "\"\($0)\" :" }
    let lines = String(decoding: report, as: UTF8.self).split(separator: "\n")
    return Array(
      lines.filter { line in !differing.contains { line.contains($0) } }.joined(separator: "\n").utf8)
  }

  @Test(
    "the source that fails is named, and those that the run can do without are left out, whatever is read besides"
  )
  func failures() async throws {
    var generator = SplitMix64(seed: 7)
    let workshop = try Workshop()
    var lists = ""
    for index in 1...12 {
      let list =
        index % 4 == 3
        ? Array("<html>Not found</html>".utf8) : LayoutList(.numbers, rows: 500, &generator).bytes
      try workshop.write("\(workshop.work)/\(index).txt", list)
      lists += "  - { name: s\(index), path: \(index).txt, normalize: { region: CN }, required: REQUIRED }\n"
    }
    for isRequired in [true, false] {
      let file = "sources:\n\(lists)emit: { format: tsv, path: list.tsv }\n".replacing(
        "REQUIRED", with: "\(isRequired)")
      try workshop.write(workshop.work + "/list.yaml", Array(file.utf8))
      var expected: (status: Int32, messages: [String], list: [UInt8]?)?
      for threads in ["1", "2", "4", "8"] {
        let outcome = try await Program.run(
          try Program.path(), ["run", "--threads", threads, "list.yaml"], in: workshop)
        #expect(outcome.status == (isRequired ? 65 : 0), "\(outcome.errors)")
        let found = (
          outcome.status, outcome.errorLines.filter { !$0.hasPrefix("cdpipe run: read") },
          workshop.files()["list.tsv"]
        )
        let first = expected ?? found
        expected = first
        #expect(first == found, "\(threads) threads")
        #expect(outcome.errors.contains("'s3'"))
      }
    }
  }
}
