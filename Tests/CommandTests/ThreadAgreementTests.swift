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
    "every policy and layout", .seeded, .timeLimit(.minutes(2)), arguments: policies.indices,
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

/// Random rows in one of the layouts that are read in parts, with broken ones.
struct LayoutList {
  /// The layout of a list.
  enum Layout: CaseIterable {
    /// One object per row, in an array.
    case array
    /// One object per row, without brackets around them.
    case lines
    /// One object whose members are the rows.
    case object
    /// A table with quotes, and sometimes line ends in them.
    case table
    /// A number per line.
    case numbers

    var options: String {
      switch self {
      case .array, .lines, .object: "{ format: json }"
      case .table: "{ format: csv, score: rank }"
      case .numbers: "{ format: lines }"
      }
    }
  }

  private(set) var bytes: [UInt8] = []

  init(_ layout: Layout, rows: Int, _ generator: inout SplitMix64) {
    bytes.reserveCapacity(rows * 48)
    switch layout {
    case .array: add("[")
    case .object: add("{")
    case .table: add("phone,name,rank")
    case .lines, .numbers: break
    }
    // Lists are either clean for long stretches, or have a broken row in most parts.
    let brokenOne = generator.chance(oneIn: 2) ? 20 : 4000
    for _ in 0..<rows {
      if generator.chance(oneIn: brokenOne) {
        addBroken(layout, &generator)
      } else {
        addRow(layout, &generator)
      }
    }
    switch layout {
    case .array: add("]")
    case .object: add("}")
    case .table, .lines, .numbers: break
    }
  }

  private mutating func add(_ line: String) {
    bytes += line.utf8
    bytes.append(UInt8(ascii: "\n"))
  }

  private mutating func addRow(_ layout: Layout, _ generator: inout SplitMix64) {
    var number = "86" + String(13_800_000_000 + UInt64.random(in: 0..<60_000, using: &generator))
    if generator.chance(oneIn: 50) { number = "1380" + String(Int.random(in: 0...9, using: &generator)) }
    if generator.chance(oneIn: 300) {
      number = "+8613800" + String(Int.random(in: 100...999, using: &generator)) + "***"
    }
    let label = "label \(Int.random(in: 0..<(generator.chance(oneIn: 10) ? 9000 : 5), using: &generator))"
    switch layout {
    case .array: add(#"{"\#(number)": "\#(label)"},"#)
    case .lines: add(#"{"\#(number)": "\#(label)"}"#)
    case .object: add(#""\#(number)": "\#(label)","#)
    case .table:
      let end = generator.chance(oneIn: 40) ? "\n" : ""
      add(#""\#(number)","\#(label)\#(end)",\#(Int.random(in: -2...9, using: &generator))"#)
    case .numbers: add(number + " " + label)
    }
  }

  private mutating func addBroken(_ layout: Layout, _ generator: inout SplitMix64) {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: add(#"{"1380013800": "no end"#)
    case 1: add(#""8613800138000","a quote" inside,1"#)
    case 2: bytes += [0x22, 0xC3, 0x28, 0x22, 0x2C, 0x0A]
    default: add("nothing of use")
    }
  }
}
