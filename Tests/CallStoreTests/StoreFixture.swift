// Writes stores to temporary files and reads them back, and generates random records from a printed seed.

import CallStoreFormat
import CallStoreReader
import StoreWriting
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A record, as plain values for the oracle.
struct StoreRow: Equatable {
  var first: UInt64
  var last: UInt64
  var kind: StoreKind
  var label: [UInt8]

  init(_ first: UInt64, _ last: UInt64? = nil, _ kind: StoreKind = .identification, _ label: String = "spam")
  {
    self.first = first
    self.last = last ?? first
    self.kind = kind
    self.label = Array(label.utf8)
  }
}

/// A store in a temporary file, which is removed when the value is released.
final class TemporaryStore {
  let path: String
  let descriptor: Int32
  private let directory: TemporaryDirectory

  init(_ bytes: [UInt8]) throws {
    directory = try TemporaryDirectory()
    path = directory / "store"
    descriptor = unsafe open(path, O_RDWR | O_CREAT, 0o600)
    try #require(descriptor >= 0)
    rewrite(bytes)
  }

  deinit { close(descriptor) }

  func rewrite(_ bytes: [UInt8]) {
    ftruncate(descriptor, 0)
    let written = unsafe bytes.withUnsafeBytes { unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    precondition(written == bytes.count, "the test's own file could not be written")
  }
}

/// The store of some rows, and the summary that the encoder returned.
func encode(_ rows: [StoreRow]) throws -> (bytes: [UInt8], summary: StoreSummary) {
  var encoder = StoreEncoder()
  var bytes: [UInt8] = []
  func take(_ some: Span<UInt8>) { for index in 0..<some.count { bytes.append(some[index]) } }
  for row in rows {
    let label = ContiguousArray(row.label)
    try encoder.append(first: row.first, last: row.last, kind: row.kind, label: label.span)
    if encoder.isDrainDue { encoder.drain { take($0) } }
  }
  let summary = encoder.finish()
  encoder.drain { take($0) }
  return (bytes, summary)
}

/// The bytes of a label.
func bytes(of label: StoreLabel, in store: borrowing CallStore) -> [UInt8] {
  let bytes = store.bytes(of: label)
  return unsafe bytes.withUnsafeBytes { unsafe Array($0) }
}

/// Reads all records of a store, or its single numbers.
func rows(
  of store: borrowing CallStore, kind: StoreKind? = nil, entries: Bool = false, capacity: Int = 4096
) throws -> [StoreRow] {
  var cursor = StoreCursor(store, kind: kind)
  var batch = StoreBatch(capacity: capacity)
  var result: [StoreRow] = []
  while try entries
    ? cursor.nextEntries(of: store, into: &batch) : cursor.nextRecords(of: store, into: &batch)
  {
    for index in 0..<batch.count {
      var row = StoreRow(batch.firsts[index], batch.lasts[index], batch.kinds[index])
      row.label = bytes(of: batch.labels[index], in: store)
      result.append(row)
    }
  }
  return result
}

/// Encodes rows, reads them back in every way, and compares.
func checkRoundTrip(_ wanted: [StoreRow], _ comment: Comment? = nil) throws {
  let (encoded, summary) = try encode(wanted)
  #expect(summary.byteCount == UInt64(encoded.count), comment)
  let file = try TemporaryStore(encoded)
  let store = try CallStore(path: file.path)
  try #require(try rows(of: store) == wanted, comment)
  for kind in StoreKind.allCases {
    let some = wanted.filter { $0.kind == kind }
    #expect(try rows(of: store, kind: kind, capacity: 97) == some, comment)
    #expect(store.recordCount(of: kind) == UInt64(some.count), comment)
    #expect(store.entryCount(of: kind) == some.reduce(0) { $0 + ($1.last - $1.first + 1) }, comment)
  }
  #expect(store.firstNumber == wanted.first?.first, comment)
  #expect(store.lastNumber == wanted.last?.last, comment)
  #expect(store.contentHash == summary.contentHash, comment)
  #expect(try StoreVerification.verify(path: file.path) == summary.contentHash, comment)
}

/// Makes random rows, ascending and disjoint.
func randomRows(
  _ count: Int, gap: ClosedRange<UInt64>, rangesIn1000: Int, labels: Int, using random: inout SplitMix64
) -> [StoreRow] {
  var result: [StoreRow] = []
  var next: UInt64 = 1
  for index in 0..<count {
    next += UInt64.random(in: gap, using: &random)
    let isRange = Int.random(in: 0..<1000, using: &random) < rangesIn1000
    let last =
      next
      + (isRange
        ? UInt64.random(in: 1...(1 << UInt64.random(in: 0...30, using: &random)), using: &random) : 0)
    guard last <= StoreLimits.numberMax else { break }
    let label =
      labels == 0
      ? index : min(Int.random(in: 0..<labels, using: &random), Int.random(in: 0..<labels, using: &random))
    let kind: StoreKind = Int.random(in: 0..<4, using: &random) == 0 ? .blocking : .identification
    result.append(StoreRow(next, last, kind, label == 3 ? "" : "label \(label)"))
    next = last + 1
  }
  return result
}
