// The bytes of a store do not depend on how its records arrive: batches use faster code than single records.

import CallStoreFormat
import RecordStages
import Records
import SystemIO
import TestSupport
import Testing

@Suite("Stores in batches", .seeded)
struct StoreBatchTests {
  /// The kinds of labels.
  enum Labels: CaseIterable {
    case few, thousands, each, mixed
    /// The table's labels, then a block's first own label, which the next block uses after another one.
    case own
  }

  static func label(_ labels: Labels, _ index: Int, _ generator: inout SplitMix64) -> String {
    switch labels {
    case .few: "label \(generator.next() % 5)"
    case .thousands: "label \(generator.next() % 6000)"
    case .each: "标记\(index)"
    case .own:
      if index < StoreLimits.tableLabelsMax {
        "label \(index)"
      } else {
        index % StoreLimits.blockRecordsMax == 0 ? "first \(index)" : "first"
      }
    case .mixed:
      switch generator.next() % 8 {
      case 0: ""
      case 1: "a\\tb\(generator.next() % 300)"
      case 2: "listed\tsource\t\(generator.next() % 100)"
      case 3: String(repeating: "long ", count: Int(generator.next() % 400))
      case 4, 5: "common"
      default: "own \(index)"
      }
    }
  }

  @Test("the bytes do not depend on the batches", arguments: Labels.allCases)
  func cuts(labels: Labels) throws {
    var generator = SplitMix64(test: "store batches \(labels)")
    var number: UInt64 = 8_613_000_000_000
    // Two blocks and part of a third.
    let records = (0..<23_000).map { index in
      number += 1 + generator.next() % 5000
      let first = number
      if labels == .mixed, generator.chance(oneIn: 500) { number += generator.next() % 50 }
      return TestRecord(first, to: number, Self.label(labels, index, &generator))
    }
    let directory = try TemporaryDirectory()
    var stores: [[UInt8]] = []
    for (name, cut) in [("one", Cut.every(1)), ("seven", .every(7)), ("whole", .whole)] {
      for globs in [[], ["own*"]] {
        let path = directory / "\(name)\(globs.count).cdstore"
        var options = EmitOptions(format: .store, output: path)
        options.blockGlobs = globs
        try EmitterTests.emit(records, [options], cut: cut)
        stores.append(Array(try #require(directory.read("\(name)\(globs.count).cdstore"))))
      }
    }
    for index in 2..<stores.count {
      let isSame = stores[index] == stores[index % 2]
      #expect(isSame, "store \(index)")
    }
    let differs = stores[0] != stores[1]
    #expect(differs == (labels == .mixed))
  }
}
