// Stores of every shape are read back unchanged.

import CallStoreFormat
import CallStoreReader
import StoreWriting
import TestSupport
import Testing

@Suite struct RoundTripTests {
  @Test func empty() throws {
    try checkRoundTrip([])
    #expect(try encode([]).bytes.count == 224)
  }

  @Test func oneRecord() throws {
    try checkRoundTrip([StoreRow(8_613_800_138_000)])
    try checkRoundTrip([StoreRow(1, nil, .blocking, "")])
    try checkRoundTrip([StoreRow(StoreLimits.numberMax)])
  }

  @Test func aRangeCostsBytesNotEntries() throws {
    let row = StoreRow(8_270_000_000_000, 8_270_099_999_999, .blocking, "070")
    try checkRoundTrip([row])
    let (bytes, summary) = try encode([row])
    #expect(summary.entryCounts.blocking == 100_000_000)
    #expect(bytes.count < 500)
  }

  @Test func everyNumberThereIs() throws {
    try checkRoundTrip([StoreRow(1, StoreLimits.numberMax)])
    try checkRoundTrip([
      StoreRow(1), StoreRow(2, StoreLimits.numberMax - 1, .blocking), StoreRow(StoreLimits.numberMax),
    ])
  }

  @Test(arguments: [63, 64, 65, 9_999, 10_000, 10_001, 20_000])
  func boundaries(count: Int) throws {
    try checkRoundTrip((1...UInt64(count)).map { StoreRow($0 * 3) })
    try checkRoundTrip((1...UInt64(count)).map { StoreRow($0 * 7, $0 * 7 + $0 % 5, .blocking, "\($0 % 3)") })
    // Consecutive numbers of alternating kinds.
    try checkRoundTrip(
      (1...UInt64(count)).map { StoreRow($0, nil, $0 % 2 == 0 ? .blocking : .identification) })
  }

  @Test func hugeGaps() throws {
    try checkRoundTrip((0..<1000).map { StoreRow(1 + $0 * 999_000_000_000) })
    // An outlier in a group whose other gaps are 1 uses the escape.
    try checkRoundTrip(
      (1...200).map { StoreRow($0 < 30 ? $0 : $0 < 100 ? 500_000_000_000 + $0 : 999_999_999_000_000 + $0) })
  }

  @Test func everyRecordItsOwnLabel() throws {
    try checkRoundTrip((1...30_000).map { StoreRow($0 * 11, nil, .identification, "label \($0)") })
  }

  @Test func labelsOfTheLongestKind() throws {
    let long = String(repeating: "x", count: StoreLimits.labelBytesMax - 4)
    try checkRoundTrip(
      (1...40).map {
        StoreRow($0 * 2, nil, $0 % 3 == 0 ? .blocking : .identification, long + "\(1000 + $0 % 37)")
      }
    )
  }

  @Test func labelsWithEqualBeginningsAndNone() throws {
    try checkRoundTrip(
      (1...5_000).map { StoreRow($0, nil, .identification, String(repeating: "a", count: Int($0) % 70)) })
  }

  @Test func tableFullAndBlockLabelsEmpty() throws {
    // The table is full before the empty label appears, so the blocks must store it.
    let many = (1...UInt64(StoreLimits.tableLabelsMax)).map { StoreRow($0, nil, .identification, "t\($0)") }
    let more = (1...15_000).map {
      StoreRow(10_000 + $0, nil, .identification, $0 % 7 == 0 ? "" : "u\($0 % 900)")
    }
    try checkRoundTrip(many + more)
  }

  /// Frequencies of the most frequent label that lead to each label mode, and to long groups.
  @Test(arguments: [1, 2, 3, 10, 100, 1_000, 9_000])
  func labelShares(oneIn: Int) throws {
    var random = SplitMix64(seed: UInt64(oneIn))
    try checkRoundTrip(
      (1...12_000).map { (number: UInt64) in
        let isOther = Int.random(in: 0..<oneIn, using: &random) == 0
        return StoreRow(
          number, nil, .identification, isOther ? "other \(Int.random(in: 0..<5, using: &random))" : "common")
      })
  }

  @Test(arguments: 0..<24)
  func random(round: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
    let gap: ClosedRange<UInt64> = 1...(1 << UInt64.random(in: 0...36, using: &random))
    let wanted = randomRows(
      [0, 1, 2, 100, 5_000, 25_000][round % 6], gap: gap, rangesIn1000: [0, 1, 30, 1000][round % 4],
      labels: [1, 2, 5, 300, 6_000, 0][(round / 4) % 6], using: &random)
    print("CallStoreTests random round \(round): seed \(seed)")
    try checkRoundTrip(wanted, "seed \(seed)")
  }

  @Test(arguments: [1, 7, 10_000])
  func entriesExpandRanges(capacity: Int) throws {
    let wanted = [
      StoreRow(5), StoreRow(7, 9, .blocking, "a"), StoreRow(10, nil, .blocking, "b"), StoreRow(11, 30_000),
      StoreRow(40_000, nil, .blocking),
    ]
    let file = try TemporaryStore(encode(wanted).bytes)
    let store = try CallStore(descriptor: file.descriptor)
    let expected = wanted.flatMap { row in
      (row.first...row.last).map { number in
        var one = row
        (one.first, one.last) = (number, number)
        return one
      }
    }
    #expect(try rows(of: store, entries: true, capacity: capacity) == expected)
    #expect(
      try rows(of: store, kind: .blocking, entries: true, capacity: capacity)
        == expected.filter { $0.kind == .blocking })
  }

  @Test func sameRecordsSameBytes() throws {
    var random = SplitMix64(seed: 5)
    let rows = randomRows(30_000, gap: 1...5_000, rangesIn1000: 20, labels: 5_000, using: &random)
    let one = try encode(rows)
    #expect(try encode(rows).bytes == one.bytes)
    var other = rows
    other[17].label = [0x21]
    #expect(try encode(other).summary.contentHash != one.summary.contentHash)
  }

  @Test func numbersNearTheirInformation() throws {
    var random = SplitMix64(seed: 11)
    var numbers: Set<UInt64> = []
    while numbers.count < 100_000 { numbers.insert(UInt64.random(in: 1...1_000_000_000, using: &random)) }
    let bytes = try encode(numbers.sorted().map { StoreRow($0) }).bytes
    // log2(C(10^9, 10^5)) is 1,472,951 bits: n (log2(U/n) + 1.4427) minus half a logarithm.
    #expect(Double(bytes.count * 8) < 1.10 * 1_472_951)
  }
}
