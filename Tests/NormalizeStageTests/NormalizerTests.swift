// Rows through the normalize stage, in any cuts, and the prefix cache against the rules.

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
    #expect(failure?.code == CollectorError.asConfigured(batches: 1).code)
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

/// The output of the stage for some rows.
struct Normalized {
  var records: [TestRecord]
  var rejects: [String]
  var meter: StageMeter

  /// The records' lines in the text form.
  var lines: [String] { records.map(\.description) }
}

/// Runs rows through the stage; each must be output or rejected.
func normalize(
  _ rows: [TestRow], _ options: NormalizeOptions, cut: Cut = .whole, swaps: Bool = false
) throws(Failure) -> Normalized {
  let stage = try StageFixture(.normalize)
  let sink = CollectingRecords(CollectorOptions(swaps: swaps))
  try feed(rows, cut: cut, to: Normalizer(options: options, context: stage.context, downstream: sink))
  #expect(sink.rules.isFinished && stage.meter.isFinished)
  #expect(stage.meter.rowsIn.value == UInt64(rows.count))
  #expect(stage.meter.rowsOut.value == UInt64(sink.records.count))
  #expect(
    stage.meter.rowsIn.value + stage.meter.splits.value == stage.meter.rowsOut.value
      + stage.meter.rejects.value,
    "a row was lost, or came out of nowhere")
  return Normalized(records: sink.records, rejects: stage.rejectLines, meter: stage.meter)
}

/// Runs number texts through the stage, as the rows of one stream.
func normalize(_ texts: [String], region: String? = nil, require: NormalizeOptions.Requirement = .possible)
  throws
  -> Normalized
{
  var options = NormalizeOptions(require: require)
  if let region {
    options.region = Region(region)
    #expect(options.region != nil, "no region '\(region)'")
  }
  let rows = texts.enumerated().map { TestRow(UInt64($0 + 1), $1) }
  return try normalize(rows, options)
}

@Suite("Prefix cache", .seeded)
struct PrefixCacheTests {
  /// The result of the rules for a text, without the cache.
  private static func entry(_ text: String, _ options: NormalizeOptions) -> String {
    switch NumberExplanation(Array(text.utf8).span, options: options).outcome {
    case .number(let number, _, _): String(number)
    case .ranges(let ranges): ranges.map { "\($0.lowerBound)..\($0.upperBound)" }.joined(separator: " ")
    case .reject(let reason): reason.rawValue
    }
  }

  /// Prefixes that regions read in different ways, and some that are not used.
  private static func beginnings(_ region: Region?, _ random: inout SplitMix64) -> [String] {
    let own = region.map { String($0.callingCode) } ?? ""
    let foreign = String(Region.all[Int.random(in: 0..<Region.all.count, using: &random)].callingCode)
    return [own, own, own + "0", foreign, "0" + own, "00" + foreign, "0", "1", ""].map {
      String(($0 + String(Int.random(in: 0..<1_000_000, using: &random)) + "000000").prefix(6))
    }
  }

  @Test("all regions: digits with a cached prefix are read as the rules read them")
  func asTheRules() throws {
    var random = SplitMix64(test: "known beginnings")
    for region in Region.all.map(Optional.some) + [nil] {
      let options = NormalizeOptions(
        region: region,
        numbers: (NormalizeOptions.Reading.allCases + [.auto, .auto]).randomElement(using: &random)!,
        require: (NormalizeOptions.Requirement.allCases + [.possible]).randomElement(using: &random)!)
      var texts: [String] = []
      for beginning in Self.beginnings(region, &random) {
        for length in 7...16 {
          let plus = Int.random(in: 0..<4, using: &random) == 0 ? "+" : ""
          // The first number is read by the rules, and the following ones from the cache.
          for _ in 0..<3 {
            var text = plus + beginning
            for _ in 6..<length { text += String(Int.random(in: 0..<10, using: &random)) }
            texts.append(text)
          }
        }
      }
      let rows = texts.enumerated().map { TestRow(UInt64($0 + 1), $1) }
      let result = try normalize(rows, options)
      var records = result.records.map(\.description).makeIterator()
      var rejects = result.rejects.makeIterator()
      for text in texts {
        let expected = Self.entry(text, options)
        let isReject = NormalizeReject(rawValue: expected) != nil
        let given = isReject ? rejects.next() : records.next()
        let isSame = isReject ? given?.contains(expected) == true : given == expected
        #expect(isSame, "\(text) in \(options): \(given ?? "nothing") for \(expected)")
      }
    }
  }

  @Test(
    "rows of other forms among plain digits keep their positions, labels and ordinals")
  func between() throws {
    var rows: [TestRow] = []
    var lines: [String] = []
    for index in 0..<9000 {
      let tail = String(String(100_000_000 + index).dropFirst())
      let label = "l\(index % 7)"
      let text = index % 5 == 1 ? "138-\(tail)" : index % 11 == 3 ? "x" : "86138\(tail)"
      rows.append(TestRow(UInt64(index + 1), text, label))
      if text != "x" { lines.append("86138\(tail)\t\(label)") }
    }
    let result = try normalize(rows, NormalizeOptions(region: Region("CN")))
    let isSame = result.lines == lines
    #expect(isSame)
    #expect(result.rejects.count == rows.count - lines.count)
    #expect(result.rejects.first == "4 not-a-number")
  }
}
