// The parameter of a group's code, compared with a search that sums all gaps for every parameter.

import CallStoreFormat
import StoreWriting
import TestSupport
import Testing

@Suite("Rice parameter")
struct RiceParameterTests {
  /// The size of gaps in bits, as docs/formats/store.md defines it.
  private static func bits(_ gaps: [UInt64], _ shift: Int) -> Int {
    gaps.reduce(0) { sum, gap in
      let zeros = gap >> UInt64(shift)
      return sum + (zeros < 24 ? Int(zeros) + 1 + shift : 24 + 50)
    }
  }

  /// The smallest of the cheapest parameters, from four below the logarithm of the mean to one above it.
  private static func search(_ gaps: [UInt64]) -> Int {
    guard !gaps.isEmpty else { return 0 }
    let guess = 63 - Int(mean(gaps).leadingZeroBitCount)
    let all = max(0, guess - 4)...max(0, min(guess + 1, 49))
    let bitsMin = all.map { bits(gaps, $0) }.min()
    return all.first { bits(gaps, $0) == bitsMin } ?? 0
  }

  private static func mean(_ gaps: [UInt64]) -> UInt64 {
    gaps.isEmpty ? 0 : gaps.reduce(0) { $0 + $1 + 1 } / UInt64(gaps.count)
  }

  private static func check(_ gaps: [UInt64], _ chooser: inout RiceParameter) {
    let padded = ContiguousArray(gaps + Array(repeating: 0, count: SequenceLayout.groupCount - gaps.count))
    let chosen = chooser.cheapest(
      padded.span, count: gaps.count, widest: gaps.reduce(0) { $0 | $1 }, mean: mean(gaps))
    #expect(chosen == search(gaps), "seed \(TestSeed.value): \(gaps)")
  }

  @Test("random gaps of every width and number, with and without outliers")
  func randomGroups() {
    var random = SplitMix64(test: "rice parameter")
    var chooser = RiceParameter()
    for _ in 0..<20_000 {
      let width = UInt64.random(in: 0...44, using: &random)
      let outliers = Int.random(in: 0...3, using: &random)
      let gaps = (0..<Int.random(in: 0...31, using: &random)).map { _ in
        // Halved repeatedly at random, so that small gaps are as frequent as in real lists.
        let gap =
          UInt64.random(in: 0...(1 << width), using: &random)
          >> UInt64.random(in: 0...4, using: &random)
        return Int.random(in: 0..<20, using: &random) < outliers
          ? UInt64.random(in: 0...((1 << 44) - 1), using: &random) : gap
      }
      Self.check(gaps, &chooser)
    }
  }

  @Test("gaps around the escape threshold of each parameter, and around the limit of the parameter search")
  func borders() {
    var chooser = RiceParameter()
    for width: UInt64 in 0...44 {
      for factor: UInt64 in [1, 2, 3, 23, 24, 25, 47, 48] {
        for off: UInt64 in [0, 1] {
          let border = max(factor << width, off) - off
          guard border < 1 << 49 else { continue }
          let small = border >> 5
          for count in [1, 2, 30, 31] {
            Self.check(Array(repeating: border, count: count), &chooser)
            Self.check(Array(repeating: small, count: count - 1) + [border], &chooser)
            Self.check(
              (0..<count).map { UInt64($0) % 3 == 0 ? border : small }, &chooser)
          }
        }
      }
    }
    for last: UInt64 in [32_766, 32_767, 32_768, 65_535, 65_536, 1 << 49] {
      Self.check(Array(repeating: 0, count: 30) + [last], &chooser)
      Self.check([last], &chooser)
    }
  }
}
