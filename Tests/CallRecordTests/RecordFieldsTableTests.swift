// A batch's record fields: each stored once, until the table is full, and again after it was emptied.

import BasicContainers
import SystemIO
import TestSupport
import Testing

@testable import Records

@Suite("RecordFieldsTable", .seeded)
struct RecordFieldsTableTests {
  static func label(_ index: Int) -> [UInt8] { Array("label \(index)".utf8) }

  @Test("each value has one index, and its bytes")
  func interning() {
    var generator = SplitMix64(test: "interning")
    var table = RecordFieldsTable()
    // Twice, so that the second pass uses a table that was emptied.
    for count in [3, 2000, 63, 64, 65, 1] {
      var indices: [[UInt8]: Int] = [:]
      for _ in 0..<3 * count {
        let recordFields = Self.label(Int.random(in: 0..<count, using: &generator))
        expectEqual(table.index(of: recordFields.span), indices[recordFields])
        let index = table.intern(recordFields.span)
        if let known = indices[recordFields] {
          #expect(index == known)
        } else {
          #expect(index == indices.count)
          indices[recordFields] = index
        }
        expectEqual(table.index(of: recordFields.span), index)
      }
      expectEqual(table.count, indices.count)
      for (recordFields, index) in indices {
        expectEqual([UInt8](copying: table[index]), recordFields)
      }
      table.removeAll()
      expectEqual(table.count, 0)
      for recordFields in indices.keys {
        guard table.index(of: recordFields.span) != nil else { continue }
        Issue.record("an emptied table still has \(recordFields)")
      }
    }
  }

  @Test("empty and similar values are distinguished")
  func similar() {
    var table = RecordFieldsTable()
    let similar = [
      "", "a", "b", "ab", "abcdefg", "abcdefgh", "abcdefgi", "abcdefghi", "abcdefghj", "\0", "\0\0",
    ]
    for (index, text) in similar.enumerated() { expectEqual(table.intern(Array(text.utf8).span), index) }
    for (index, text) in similar.enumerated() { expectEqual(table.index(of: Array(text.utf8).span), index) }
  }

  @Test("a table that is full of entries, or of bytes, reports it and still finds its entries")
  func full() {
    var table = RecordFieldsTable()
    for index in 0..<RecordBatch.recordsMax { expectEqual(table.intern(Self.label(index).span), index) }
    expectEqual(table.intern(Self.label(RecordBatch.recordsMax).span), nil)
    expectEqual(table.index(of: Self.label(RecordBatch.recordsMax).span), nil)
    expectEqual(table.intern(Self.label(17).span), 17)
    table.removeAll()

    let long = [UInt8](repeating: 0x61, count: RecordFields.bytesMax)
    let other = [UInt8](repeating: 0x62, count: RecordFields.bytesMax)
    expectEqual(table.intern(long.span), 0)
    expectEqual(table.intern(other.span), 1)
    expectEqual(table.intern([0x63].span), nil)
    expectEqual(table.intern([UInt8]().span), 2)
    expectEqual(table.intern(other.span), 1)
    table.removeAll()
    expectEqual(table.intern([0x63].span), 0)
  }

  @Test("values with the same slot are all found, and all cleared")
  func collisions() {
    // Texts with the same slot, so near the end that their chain continues at the beginning.
    let hash = SeededHash()
    var colliding: [[UInt8]] = []
    var candidate = 0
    while colliding.count < 24 {
      let text = Self.label(candidate)
      candidate += 1
      if RecordFieldsTable.firstSlot(hash.of(text.span)) == RecordFieldsTable.slotCount - 2 {
        colliding.append(text)
      }
    }
    var table = RecordFieldsTable()
    for _ in 0..<2 {
      for (index, text) in colliding.enumerated() { expectEqual(table.intern(text.span), index) }
      for (index, text) in colliding.enumerated() { expectEqual(table.index(of: text.span), index) }
      table.removeAll()
      for text in colliding { expectEqual(table.index(of: text.span), nil) }
    }
  }

  @Test("after thousands of new values in a row, not all are searched for, and all keep their bytes", .seeded)
  func unsearched() throws {
    var generator = SplitMix64(test: "unsearched")
    var table = RecordFieldsTable()
    var next = 0
    /// Interns one more value, in an emptied table if the table is full.
    func intern(_ index: Int) -> Int {
      if let place = table.intern(Self.label(index).span) { return place }
      table.removeAll()
      return table.intern(Self.label(index).span)!
    }
    while next <= RecordFieldsTable.consecutiveNewMax {
      _ = intern(next)
      next += 1
    }
    table.removeAll()
    var places: [Int] = []
    for index in 0..<100 { places.append(intern(next + index / 2)) }
    expectEqual(places, Array(0..<100), "equal neighbours were not searched for")
    for index in places { expectEqual([UInt8](copying: table[index]), Self.label(next + index / 2)) }
    // Few slots are in use now, but not all of the table's values have one.
    table.removeAll()
    expectEqual(table.count, 0)

    // Where values repeat, a search soon finds one, and then all are searched for again.
    for _ in 0..<400 { _ = intern(Int.random(in: 0..<3, using: &generator)) }
    table.removeAll()
    for _ in 0..<400 { _ = intern(Int.random(in: 0..<3, using: &generator)) }
    expectEqual(table.count, 3)
  }

  @Test("values that differ in one byte are different, at every length up to three words")
  func oneByte() {
    for count in 1...25 {
      var table = RecordFieldsTable()
      let label = [UInt8](repeating: 0x61, count: count)
      expectEqual(table.intern(label.span), 0, "\(count) bytes")
      for place in 0..<count {
        var other = label
        other[place] = 0x62
        expectEqual(table.index(of: other.span), nil, "byte \(place) of \(count)")
        expectTrue(!table.isEqual(0, other.span), "byte \(place) of \(count)")
      }
      expectEqual(table.index(of: label.span), 0, "\(count) bytes")
    }
  }
}
