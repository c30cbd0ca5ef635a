// Ranges as blocks of numbers with common first digits.

import TestSupport
import Testing

@testable import RecordStages

@Suite struct NumberBlockTests {
  private func blocks(_ range: ClosedRange<UInt64>) -> [NumberBlock] {
    var blocks: [NumberBlock] = []
    NumberBlock.forEach(in: range) { blocks.append($0) }
    return blocks
  }

  @Test("whole blocks of ten, a hundred … are one block each")
  func whole() {
    #expect(blocks(33162000000...33162999999) == [NumberBlock(prefix: 33162, openDigits: 6)])
    #expect(blocks(95...105).map(\.prefix) == [95, 96, 97, 98, 99, 100, 101, 102, 103, 104, 105])
    #expect(blocks(7...7) == [NumberBlock(prefix: 7, openDigits: 0)])
    #expect(blocks(0...9).count == 10)
    let text = blocks(8619...8632).map { block in
      var text: [UInt8] = []
      block.append(to: &text, placeholder: UInt8(ascii: "#"))
      return String(decoding: text, as: UTF8.self)
    }
    #expect(text == ["8619", "862#", "8630", "8631", "8632"])
  }

  @Test("the highest number ends a range")
  func highest() {
    #expect(blocks(UInt64.max...UInt64.max) == [NumberBlock(prefix: .max, openDigits: 0)])
    #expect(blocks(UInt64.max - 15...UInt64.max).map(\.openDigits) == [1, 0, 0, 0, 0, 0, 0])
  }

  @Test("the blocks of random ranges are the range, adjacent, and of numbers with equally many digits")
  func random() {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("NumberBlockTests: seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let first = UInt64.random(in: 0...1 << UInt64.random(in: 1...50, using: &random), using: &random)
      let count = UInt64.random(in: 0...1 << UInt64.random(in: 0...40, using: &random), using: &random)
      let range = first...first + count
      var next = range.lowerBound
      for block in blocks(range) {
        let size = (0..<block.openDigits).reduce(UInt64(1)) { size, _ in size * 10 }
        #expect(block.prefix * size == next)
        #expect(block.openDigits == 0 || block.prefix > 0)
        next += size
      }
      #expect(next == range.upperBound + 1)
    }
  }
}
