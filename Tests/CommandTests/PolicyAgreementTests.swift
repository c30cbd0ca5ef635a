// Random records through sort and dedupe with each policy, as shell pipes and in one process, against a naive model,
// byte for byte.

import TestSupport
import Testing

@Suite("Agreement of the policies with a model", .serialized)
struct PolicyAgreementTests {
  static let policies = ["first", "last", "highest-score", "most-frequent", "priority"]

  private static func dedupe(_ policy: String) -> String {
    "dedupe --keep \(policy)" + (policy == "priority" ? " --priority s1,s2,s0" : "")
  }

  @Test(
    "every policy, number of threads and amount of memory", .seeded, .timeLimit(.minutes(10)),
    arguments: policies, [50, 4000, 150_000])
  func couplings(policy: String, rows: Int) async throws {
    var generator = SplitMix64(test: "policies \(policy) \(rows)")
    // With the minimum memory, sort holds about 100,000 rows with long labels.
    let list = AnnotatedList(rows: rows, hasLongLabels: rows > 100_000, &generator)
    let expected = list.decided(by: policy)
    let workshop = try Workshop()
    try workshop.write(workshop.work + "/records.tsv", list.bytes)
    let dedupe = Self.dedupe(policy)
    for memory in ["12MiB", "64MiB"] {
      for threads in ["1", "2", "5"] {
        let piped = try await Program.shell(
          "cdpipe sort --memory \(memory) --threads \(threads) records.tsv | cdpipe \(dedupe)", in: workshop)
        #expect(piped.status == 0, "\(piped.errors)")
        #expect(piped.isOutput(expected), "piped, \(threads) threads, \(memory)")
        let fused = try await Program.run(
          try Program.path(),
          ["run", "--threads", threads, "--pipe", "sort --memory \(memory) records.tsv | \(dedupe)"],
          in: workshop)
        #expect(fused.status == 0, "\(fused.errors)")
        #expect(fused.isOutput(expected), "fused, \(threads) threads, \(memory)")
      }
    }
    #expect(workshop.leftovers().isEmpty)
  }

  @Test("every policy, read in pieces", .seeded, .timeLimit(.minutes(10)), arguments: policies)
  func staccato(policy: String) async throws {
    var generator = SplitMix64(test: "policies in pieces \(policy)")
    let list = AnnotatedList(rows: 200, hasLongLabels: false, &generator)
    let workshop = try Workshop()
    let pipe = "sort --memory 12MiB | \(Self.dedupe(policy))"
    let outcome = try await Program.staccato(
      ["run", "--pipe", pipe], in: workshop, input: list.bytes, &generator)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.isOutput(list.decided(by: policy)))
  }
}

extension Outcome {
  /// A plain Bool: printing a failed comparison of megabytes takes minutes.
  fileprivate func isOutput(_ bytes: [UInt8]) -> Bool { output == bytes }
}

/// Records of single numbers with labels, sources and scores, and the result that `dedupe --help` describes.
private struct AnnotatedList {
  private struct ScoredRow {
    let number: UInt64
    let label: String
    let source: Int
    let score: Int?

    var line: String {
      let fields = [String(number), label, source < 0 ? "" : "s\(source)", score.map(String.init) ?? ""]
      var count = fields.count
      while fields[count - 1].isEmpty { count -= 1 }
      return fields.prefix(count).joined(separator: "\t") + "\n"
    }
  }

  private var rows: [ScoredRow] = []

  init(rows count: Int, hasLongLabels: Bool, _ generator: inout SplitMix64) {
    rows.reserveCapacity(count)
    let more = hasLongLabels ? String(repeating: " and so on", count: 9) : ""
    for _ in 0..<count {
      // Four records per number on average, and three labels, so that each policy has conflicts to resolve.
      let label = UInt64.random(in: 0..<4, using: &generator)
      rows.append(
        ScoredRow(
          number: 8_613_800_000_000 + UInt64.random(in: 0..<UInt64(max(1, count / 4)), using: &generator),
          label: label == 0 ? "" : "label \(label)\(more)", source: Int.random(in: -1..<4, using: &generator),
          score: generator.chance(oneIn: 3) ? nil : Int.random(in: -2..<4, using: &generator)))
    }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for row in rows { bytes += row.line.utf8 }
    return bytes
  }

  func decided(by policy: String) -> [UInt8] {
    var groups: [UInt64: [ScoredRow]] = [:]
    for row in rows { groups[row.number, default: []].append(row) }
    var bytes: [UInt8] = []
    for number in groups.keys.sorted() { bytes += Self.kept(of: groups[number] ?? [], policy).line.utf8 }
    return bytes
  }

  /// The first record that no other record beats.
  private static func kept(of rows: [ScoredRow], _ policy: String) -> ScoredRow {
    if policy == "last" { return rows[rows.count - 1] }
    func worth(_ row: ScoredRow) -> Int {
      switch policy {
      case "highest-score": row.score ?? 0
      case "most-frequent": rows.count { $0.label == row.label }
      // The first source has the highest priority; unlisted sources and records without a source have the lowest.
      case "priority": [1, 2, 0].firstIndex(of: row.source).map { -$0 } ?? -3
      default: 0
      }
    }
    return rows.reduce(rows[0]) { worth($1) > worth($0) ? $1 : $0 }
  }
}
