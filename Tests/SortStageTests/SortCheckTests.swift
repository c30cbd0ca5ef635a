// `sort --check`: the first record out of order, by its row.

import RecordStages
import Records
import TestSupport
import Testing

@Suite("SortCheck", .seeded)
struct SortCheckTests {
  static func disorder(_ records: [TestRecord], cut: Cut = .whole) throws -> [UInt64]? {
    let check = SortCheck()
    try feed(records, cut: cut, to: check)
    return check.disorder.map {
      [$0.row, $0.previous.lowerBound, $0.previous.upperBound, $0.numbers.lowerBound, $0.numbers.upperBound]
    }
  }

  @Test("sorted records pass, whatever the cuts")
  func inOrder() throws {
    var generator = SplitMix64(test: "sort check")
    for _ in 0..<60 {
      let shape = RecordShape.random(&generator)
      let records = SortOracle.sorted(shape.records(20, &generator))
      for cut in [Cut.whole, .every(1), .every(7)] {
        #expect(try Self.disorder(records, cut: cut) == nil, "\(shape)")
      }
    }
    #expect(try Self.disorder([]) == nil)
  }

  @Test("the first of several errors is named", arguments: [Cut.whole, .every(1), .every(2), .every(3)])
  func disorder(cut: Cut) throws {
    let records = [
      TestRecord(1), TestRecord(5, to: 9), TestRecord(5), TestRecord(4), TestRecord(3), TestRecord(9),
    ]
    #expect(try Self.disorder(records, cut: cut) == [4, 5, 5, 4, 4])
    // A narrower range before a wider one is out of order, too.
    #expect(try Self.disorder([TestRecord(5), TestRecord(5, to: 9)], cut: cut) == [2, 5, 5, 5, 9])
  }
}
