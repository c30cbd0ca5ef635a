// Reading a store needs less than a mebibyte of the process's memory.
//
// Not for the pages of the file: they belong to the system, which can reclaim them at any time.

import CallStoreFormat
import CallStoreReader
import StoreWriting
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#endif

#if os(Linux)
  @Suite(.serialized) struct MemoryTests {
    /// The process's private memory in bytes: pages that are not backed by a file and were written to.
    static func own() throws -> Int {
      let file = unsafe open("/proc/self/smaps_rollup", O_RDONLY)
      defer { close(file) }
      var text = [UInt8](repeating: 0, count: 4096)
      let count = unsafe text.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
      let lines = String(decoding: text.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
      let line = try #require(lines.first { $0.hasPrefix("Anonymous:") })
      return try #require(Int(line.split(separator: " ")[1])) * 1024
    }

    // Each store is read by a new process, where nothing else allocates and no freed memory could be reused.
    @Test func oneLabel() async throws {
      let file = try Self.fullStore(labels: 1)
      await #expect(processExitsWith: .success) { [path = file.path as String] in
        try MemoryTests.readWhole(path)
      }
      withExtendedLifetime(file) {}
    }

    @Test func fiveLabels() async throws {
      let file = try Self.fullStore(labels: 5)
      await #expect(processExitsWith: .success) { [path = file.path as String] in
        try MemoryTests.readWhole(path)
      }
      withExtendedLifetime(file) {}
    }

    @Test func manyLabels() async throws {
      let file = try Self.fullStore(labels: 4_096)
      await #expect(processExitsWith: .success) { [path = file.path as String] in
        try MemoryTests.readWhole(path)
      }
      withExtendedLifetime(file) {}
    }

    @Test func labelsInBlocks() async throws {
      let file = try Self.fullStore(labels: 50_000)
      await #expect(processExitsWith: .success) { [path = file.path as String] in
        try MemoryTests.readWhole(path)
      }
      withExtendedLifetime(file) {}
    }

    @Test func distinctLabels() async throws {
      let file = try Self.fullStore(labels: 0)
      await #expect(processExitsWith: .success) { [path = file.path as String] in
        try MemoryTests.readWhole(path)
      }
      withExtendedLifetime(file) {}
    }

    @Test func recordsAsValues() async throws {
      let file = try Self.fullStore(labels: 4_096)
      await #expect(processExitsWith: .success) { [path = file.path as String] in
        try MemoryTests.readValues(path)
      }
      withExtendedLifetime(file) {}
    }

    /// A store of 1,999,999 entries of both kinds; without labels, each entry has a distinct one.
    static func fullStore(labels: Int) throws -> TemporaryStore {
      var random = SplitMix64(seed: UInt64(labels))
      var encoder = StoreEncoder()
      let file = try TemporaryStore([])
      func take(_ some: Span<UInt8>) {
        let written = unsafe some.withUnsafeBytes { unsafe write(file.descriptor, $0.baseAddress, $0.count) }
        precondition(written == some.count, "the test's own file could not be written")
      }
      for index in 0..<1_999_999 {
        let text = "\(labels == 0 ? index : Int.random(in: 0..<labels, using: &random))"
        let label = ContiguousArray(text.utf8)
        try encoder.append(
          first: UInt64(index + 1) * 1000, last: UInt64(index + 1) * 1000,
          kind: index % 2 == 0 ? .blocking : .identification, label: label.span)
        if encoder.isDrainDue { encoder.drain { take($0) } }
      }
      _ = encoder.finish()
      encoder.drain { take($0) }
      return file
    }

    /// Reads a store, looks up some numbers, and exits with an error if that needs a mebibyte.
    static func readWhole(_ path: String) throws {
      let before = try own()
      let store = try CallStore(path: path)
      var cursor = StoreCursor(store)
      var batch = StoreBatch()
      var memoryMax = 0
      var entries = 0
      var rounds = 0
      while try cursor.nextEntries(of: store, into: &batch) {
        entries += batch.count
        _ = try store.record(of: batch.firsts[0])
        rounds += 1
        if rounds % 50 == 1 { memoryMax = max(memoryMax, try own() - before) }
      }
      precondition(entries == 1_999_999, "all entries were read")
      precondition(memoryMax > 0 && memoryMax < 1 << 20, "a reader needs less than 1 MiB")
    }

    /// The same with records as plain values.
    static func readValues(_ path: String) throws {
      let before = try own()
      var memoryMax = 0
      var count = 0
      for record in try CallStore(path: path).records() {
        count += record.label.isEmpty ? 0 : 1
        if count % 200_000 == 1 { memoryMax = max(memoryMax, try own() - before) }
      }
      precondition(count == 1_999_999, "all records were read")
      precondition(memoryMax > 0 && memoryMax < 1 << 20, "a reader needs less than 1 MiB")
    }
  }
#endif
