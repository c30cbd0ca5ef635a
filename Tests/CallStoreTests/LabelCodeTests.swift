// Labels in all encodings of a block, with its own code and with a shared code: decoding, lookup and size.

import CallStoreFormat
import CallStoreReader
import TestSupport
import Testing

@Suite struct LabelCodeTests {
  /// Rows with the labels that `label` returns.
  static func rows(_ count: Int, _ label: (Int) -> String) -> [StoreRow] {
    (0..<count).map {
      StoreRow(UInt64($0 + 1) * 5, nil, $0 % 4 == 0 ? .blocking : .identification, label($0))
    }
  }

  /// A round trip, and a lookup of every third record.
  static func check(_ wanted: [StoreRow], _ seed: UInt64) throws {
    try checkRoundTrip(wanted, "seed \(seed)")
    let file = try TemporaryStore(encode(wanted).bytes)
    let store = try CallStore(path: file.path)
    for row in wanted where row.first % 3 == 0 {
      let found = try #require(try store.record(of: row.first), "seed \(seed)")
      try #require(bytes(of: found.label, in: store) == row.label, "\(row.first), seed \(seed)")
    }
  }

  /// Labels that appear after the shared code was built: an escape, or a code of the block's own.
  @Test(arguments: [1, 3, 40, 700, 4_500])
  func labelsThatComeLater(labels: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("CallStoreTests labels that come later, \(labels): seed \(seed)")
    var random = SplitMix64(seed: seed)
    try Self.check(
      Self.rows(90_000) { index in
        let all = 1 + labels * (index / 10_000 + 1) / 9
        return
          "label \(min(Int.random(in: 0..<all, using: &random), Int.random(in: 0..<all, using: &random)))"
      }, seed)
  }

  /// Blocks from different kinds of lists, one after another: a shared code suits only some of them.
  @Test func listsOneAfterAnother() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("CallStoreTests lists one after another: seed \(seed)")
    var random = SplitMix64(seed: seed)
    try Self.check(
      Self.rows(120_000) { index in
        switch index / 15_000 {
        case 0, 5: "common"
        case 1: Int.random(in: 0..<50, using: &random) == 0 ? "rare \(index % 3)" : "common"
        case 2: "one of \(Int.random(in: 0..<100, using: &random))"
        case 3: "own \(index)"
        case 4: "one of \(Int.random(in: 90..<3_000, using: &random))"
        case 6: Int.random(in: 0..<200, using: &random) == 0 ? "own \(index)" : "common"
        default: Int.random(in: 0..<3, using: &random) == 0 ? "" : "common"
        }
      }, seed)
  }

  /// Labels with very unequal frequencies, whose dictionary is in the file once and not in each block.
  @Test func manyLabelsNearTheirEntropy() throws {
    var random = SplitMix64(seed: 12)
    let labels = 4_096
    var upTo: [Double] = []
    for rank in 1...labels { upTo.append((upTo.last ?? 0) + 1 / Double(rank)) }
    var counts = [Int](repeating: 0, count: labels)
    let wanted = (0..<1_000_000).map { index in
      let at = Double.random(in: 0..<upTo[labels - 1], using: &random)
      var (low, high) = (0, labels - 1)
      while low < high {
        let middle = (low + high) / 2
        if upTo[middle] > at { high = middle } else { low = middle + 1 }
      }
      counts[low] += 1
      return StoreRow(UInt64(index) + 1, nil, .identification, "l\(low)")
    }
    // Consecutive numbers need little more than a bit each; the rest are labels.
    let plain = try encode(wanted.map { StoreRow($0.first, nil, .identification, "l") }).bytes.count
    let all = try encode(wanted).bytes.count
    let entropy = counts.filter { $0 > 0 }.reduce(0.0) { $0 - Double($1) * logarithm(Double($1) / 1_000_000) }
    let texts = counts.indices.reduce(0) { $0 + "l\($1)".utf8.count + 4 }
    #expect(Double((all - plain - texts) * 8) < 1.15 * entropy)
  }

  /// The binary logarithm, by bisection: the tests have no libm in common on all systems.
  private func logarithm(_ value: Double) -> Double {
    var (rest, result) = (value.significand, Double(value.exponent))
    var part = 0.5
    for _ in 0..<40 {
      rest *= rest
      if rest >= 2 {
        rest /= 2
        result += part
      }
      part /= 2
    }
    return result
  }
}
