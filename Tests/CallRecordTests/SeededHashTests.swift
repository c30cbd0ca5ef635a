// The hash of the tables of labels: labels that were chosen to collide under known keys don't collide under others.

import TestSupport
import Testing

@testable import Records

@Suite("SeededHash", .seeded)
struct SeededHashTests {
  /// The keys of 0.1.0, which were the same in every process.
  static let known = SeededHash(keys: 0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F)
  /// The number of labels that are made to collide.
  static let labelsCount = 16

  /// Labels of a length whose hashes under known keys have the same upper bits: those that determine a slot.
  static func colliding(_ count: Int, _ generator: inout SplitMix64) -> [[UInt8]] {
    var slot: Int?
    var labels: Set<[UInt8]> = []
    while labels.count < labelsCount {
      let label = (0..<count).map { _ in UInt8.random(in: 0x20...0x7E, using: &generator) }
      let own = RecordFieldsTable.firstSlot(known.of(label.span))
      if own == slot ?? own {
        slot = own
        labels.insert(label)
      }
    }
    return Array(labels)
  }

  @Test("labels chosen to collide under known keys are spread", arguments: [4, 7, 8, 12, 16, 17, 40])
  func spread(count: Int) {
    var generator = SplitMix64(test: "spread \(count)")
    let labels = Self.colliding(count, &generator)
    let hash = SeededHash()
    let slots = Set(labels.map { RecordFieldsTable.firstSlot(hash.of($0.span)) })
    // By chance, two of them share a slot once in 70 times.
    #expect(slots.count > Self.labelsCount / 2)
    // Other tables use the lower bits, too.
    #expect(Set(labels.map { hash.of($0.span) & 0x1FFF }).count > Self.labelsCount / 2)
  }

  @Test("a factor can't be made zero")
  func noZeroFactor() {
    // With a known second key, these last eight bytes would make the product 0, whatever the first bytes are.
    let word: UInt64 = 0xC2B2_AE3D_27D4_EB4F ^ 16
    let zero = (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
    let labels = (0..<16).map { [UInt8](repeating: 0x41 + UInt8($0), count: 8) + zero }
    #expect(Set(labels.map { Self.known.of($0.span) }) == [0])
    let hash = SeededHash()
    #expect(Set(labels.map { hash.of($0.span) }).count > 8)
  }

  @Test("the hash depends on every byte and on the length, at every length up to three words")
  func everyByte() {
    let hash = SeededHash(keys: 0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3211)
    var seen: Set<UInt32> = [hash.of([UInt8]().span)]
    for count in 1...25 {
      let label = [UInt8](repeating: 0x61, count: count)
      #expect(seen.insert(hash.of(label.span)).inserted, "\(count) bytes")
      for place in 0..<count {
        var other = label
        other[place] = 0x62
        #expect(hash.of(other.span) != hash.of(label.span), "byte \(place) of \(count)")
      }
    }
  }
}
