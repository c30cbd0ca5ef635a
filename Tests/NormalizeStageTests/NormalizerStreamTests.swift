// The stage as a stream: order, record fields and row numbers across batches, with rejects and patterns in between.

import NumberPlan
import RecordStages
import Records
import TestSupport
import Testing

@Suite("Normalize as a stream", .seeded)
struct NormalizerStreamTests {
  /// A row and its expected lines; nil for a reject.
  static func randomRow(_ ordinal: UInt64, _ recordFields: [UInt8], _ generator: inout SplitMix64) -> (
    TestRow, [UInt64]?
  ) {
    let number = UInt64.random(in: 13_800_000_000...13_899_999_999, using: &generator)
    let (text, range): (String, [UInt64]?) =
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: ("none", nil)
      case 1:
        (
          "\(number / 100)##",
          [8_600_000_000_000 + number / 100 * 100, 8_600_000_000_000 + number / 100 * 100 + 99]
        )
      case 2: ("+86 \(number)", [8_600_000_000_000 + number, 8_600_000_000_000 + number])
      default: ("\(number)", [8_600_000_000_000 + number, 8_600_000_000_000 + number])
      }
    return (TestRow(ordinal, text: Array(text.utf8), recordFields: recordFields), range)
  }

  static let options = NormalizeOptions(region: Region("CN"))

  @Test("order, record fields and row numbers, whatever the cuts", arguments: RecordShape.Labels.allCases)
  func mixed(labels: RecordShape.Labels) throws {
    var generator = SplitMix64(test: "normalize \(labels)")
    for round in 0..<6 {
      let count = labels == .long ? 30 : round == 0 ? 6000 : RecordShape.randomCount(&generator, most: 200)
      var rows: [TestRow] = []
      var expected: [TestRecord] = []
      var rejects: [String] = []
      var ordinal: UInt64 = 0
      for record in RecordShape(.common, .none, labels).records(count, &generator) {
        // Rows may be missing: those that the previous stage has rejected.
        ordinal += generator.chance(oneIn: 20) ? 3 : 1
        let (row, range) = Self.randomRow(ordinal, record.recordFields, &generator)
        rows.append(row)
        if let range {
          expected.append(TestRecord(range[0], range[1], record.recordFields))
        } else {
          rejects.append("\(ordinal) not-a-number")
        }
      }
      for cut in [Cut.whole, .every(7), .random(seed: generator.next(), most: 300)] {
        for swaps in [false, true] {
          let result = try normalize(rows, Self.options, cut: cut, swaps: swaps)
          #expect(result.records == expected, "\(cut)")
          #expect(result.rejects == rejects, "\(cut)")
        }
      }
    }
  }

  @Test("a batch whose rows were all rejected leaves nothing to the next")
  func rejectedBatch() throws {
    // The maximum of different labels in a batch, all of rejected rows; then a pattern with a label of its own.
    let most = RawRowBatch.rowsMax
    var rows = (1...most).map { TestRow(UInt64($0), "none", "label \($0)") }
    rows.append(TestRow(UInt64(most + 1), "+33162######", "pattern"))
    let result = try normalize(rows, NormalizeOptions())
    #expect(result.rejects.count == most)
    #expect(result.lines == ["33162000000..33162999999\tpattern"])
  }

  @Test("long labels in a rejected batch leave nothing to the next")
  func rejectedBytes() throws {
    let long = String(repeating: "x", count: RecordFields.bytesMax)
    let other = String(repeating: "y", count: RecordFields.bytesMax)
    let rows = [TestRow(1, "none", long), TestRow(2, "none", other), TestRow(3, "+33162######", "pattern")]
    let result = try normalize(rows, NormalizeOptions(), cut: .every(2))
    #expect(result.lines == ["33162000000..33162999999\tpattern"])
  }

  @Test("a strict run ends at the first reject, and the failure names it")
  func strict() throws {
    let failure = stageError { () throws(Failure) in
      let stage = try StageFixture(.normalize, policy: RejectPolicy(isStrict: true))
      let normalizer = Normalizer(
        options: NormalizeOptions(), context: stage.context, downstream: CollectingRecords())
      try feed([TestRow(1, "+33162040000"), TestRow(5, "none"), TestRow(6, "none")], to: normalizer)
    }
    #expect(failure?.stage == .normalize && failure?.code == "strict-reject")
    #expect(failure?.message.message.hasPrefix("row 5: ") == true)
    #expect(failure?.message.message.hasSuffix(": 'none'") == true)
  }

  @Test("an error of the next stage is rethrown")
  func downstream() throws {
    let failure = stageError { () throws(Failure) in
      let stage = try StageFixture(.normalize)
      let sink = CollectingRecords(CollectorOptions(failsAfter: 1))
      let rows = (1...10).map { TestRow(UInt64($0), "+33162040000") }
      try feed(
        rows, cut: .every(3),
        to: Normalizer(options: NormalizeOptions(), context: stage.context, downstream: sink))
    }
    #expect(failure?.cause as? CollectorError == .asConfigured(batches: 1))
  }

  @Test("texts of any bytes result in a record or a reject")
  func hostile() throws {
    var generator = SplitMix64(test: "hostile numbers")
    let alphabet = Array("0123456789+#*xX?-() .;=,ext ０９٣\u{0}\u{FF}/~".utf8) + [0xFF, 0xC3]
    var rows: [TestRow] = []
    for ordinal in 1...4000 {
      let text = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      rows.append(TestRow(UInt64(ordinal), text: text, recordFields: []))
    }
    rows.append(TestRow(4001, text: [UInt8](repeating: 0x31, count: RawRowBatch.textBytesMax)))
    rows.append(TestRow(4002, text: [UInt8](repeating: 0x2B, count: RawRowBatch.textBytesMax)))
    for region in [nil, "CN", "US", "IT", "AR"] {
      let options = NormalizeOptions(region: region.flatMap { Region($0) }, require: .none)
      let result = try normalize(rows, options, cut: .every(500))
      for record in result.records {
        #expect(record.first >= 1 && record.first <= record.last && record.last <= PhoneNumber.max)
      }
    }
  }
}
