// Overlapping records of the two kinds: verification detects them, and accepts all other stores.

import CallStoreFormat
import CallStoreReader
import TestSupport
import Testing

@Suite("Order of both kinds")
struct OrderTests {
  /// Ranges and single numbers of one kind, ascending from a number.
  private static func rows(
    _ count: Int, from start: UInt64, _ kind: StoreKind, _ random: inout SplitMix64
  ) -> [StoreRow] {
    var next = start
    return (0..<count).map { _ in
      let first = next + UInt64.random(in: 1...60, using: &random)
      next = first + (Bool.random(using: &random) ? 0 : UInt64.random(in: 1...20, using: &random))
      return StoreRow(first, next, kind)
    }
  }

  /// A store of both kinds whose blocking numbers are then reduced by `distance`: a forger only has to change the
  /// block's start and end in the index.
  private static func forged(_ rows: [StoreRow], by distance: UInt64) throws -> TemporaryStore {
    var bytes = try encode(rows).bytes
    let blocking = rows.filter { $0.kind == .blocking }
    let trailer = bytes.count - TrailerLayout.bytes
    // Blocking entries come first in the index.
    let at = (0..<8).reduce(0) { $0 | Int(bytes[trailer + TrailerLayout.indexOffset + $1]) << (8 * $1) }
    if let first = blocking.first, let last = blocking.last {
      Mending.set(&bytes, at + IndexLayout.first, UInt32(first.first - distance))
      Mending.set(&bytes, at + IndexLayout.last, UInt32(last.last - distance))
    }
    Mending.mend(&bytes)
    return try TemporaryStore(bytes)
  }

  @Test("verification rejects overlapping records, and accepts all others")
  func overlaps() throws {
    var random = SplitMix64(test: "order of both kinds")
    var refused = 0
    for round in 0..<600 {
      // Few records, whose kinds may be far apart, and more records than a cursor decodes at once.
      let counts = (
        Int.random(in: 1...(round % 6 == 0 ? 600 : 4), using: &random), Int.random(in: 1...4, using: &random)
      )
      let (few, many) = Bool.random(using: &random) ? (counts.0, counts.1) : (counts.1, counts.0)
      let blocking = Self.rows(
        few, from: UInt64.random(in: 1_000...1_100, using: &random), .blocking, &random)
      // The first and the last record are of the same kind, so that the trailer stays correct.
      let between = Self.rows(
        many, from: UInt64.random(in: 1_000...1_100, using: &random), .identification, &random)
      let known = [StoreRow(1)] + between + [StoreRow(1_000_000)]
      // The encoder accepts only disjoint records: the blocked ones are made to overlap afterwards.
      let distance: UInt64 = 500_000
      let apart = blocking.map { StoreRow($0.first + distance, $0.last + distance, .blocking) }
      let file = try Self.forged((known + apart).sorted { $0.first < $1.first }, by: distance)
      let all = (known + blocking).sorted { $0.first < $1.first }
      let areDisjoint = zip(all, all.dropFirst()).allSatisfy { $0.last < $1.first }
      let store = try CallStore(descriptor: file.descriptor)
      var refusal: CallStoreError?
      do throws(CallStoreError) { try store.verify() } catch { refusal = error }
      #expect(refusal == (areDisjoint ? nil : .damaged(.index)), "seed \(TestSeed.value), round \(round)")
      if !areDisjoint { refused += 1 }
    }
    #expect((100..<550).contains(refused), "seed \(TestSeed.value): rounds of both kinds")
  }
}
