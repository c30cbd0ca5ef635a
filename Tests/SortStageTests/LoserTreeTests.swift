// The loser tree alone, against the simplest merge.

import Records
import TestSupport
import Testing

@testable import RecordStages

@Suite("LoserTree", .seeded)
struct LoserTreeTests {
  struct TreeEntry: Equatable {
    var first: UInt64
    var last: UInt64
    var run: Int
  }

  static func merge(_ runs: [[TestRecord]]) -> [TreeEntry] {
    var tree = LoserTree(runs: runs.count)
    var next = [Int](repeating: 0, count: runs.count)
    for (run, records) in runs.enumerated() {
      tree.set(run, first: records.first?.first ?? .max, last: records.first?.last ?? 0)
    }
    tree.build()
    var result: [TreeEntry] = []
    while !tree.isEmpty {
      let run = tree.winner
      let record = runs[run][next[run]]
      result.append(TreeEntry(first: record.first, last: record.last, run: run))
      next[run] += 1
      let following = next[run] < runs[run].count ? runs[run][next[run]] : nil
      tree.replaceWinner(first: following?.first ?? .max, last: following?.last ?? 0)
    }
    return result
  }

  static func expected(_ runs: [[TestRecord]]) -> [TreeEntry] {
    runs.enumerated().flatMap { run, records in
      records.map { TreeEntry(first: $0.first, last: $0.last, run: run) }
    }
    .enumerated().sorted { one, other in
      if one.element.first != other.element.first { return one.element.first < other.element.first }
      if one.element.last != other.element.last { return one.element.last > other.element.last }
      return one.offset < other.offset
    }.map(\.element)
  }

  @Test("random runs, some of them empty")
  func random() {
    var generator = SplitMix64(test: "loser tree")
    for _ in 0..<400 {
      let numbers = RecordShape.Numbers.allCases.randomElement(using: &generator) ?? .few
      let ranges = RecordShape.Ranges.allCases.randomElement(using: &generator) ?? .none
      let runs = (0..<Int.random(in: 1...20, using: &generator)).map { _ in
        SortOracle.sorted(
          RecordShape(numbers, ranges, .none).records(
            RecordShape.randomCount(&generator, most: 12), &generator))
      }
      #expect(Self.merge(runs) == Self.expected(runs), "\(runs)")
    }
  }

  @Test("every number of runs, up to more than one merge", arguments: [1, 2, 3, 4, 5, 127, 128, 129])
  func sizes(count: Int) {
    let runs = (0..<count).map { [TestRecord(UInt64(1 + ($0 * 7) % count)), TestRecord(UInt64(count + 1))] }
    #expect(Self.merge(runs) == Self.expected(runs))
  }
}
