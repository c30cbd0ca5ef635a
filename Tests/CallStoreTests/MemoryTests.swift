// What reading a store takes of the process's own memory, at its worst: less than a mebibyte.
//
// Not for the pages of the file: they are the system's, and it takes them back when it likes.

import CallStoreFormat
import CallStoreReader
import CallStoreWriter
import Testing

#if canImport(Glibc)
  import Glibc
#endif

#if os(Linux)
  @Suite(.serialized) struct MemoryTests {
    /// The bytes that malloc has handed out, small and mapped.
    static func allocated() -> Int {
      let info = unsafe mallinfo2()
      return Int(info.uordblks) + Int(info.hblkhd)
    }

    // Each in a process of its own, where nothing else allocates.
    @Test func oneLabel() async {
      await #expect(processExitsWith: .success) { try MemoryTests.read(labels: 1) }
    }
    @Test func fiveLabels() async {
      await #expect(processExitsWith: .success) { try MemoryTests.read(labels: 5) }
    }
    @Test func manyLabels() async {
      await #expect(processExitsWith: .success) { try MemoryTests.read(labels: 4_096) }
    }
    @Test func labelsInBlocks() async {
      await #expect(processExitsWith: .success) { try MemoryTests.read(labels: 50_000) }
    }
    @Test func aLabelEach() async {
      await #expect(processExitsWith: .success) { try MemoryTests.read(labels: 0) }
    }

    /// Reads 1,999,999 entries of both kinds and looks some up, and ends the process if that takes a mebibyte. No labels
    /// stands for a label of its own for each.
    static func read(labels: Int) throws {
      var random = SeededRandom(seed: UInt64(labels))
      var encoder = StoreEncoder()
      let file = try TemporaryStore([])
      func take(_ some: Span<UInt8>) {
        let written = unsafe some.withUnsafeBytes { unsafe write(file.descriptor, $0.baseAddress, $0.count) }
        precondition(written == some.count, "the test's own file could not be written")
      }
      for index in 0..<1_999_999 {
        let label = ContiguousArray(
          "\(labels == 0 ? index : Int.random(in: 0..<labels, using: &random))".utf8)
        try encoder.append(
          first: UInt64(index + 1) * 1000, last: UInt64(index + 1) * 1000,
          kind: index % 2 == 0 ? .blocking : .identification, label: label.span)
        if encoder.isDrainDue { encoder.drain { take($0) } }
      }
      _ = try encoder.finish()
      encoder.drain { take($0) }

      let before = Self.allocated()
      let store = try CallStore(descriptor: file.descriptor)
      var cursor = StoreCursor(store)
      var batch = StoreBatch()
      var most = 0
      var entries = 0
      while try cursor.nextEntries(of: store, into: &batch) {
        entries += batch.count
        _ = try store.record(of: batch.firsts[0])
        most = max(most, Self.allocated() - before)
      }
      precondition(entries == 1_999_999, "all was read")
      precondition(most > 0 && most < 1 << 20, "a reader takes less than a mebibyte")
    }
  }
#endif
