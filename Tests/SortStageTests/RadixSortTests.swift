// The radix sort alone, against a stable sort.

import BasicContainers
import Records
import TestSupport
import Testing

@testable import RecordStages

@Suite("RadixSort", .seeded)
struct RadixSortTests {
  /// Sorts and compares; the fields ID distinguishes equal numbers.
  static func check(_ numbers: [UInt64], _ story: Comment, _ team: WorkerTeam? = nil) {
    var words = RigidArray<CompactRecord>(capacity: numbers.count)
    var scratch = RigidArray<CompactRecord>(capacity: numbers.count)
    for (index, number) in numbers.enumerated() {
      words.append(CompactRecord(number: number, fieldsID: UInt32(index) & RecordFieldsDictionary.absent))
    }
    RadixSort.sort(&words, scratch: &scratch, team)
    expectTrue(scratch.isEmpty, story)
    let expected = numbers.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
    expectEqual(words.count, numbers.count, story)
    for (index, pair) in expected.enumerated() {
      guard words[index].number == pair.element,
        words[index].fieldsID == UInt32(pair.offset) & RecordFieldsDictionary.absent
      else {
        Issue.record("\(story): index \(index) of \(numbers.count)")
        return
      }
    }
  }

  @Test("random numbers of every spread, stable")
  func random() {
    var generator = SplitMix64(test: "radix")
    for _ in 0..<300 {
      let count = RecordShape.randomCount(&generator, most: 400)
      // Any number of differing bits, at any position of the number.
      let bits = UInt64.random(in: 0...50, using: &generator)
      let shift = UInt64.random(in: 0...50 - bits, using: &generator)
      let base = UInt64.random(in: 0..<1 << 50, using: &generator) & ~(((1 << bits) - 1) << shift)
      let numbers = (0..<count).map { _ in
        base | (UInt64.random(in: 0..<max(1, 1 << bits), using: &generator) << shift)
      }
      Self.check(numbers, "\(bits) bits at \(shift) above \(base)")
    }
  }

  @Test("no words, one, equal, ascending, descending, extremes")
  func special() {
    Self.check([], "none")
    Self.check([7], "one")
    Self.check(Array(repeating: 86, count: 100), "equal")
    Self.check(Array(1...1000), "ascending")
    Self.check((1...1000).reversed(), "descending")
    Self.check([PhoneNumber.max, 1, PhoneNumber.max, 1, 2, PhoneNumber.max - 1], "extremes")
    Self.check([0, 1 << 49, 0, 1 << 49, 1], "far bits, with identical digits between them")
  }

  @Test(
    "more words than the LSD limit: even buckets, a few full ones, or mostly empty ones; alone and with a team",
    arguments: [1, 2, 3, 8])
  func partitioned(threads: Int) {
    let team = WorkerTeam(size: threads)
    defer { team.end() }
    var generator = SplitMix64(test: "radix dealt")
    let count = 2 * RadixSort.lsdWordsMax + 777
    for bits: UInt64 in [1, 9, 16, 35, 50] {
      let numbers = (0..<count).map { _ in UInt64.random(in: 0..<1 << bits, using: &generator) }
      Self.check(numbers, "\(count) words of \(bits) bits", team)
    }
    // One distant number: all others share a bucket.
    var crowded = (0..<count).map { _ in 8_613_000_000_000 + UInt64.random(in: 0..<1 << 20, using: &generator)
    }
    crowded[count / 2] = 1
    Self.check(crowded, "one far number", team)
    Self.check(Array(repeating: 86, count: count), "equal", team)
    // Steps of three sizes: some buckets of a few words, some of thousands.
    let steps = (0..<count).map { index in
      UInt64(index % 100) << 40 | (index % 3 == 0 ? 0 : UInt64.random(in: 0..<1 << 30, using: &generator))
    }
    Self.check(steps, "steps", team)
  }
}
