// A batch's annotations: each once, until there is no room, and again after it was emptied.

import BasicContainers
import TestSupport
import Testing

@testable import CallRecord

@Suite("AnnotationTable", .seeded)
struct AnnotationTableTests {
  static func label(_ index: Int) -> [UInt8] { Array("label \(index)".utf8) }

  @Test("an annotation has one index, and its bytes")
  func interning() {
    var generator = SplitMix64(test: "interning")
    var table = AnnotationTable()
    // Twice, so that the second time meets a table that was emptied.
    for count in [3, 2000, 63, 64, 65, 1] {
      var indices: [[UInt8]: Int] = [:]
      for _ in 0..<3 * count {
        let annotation = Self.label(Int.random(in: 0..<count, using: &generator))
        expectEqual(table.index(of: annotation.span), indices[annotation])
        let index = table.intern(annotation.span)
        if let known = indices[annotation] {
          #expect(index == known)
        } else {
          #expect(index == indices.count)
          indices[annotation] = index
        }
        expectEqual(table.index(of: annotation.span), index)
      }
      expectEqual(table.count, indices.count)
      for (annotation, index) in indices {
        expectEqual([UInt8](copying: table[index]), annotation)
      }
      table.removeAll()
      expectEqual(table.count, 0)
      for annotation in indices.keys {
        guard table.index(of: annotation.span) != nil else { continue }
        Issue.record("an emptied table knows \(annotation)")
      }
    }
  }

  @Test("empty and neighbouring annotations are told apart")
  func similar() {
    var table = AnnotationTable()
    let similar = [
      "", "a", "b", "ab", "abcdefg", "abcdefgh", "abcdefgi", "abcdefghi", "abcdefghj", "\0", "\0\0",
    ]
    for (index, text) in similar.enumerated() { expectEqual(table.intern(Array(text.utf8).span), index) }
    for (index, text) in similar.enumerated() { expectEqual(table.index(of: Array(text.utf8).span), index) }
  }

  @Test("a table that is full of annotations, or of bytes, says so and goes on finding what it has")
  func full() {
    var table = AnnotationTable()
    for index in 0..<RecordBatch.recordsMax { expectEqual(table.intern(Self.label(index).span), index) }
    expectEqual(table.intern(Self.label(RecordBatch.recordsMax).span), nil)
    expectEqual(table.index(of: Self.label(RecordBatch.recordsMax).span), nil)
    expectEqual(table.intern(Self.label(17).span), 17)
    table.removeAll()

    let long = [UInt8](repeating: 0x61, count: Annotation.bytesMax)
    let other = [UInt8](repeating: 0x62, count: Annotation.bytesMax)
    expectEqual(table.intern(long.span), 0)
    expectEqual(table.intern(other.span), 1)
    expectEqual(table.intern([0x63].span), nil)
    expectEqual(table.intern([UInt8]().span), 2)
    expectEqual(table.intern(other.span), 1)
    table.removeAll()
    expectEqual(table.intern([0x63].span), 0)
  }

  @Test("annotations with the same slot are all found, and all cleared")
  func collisions() {
    // Texts that want the same slot, and so near the end that their chain goes on at the beginning.
    var colliding: [[UInt8]] = []
    var candidate = 0
    while colliding.count < 24 {
      let text = Self.label(candidate)
      candidate += 1
      if AnnotationTable.firstSlot(AnnotationTable.hash(text.span)) == AnnotationTable.slotCount - 2 {
        colliding.append(text)
      }
    }
    var table = AnnotationTable()
    for _ in 0..<2 {
      for (index, text) in colliding.enumerated() { expectEqual(table.intern(text.span), index) }
      for (index, text) in colliding.enumerated() { expectEqual(table.index(of: text.span), index) }
      table.removeAll()
      for text in colliding { expectEqual(table.index(of: text.span), nil) }
    }
  }

  @Test("annotations that differ in one byte only are different, of every length up to three words")
  func oneByte() {
    for count in 1...25 {
      var table = AnnotationTable()
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
