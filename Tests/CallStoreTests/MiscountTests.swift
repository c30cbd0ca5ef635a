// Stores with valid checksums and a valid content hash whose counts are wrong, as a faulty writer would make them:
// verification refuses each.

import CallStoreFormat
import CallStoreReader
import Hashing
import StoreWriting
import TestSupport
import Testing

@Suite("Wrong counts")
struct MiscountTests {
  /// A block of each kind, with single numbers and ranges.
  private static let rows = (1...20).map {
    StoreRow($0 * 50, $0 % 5 == 0 ? $0 * 50 + 9 : nil, $0 % 4 == 0 ? .blocking : .identification)
  }

  /// A count of one kind, wherever the file has it.
  struct Count: Sendable, CustomTestStringConvertible {
    var kind: StoreKind
    var isOfEntries: Bool
    /// 1 or -1.
    var change: Int

    var testDescription: String { "\(kind), \(isOfEntries ? "entries" : "records"), \(change)" }

    static let all = StoreKind.allCases.flatMap { kind in
      [false, true].flatMap { isOfEntries in
        [1, -1].map { Count(kind: kind, isOfEntries: isOfEntries, change: $0) }
      }
    }

    /// Its offset in the trailer.
    var trailerOffset: Int {
      switch (kind, isOfEntries) {
      case (.blocking, false): TrailerLayout.blockingRecords
      case (.blocking, true): TrailerLayout.blockingEntries
      case (.identification, false): TrailerLayout.identificationRecords
      case (.identification, true): TrailerLayout.identificationEntries
      }
    }

    /// Its offset in an entry of the index.
    var indexOffset: Int { isOfEntries ? IndexLayout.entries : IndexLayout.records }

    /// The number of the block, in the order of the index: there is one of each kind.
    var block: Int { kind == .blocking ? 0 : 1 }
  }

  /// How far the wrong count reaches.
  enum Depth: CaseIterable { case trailer, index, block }

  /// Adds to a number below 256. Its upper bytes stay 0.
  private static func add(_ change: Int, to bytes: inout [UInt8], at: Int) {
    bytes[at] = UInt8(Int(bytes[at]) + change)
  }

  private static func number(_ bytes: [UInt8], _ at: Int) -> Int {
    (0..<8).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
  }

  /// A store with a wrong count, valid checksums and a valid content hash.
  private static func store(_ count: Count, _ depth: Depth) throws -> TemporaryStore {
    var bytes = try encode(rows).bytes
    let trailer = bytes.count - TrailerLayout.bytes
    add(count.change, to: &bytes, at: trailer + count.trailerOffset)
    let entry = number(bytes, trailer + TrailerLayout.indexOffset) + count.block * IndexLayout.bytes
    if depth != .trailer { add(count.change, to: &bytes, at: entry + count.indexOffset) }
    if depth == .block, !count.isOfEntries {
      add(count.change, to: &bytes, at: number(bytes, entry + IndexLayout.offset) + BlockLayout.records)
    }
    Mending.mend(&bytes)
    var hash = SHA256Hasher()
    let hashed = ContiguousArray(bytes[..<(trailer + TrailerLayout.contentHash)])
    hash.update(hashed.span)
    bytes.replaceSubrange(
      (trailer + TrailerLayout.contentHash)..<(trailer + TrailerLayout.crc), with: hash.digest)
    // The trailer's checksum includes the content hash.
    Mending.mend(&bytes)
    return try TemporaryStore(bytes)
  }

  @Test("mending keeps a valid store as it is")
  func unchanged() throws {
    let unchanged = Count(kind: .blocking, isOfEntries: false, change: 0)
    for depth in Depth.allCases {
      let file = try Self.store(unchanged, depth)
      #expect(
        try StoreVerification.verify(descriptor: file.descriptor) == encode(Self.rows).summary.contentHash)
    }
  }

  @Test("a count of the trailer must be the sum of the index", arguments: Count.all)
  func trailer(count: Count) throws {
    let file = try Self.store(count, .trailer)
    #expect(throws: StoreVerificationError.unreadable(.damaged(.index))) {
      try StoreVerification.verify(descriptor: file.descriptor)
    }
  }

  @Test("a count of the index must be that of the block and of its records", arguments: Count.all)
  func index(count: Count) throws {
    for depth in [Depth.index, .block] {
      let file = try Self.store(count, depth)
      #expect(throws: StoreVerificationError.unreadable(.damaged(.block(count.block))), "\(depth)") {
        try StoreVerification.verify(descriptor: file.descriptor)
      }
    }
  }
}
