// What select should do, number by number.

import NumberPlan
import RecordStages
import Records
import TestSupport

/// A rule as its text, and as a function of a record's fields and one of its numbers.
struct OracleRule: Sendable {
  /// One number of a record.
  struct RecordNumber {
    var fields: RecordFields.Fields
    var number: UInt64
    var isRange: Bool
    var block: NumberPlan.Block
  }
  typealias Condition = @Sendable (RecordNumber) -> Bool

  /// A list with its numbers, and a file with prefixes.
  struct Files {
    var list: String
    var numbers: Set<UInt64>
    var prefixFile: String
    var prefixes: [UInt64]
  }

  var action: SelectRule.Action
  var text: String
  var conditions: [Condition]

  /// A rule of one to three random conditions. `near` are numbers that ranges are about.
  static func random(near: [UInt64], _ files: Files, _ random: inout SplitMix64)
    -> OracleRule
  {
    var rule = OracleRule(action: random.chance(oneIn: 2) ? .keep : .drop, text: "", conditions: [])
    for _ in 0..<(random.chance(oneIn: 3) ? 2 : 1) {
      var (text, condition) = Self.condition(near: near, files, &random)
      if random.chance(oneIn: 4), let sign = text.firstRange(of: "="), !text.hasPrefix("score") {
        text.replaceSubrange(sign, with: "!=")
        let positive = condition
        condition = { !positive($0) }
      }
      rule.text += (rule.text.isEmpty ? "" : " ") + text
      rule.conditions.append(condition)
    }
    return rule
  }

  private static func condition(
    near: [UInt64], _ files: Files, _ random: inout SplitMix64
  ) -> (String, Condition) {
    let number = (near.randomElement(using: &random) ?? 1) + .random(in: 0...40, using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      let codes = NumberPlan.block(ofDigits: number).region.map(\.code).map { [$0, "DE"] } ?? ["FR", "US"]
      let regions = codes.compactMap { Region($0) }
      let known = codes.filter { Region($0) != nil }.joined(separator: ",")
      return ("country=\(known)", { $0.block.region.map(regions.contains) ?? false })
    case 1:
      let types = [NumberPlan.block(ofDigits: number).type, .mobile]
      return ("type=" + types.map(\.code).joined(separator: ","), { types.contains($0.block.type) })
    case 2:
      let last = number + .random(in: 0...30, using: &random)
      return ("number=+\(number)..\(last)", { (number...last).contains($0.number) })
    case 3:
      let prefix = max(1, number / (random.chance(oneIn: 2) ? 10 : 100))
      return ("prefix=\(prefix)", { String($0.number).hasPrefix(String(prefix)) })
    case 4:
      let listed = files.numbers
      return ("numbers=\"\(files.list)\"", { listed.contains($0.number) })
    case 5:
      let isRange = random.chance(oneIn: 2)
      return ("is=\(isRange ? "range" : "number")", { $0.isRange == isRange })
    case 6:
      let score = Int64.random(in: -1...3, using: &random)
      return ("score>=\(score)", { ($0.fields.score ?? 0) >= score })
    case 7: return ("source=s*", { $0.fields.source.hasPrefix("s") })
    case 8:
      let prefixes = files.prefixes.map { String($0) }
      return (
        "prefixes=\"\(files.prefixFile)\"",
        { record in prefixes.contains { String(record.number).hasPrefix($0) } }
      )
    default:
      return (
        "label=\"a b\",Spam*,",
        { ["a b", ""].contains($0.fields.label) || $0.fields.label.hasPrefix("Spam") }
      )
    }
  }
}

enum SelectOracle {
  /// Selects every number of every record by itself, and joins those of a record that follow each other.
  static func select(_ records: [TestRecord], _ rules: [OracleRule]) -> [TestRecord] {
    records.flatMap { record in
      let fields = RecordFields.fields(record.recordFields.span)
      let isRange = record.first != record.last
      var kept: [TestRecord] = []
      for number in record.first...record.last {
        // Not the block of a number before: its boundaries are under test.
        let block = NumberPlan.block(ofDigits: number)
        let one = OracleRule.RecordNumber(fields: fields, number: number, isRange: isRange, block: block)
        let rule = rules.last { rule in rule.conditions.allSatisfy { $0(one) } }
        guard (rule?.action ?? (rules[0].action == .keep ? .drop : .keep)) == .keep else { continue }
        if let last = kept.last, last.last + 1 == number {
          kept[kept.count - 1].last = number
        } else {
          kept.append(TestRecord(number, number, record.recordFields))
        }
      }
      return kept
    }
  }
}
