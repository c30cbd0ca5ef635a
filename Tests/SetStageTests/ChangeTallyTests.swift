// Counts of changes by label and by country, against a count of every number.

import NumberPlan
import Records
import Runner
import TestSupport
import Testing

@testable import RecordStages

@Suite("Counts of changes")
struct ChangeTallyTests {
  private static func change(
    _ kind: ListChange.ChangeKind, _ first: UInt64, _ last: UInt64, old: String = "", new: String = ""
  ) -> ListChange {
    ListChange(kind: kind, first: first, last: last, old: Array(old.utf8), new: Array(new.utf8))
  }

  @Test("random changes, number by number", .seeded)
  func random() {
    var random = SplitMix64(test: "changes")
    var tally = ChangeTally()
    var labels: [String: ChangeCounts] = [:]
    var countries: [UInt16: ChangeCounts] = [:]
    var total = ChangeCounts()
    // Labels with their escapes, and without.
    let names = [("", ""), ("a", "a"), ("b", "b"), ("a\\tb", "a\tb"), ("長い名前", "長い名前")]
    let kinds: [ListChange.ChangeKind] = [.added, .removed, .relabelled, .votes, .changed]
    for _ in 0..<400 {
      // Of any length, often where the number of digits or the calling code changes.
      var first: UInt64 = 1
      for _ in 0..<Int.random(in: 0...11, using: &random) { first *= 10 }
      let back = UInt64.random(in: 0...500, using: &random) % first
      first = first * UInt64.random(in: 1...9, using: &random) - back
      let last = first + UInt64.random(in: 0...1000, using: &random)
      let kind = kinds.randomElement(using: &random) ?? .added
      let old = names.randomElement(using: &random) ?? names[0]
      let new = names.randomElement(using: &random) ?? names[0]
      tally.add(Self.change(kind, first, last, old: old.0 + "\tfirst source", new: new.0 + "\tnew source\t5"))
      let label = kind == .removed ? old.1 : new.1
      labels[label, default: ChangeCounts()].add(kind, last - first + 1)
      total.add(kind, last - first + 1)
      for number in first...last {
        countries[NumberPlan.callingCode(ofDigits: number) ?? 0, default: ChangeCounts()].add(kind, 1)
      }
    }
    let summary = tally.summary
    #expect(Dictionary(uniqueKeysWithValues: summary.labels.map { ($0.label, $0.counts) }) == labels)
    #expect(
      Dictionary(uniqueKeysWithValues: summary.countries.map { ($0.callingCode, $0.counts) }) == countries)
    #expect(summary.total == total && tally.total == total)
    #expect(summary.otherLabels.sum == 0)
    let sums = (summary.labels.map(\.counts.sum), summary.countries.map(\.counts.sum))
    #expect(sums.0 == sums.0.sorted(by: >) && sums.1 == sums.1.sorted(by: >))
    #expect(summary.countries.first { $0.callingCode == 86 }?.region == "CN")
  }

  @Test("labels beyond the maximum number or size are counted together")
  func bounds() {
    var tally = ChangeTally()
    for index in 0..<UInt64(ChangeTally.labelsMax + 10) {
      tally.add(Self.change(.added, index + 1, index + 1, new: "label \(index)"))
    }
    let long = String(repeating: "x", count: ChangeTally.labelBytesMax + 1)
    tally.add(Self.change(.removed, 9000, 9001, old: long))
    tally.add(Self.change(.relabelled, 9002, 9002, old: long, new: "label 0"))
    let summary = tally.summary
    #expect(summary.labels.count == ChangeTally.labelsMax)
    #expect(summary.labels[0].label == "label 0" && summary.labels[0].counts.sum == 2)
    #expect(summary.otherLabels.added == 10 && summary.otherLabels.removed == 2)
    #expect(summary.total.sum == UInt64(ChangeTally.labelsMax) + 13)
  }

  @Test("a range over all numbers is counted in bounded time")
  func widest() {
    var tally = ChangeTally()
    let last: UInt64 = 999_999_999_999_999
    tally.add(Self.change(.added, 1, last))
    #expect(tally.summary.countries.reduce(0) { $0 + $1.counts.added } == last)
    #expect((tally.summary.countries.first { $0.callingCode == 82 }?.counts.added ?? 0) > 1_000_000_000_000)
  }
}
