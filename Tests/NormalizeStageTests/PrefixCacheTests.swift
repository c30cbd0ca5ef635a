// Numbers with a cached prefix are not parsed again: the result must be the same as by parsing.

import NumberPlan
import RecordStages
import Records
import TestSupport
import Testing

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
