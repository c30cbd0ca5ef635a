// What an encoder refuses, and what a reader refuses: damage of every kind, without a crash.

import CallStoreFormat
import CallStoreReader
import Hashing
import StoreWriting
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Opens, reads, looks up and verifies; returns true if nothing was refused.
func isValid(_ file: TemporaryStore) -> Bool {
  do {
    let store = try CallStore(descriptor: file.descriptor)
    try store.verify()
  } catch {
    return false
  }
  return true
}

/// Performs every operation on a store, and ignores the results.
func exercise(_ file: TemporaryStore) {
  guard let store = try? CallStore(descriptor: file.descriptor) else { return }
  for number: UInt64 in [0, 1, 50, 1_000, 5_005, 77_777, 1_000_000, .max] {
    if let found = try? store.record(of: number) { _ = store.text(of: found.label) }
  }
  var cursor = StoreCursor(store)
  var batch = StoreBatch(capacity: 1000)
  // Ranges of a hostile store can be long; some batches are enough.
  for _ in 0..<20 {
    guard let more = try? cursor.nextEntries(of: store, into: &batch), more else { break }
    for index in 0..<batch.count { _ = store.bytes(of: batch.labels[index]).byteCount }
  }
  try? store.verify()
}

@Suite struct RefusalTests {
  static let small: [StoreRow] =
    (1...90).map {
      StoreRow(
        $0 * 50, $0 % 9 == 0 ? $0 * 50 + 20 : nil, $0 % 4 == 0 ? .blocking : .identification, "l\($0 % 5)")
    }

  @Test func encoderRefusals() throws {
    var encoder = StoreEncoder()
    let label = ContiguousArray("x".utf8)
    try encoder.append(first: 10, last: 20, kind: .blocking, label: label.span)
    #expect(throws: StoreEncodingError.notAscending(previous: 20, first: 20)) {
      try encoder.append(first: 20, last: 30, kind: .identification, label: label.span)
    }
    #expect(throws: StoreEncodingError.numberOutOfRange(first: 0, last: 0)) {
      try encoder.append(first: 0, last: 0, kind: .blocking, label: label.span)
    }
    #expect(throws: StoreEncodingError.numberOutOfRange(first: 40, last: 39)) {
      try encoder.append(first: 40, last: 39, kind: .blocking, label: label.span)
    }
    let over = StoreLimits.numberMax + 1
    #expect(throws: StoreEncodingError.numberOutOfRange(first: 40, last: over)) {
      try encoder.append(first: 40, last: over, kind: .blocking, label: label.span)
    }
    let long = ContiguousArray<UInt8>(repeating: 65, count: StoreLimits.labelBytesMax + 1)
    #expect(throws: StoreEncodingError.labelTooLong(bytes: long.count, limit: StoreLimits.labelBytesMax)) {
      try encoder.append(first: 40, last: 40, kind: .blocking, label: long.span)
    }
    // The refused records had no effect.
    try encoder.append(first: 21, last: 21, kind: .blocking, label: label.span)
    let summary = encoder.finish()
    #expect(summary.records == 2 && summary.entries == 12 && summary.last == 21)
  }

  @Test("a store has at most blocksMax blocks of both kinds together")
  func tooManyBlocks() throws {
    var filler = BlockFiller()
    let label = ContiguousArray("x".utf8)
    let limit = UInt64(StoreLimits.blocksMax)
    // The blocks are dropped, not encoded: only their number matters.
    for number in 1..<limit {
      _ = try filler.append(first: number, last: number, kind: .blocking, label: label.span)
      filler.endBlock(.blocking) { block in block.removeAll() }
    }
    _ = try filler.append(first: limit, last: limit, kind: .identification, label: label.span)
    #expect(throws: StoreEncodingError.tooManyBlocks(limit: StoreLimits.blocksMax)) {
      _ = try filler.append(first: limit + 1, last: limit + 1, kind: .blocking, label: label.span)
    }
    // The open block still accepts records.
    #expect(
      try filler.append(first: limit + 2, last: limit + 2, kind: .identification, label: label.span))
  }

  /// A few records that use every part of the format: both kinds, ranges, labels of the table and of blocks, codes of
  /// both modes, one of them shared, and an escape.
  static let varied: [StoreRow] =
    (1...50).map {
      StoreRow($0 * 40, $0 % 9 == 0 ? $0 * 40 + 20 : nil, .blocking, $0 % 8 == 0 ? "r" : "common")
    }
    + (60...150).map { StoreRow($0 * 40, $0 % 30 == 0 ? $0 * 40 + 7 : nil, .identification, "l\($0 % 5)") }

  @Test(arguments: [small, varied])
  func everyBitFlipped(rows: [StoreRow]) throws {
    let bytes = try encode(rows).bytes
    let file = try TemporaryStore(bytes)
    try #require(isValid(file))
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << UInt8(bit)
        file.rewrite(damaged)
        #expect(throws: StoreVerificationError.self, "byte \(index), bit \(bit)") {
          try StoreVerification.verify(descriptor: file.descriptor)
        }
        exercise(file)
      }
    }
  }

  @Test(arguments: [small, varied])
  func everyTruncation(rows: [StoreRow]) throws {
    let bytes = try encode(rows).bytes
    let file = try TemporaryStore([])
    for count in 0..<bytes.count {
      file.rewrite(Array(bytes[..<count]))
      #expect(!isValid(file), "truncated to \(count) bytes")
    }
  }

  @Test func bytesAfterTheEnd() throws {
    let file = try TemporaryStore(encode(Self.small).bytes + [0])
    #expect(!isValid(file))
  }

  @Test func namedRefusals() throws {
    #expect(throws: CallStoreError.cannotOpen(ENOENT)) {
      _ = try CallStore(path: "/nowhere/at/all.cdstore").blockCount
    }
    #expect(throws: CallStoreError.cannotOpen(EISDIR)) { _ = try CallStore(path: "/").blockCount }
    func refusal(_ bytes: [UInt8]) throws -> CallStoreError? {
      let file = try TemporaryStore(bytes)
      do throws(CallStoreError) {
        _ = try CallStore(descriptor: file.descriptor).blockCount
        return nil
      } catch {
        return error
      }
    }
    let bytes = try encode(Self.small).bytes
    #expect(try refusal([]) == .notAStore)
    #expect(try refusal(Array("8613800138000\tspam\n".utf8)) == .notAStore)
    #expect(try refusal(Array(bytes.dropLast())) == .truncated)
    #expect(try refusal(Array(bytes[..<20])) == .truncated)
    var newer = bytes
    newer[8] = 2
    #expect(try refusal(newer) == .unsupportedVersion(2))
  }

  /// A forger can correct the checksums. Then the fields themselves must be refused or harmless.
  @Test func forgedBlocks() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    print("CallStoreTests forged blocks: seed \(seed)")
    var random = SplitMix64(seed: seed)
    let own = (1...60).map { StoreRow(5_000 + $0 * 9, nil, .identification, "own \($0)") }
    let many = (1...5_000).map {
      StoreRow(10_000 + $0 * 3, $0 % 11 == 0 ? 10_001 + $0 * 3 : nil, .blocking, "m\($0)")
    }
    for rows in [Self.small, Self.varied, Self.small + own + many] {
      let bytes = try encode(rows).bytes
      let file = try TemporaryStore(bytes)
      for _ in 0..<2_500 {
        var forged = bytes
        let end = bytes.count - TrailerLayout.bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          // Block heads and index entries are short and important: change them as often as all other bytes.
          let place =
            Bool.random(using: &random)
            ? Int.random(in: 16..<80, using: &random) : Int.random(in: 16..<(end + 140), using: &random)
          forged[place] = Bool.random(using: &random) ? UInt8.random(in: 0...255, using: &random) : 255
        }
        Mending.mend(&forged)
        file.rewrite(forged)
        exercise(file)
      }
      file.rewrite(bytes)
      #expect(isValid(file))
    }
  }

  @Test func checksumOfTheStandard() {
    // RFC 3720, appendix B.4, and the check value of the CRC catalogues.
    #expect(CRC32C.checksum(ContiguousArray("123456789".utf8).span) == 0xE306_9283)
    #expect(CRC32C.checksum(ContiguousArray<UInt8>(repeating: 0, count: 32).span) == 0x8A91_36AA)
    #expect(CRC32C.checksum(ContiguousArray<UInt8>(0..<32).span) == 0x46DD_794E)
  }
}
