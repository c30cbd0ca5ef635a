// `cdpipe lookup --prefix` against a search of all numbers.

import TestSupport
import Testing

@Suite("Lookups of prefixes")
struct LookupTests {
  @Test("a store and a text list in any order have the records that a search of all numbers finds", .seeded)
  func prefixes() async throws {
    var random = SplitMix64(test: "lookups of prefixes")
    var records: [TestRecord] = []
    var next: UInt64 = 8_613_800_000_000
    for index in 0..<300 {
      next += UInt64.random(in: 1...2000, using: &random)
      let last = next + (random.chance(oneIn: 4) ? UInt64.random(in: 1...300, using: &random) : 0)
      records.append(TestRecord(next, to: last, "label \(index)"))
      next = last
    }
    let span = records[0].first...next
    var prefixes: [UInt64] = [8, 9, 86138, 861_380_000_000_012, records[0].first, next]
    for _ in 0..<40 {
      let number = UInt64.random(in: span, using: &random)
      prefixes.append([1, 10, 100, 1000, 10_000].map { number / $0 }[random.below(5)])
    }

    let workshop = try Workshop()
    try workshop.write(workshop.work + "/list.tsv", lines(records.shuffled(using: &random)))
    try workshop.write(workshop.work + "/prefixes", Array(prefixes.map { "\($0)\n" }.joined().utf8))
    let made = try await Program.shell("cdpipe sort list.tsv | cdpipe emit -q -o list.cdstore", in: workshop)
    #expect(made.status == 0, "\(made.errors)")
    let expected = prefixes.flatMap { prefix in
      lines(records.filter { ($0.first...$0.last).contains { "\($0)".hasPrefix("\(prefix)") } })
    }
    for list in ["list.cdstore", "list.tsv"] {
      let found = try await Program.shell("cdpipe lookup --prefix - \(list) < prefixes", in: workshop)
      #expect(found.outputText == String(decoding: expected, as: UTF8.self), "\(list)")
      #expect(found.status == 1 && found.errors.hasPrefix("cdpipe lookup: not in '\(list)': 9"))
    }
    #expect(workshop.leftovers().isEmpty)
  }
}
