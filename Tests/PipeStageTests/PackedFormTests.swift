// Records and raw rows to the packed form and back, cut everywhere; and streams that are damaged, cut off or made to do
// harm. The text form is the oracle.

import Hashing
import Records
import SystemIO
import TestSupport
import Testing

@Suite("The packed form", .seeded)
struct PackedFormTests {
  static func pack(_ records: [TestRecord], cut: Cut = .whole, swaps: Bool = false) throws(Failure)
    -> [UInt8]
  {
    let sink = CollectingBytes(CollectorOptions(swaps: swaps))
    try feed(records, cut: cut, to: RecordWriter(downstream: sink, form: .packed))
    #expect(sink.rules.isFinished)
    return sink.bytes
  }

  static func pack(_ rows: [TestRow], cut: Cut = .whole, swaps: Bool = false) throws(Failure) -> [UInt8] {
    let sink = CollectingBytes(CollectorOptions(swaps: swaps))
    try feed(rows, cut: cut, to: RawRowWriter(downstream: sink, form: .packed))
    #expect(sink.rules.isFinished)
    return sink.bytes
  }

  @Test("records of every shape survive, whatever the cuts", arguments: RecordShape.Labels.allCases)
  func records(labels: RecordShape.Labels) throws {
    var generator = SplitMix64(test: "packed records \(labels)")
    for numbers in RecordShape.Numbers.allCases {
      for ranges in RecordShape.Ranges.allCases {
        let shape = RecordShape(numbers, ranges, labels)
        let count = RecordShape.randomCount(&generator, most: labels == .long ? 12 : 120)
        let records = shape.records(count, &generator)
        for cut in Cut.common(&generator) where labels != .long || cut != .every(1) {
          let swaps = generator.chance(oneIn: 2)
          let packed = try Self.pack(records, cut: cut, swaps: swaps)
          let (read, rejects) = try RecordTextTests.read(packed, cut: cut, swaps: swaps)
          #expect(read == records && rejects == [], "\(shape), \(cut)")
        }
      }
    }
  }

  @Test("raw rows of every shape survive, whatever the cuts", arguments: RecordShape.Labels.allCases)
  func rawRows(labels: RecordShape.Labels) throws {
    var generator = SplitMix64(test: "packed rows \(labels)")
    for _ in 0..<8 {
      let count = RecordShape.randomCount(&generator, most: labels == .long ? 10 : 80)
      let rows = RawRowTextTests.randomRows(count, labels, &generator)
      for cut in Cut.common(&generator) where labels != .long || cut != .every(1) {
        let packed = try Self.pack(rows, cut: cut, swaps: generator.chance(oneIn: 2))
        let (read, rejects) = try RawRowTextTests.read(packed, cut: cut, swaps: generator.chance(oneIn: 2))
        #expect(read == rows && rejects == [], "\(cut)")
      }
    }
  }

  @Test("more records, labels and bytes than a batch or a chunk holds")
  func large() throws {
    var generator = SplitMix64(test: "large packed")
    for (labels, count) in [(RecordShape.Labels.different, 20_000), (.few, 20_000), (.long, 600)] {
      let records = RecordShape(.wide, .some, labels).records(count, &generator)
      let packed = try Self.pack(records, swaps: true)
      let (read, rejects) = try RecordTextTests.read(
        packed, cut: .random(seed: generator.next(), most: 100_000), swaps: true)
      #expect(read == records && rejects == [], "\(labels)")
      let rows = RawRowTextTests.randomRows(count, labels, &generator)
      let (readRows, rejectedRows) = try RawRowTextTests.read(
        try Self.pack(rows), cut: .random(seed: generator.next(), most: 100_000), swaps: false)
      #expect(readRows == rows && rejectedRows == [], "\(labels)")
    }
  }

  /// The bytes that a reader passes on, and whether it throws.
  private static func readBytes(_ bytes: [UInt8], cut: Cut) -> (bytes: [UInt8], failure: Failure?) {
    let sink = CollectingBytes(CollectorOptions())
    let failure = stageError { () throws(Failure) in
      try feed(bytes, cut: cut, to: PackedBytesReader(stage: .parse, downstream: sink))
    }
    return (sink.bytes, failure)
  }

  private static func pack(bytes: [UInt8]) throws(Failure) -> [UInt8] {
    let sink = CollectingBytes(CollectorOptions())
    try feed(bytes, cut: .whole, to: PackedBytesWriter(downstream: sink))
    return sink.bytes
  }

  @Test("bytes survive, whatever the cuts; other streams and plain bytes are passed on")
  func bytes() throws {
    var generator = SplitMix64(test: "packed bytes")
    for count in [0, 1, 9, 15, 16, 65_536, 65_537, 300_000] {
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
      let packed = try Self.pack(bytes: bytes)
      for cut in [Cut.whole, .every(count > 100 ? 4_099 : 1), .every(65_536)] {
        let read = Self.readBytes(packed + packed, cut: cut)
        #expect(read.bytes == bytes + bytes && read.failure == nil, "\(count), \(cut)")
      }
    }
    let records = try Self.pack([TestRecord(1, "a")])
    for plain in [records, [0x8E], [0x8E, 0x43, 0x44], Array("text\n".utf8), []] {
      for cut in [Cut.whole, .every(1)] {
        #expect(Self.readBytes(plain, cut: cut).bytes == plain)
        let after = Self.readBytes(try Self.pack(bytes: [7]) + plain, cut: cut)
        #expect(after.bytes == [7] + plain && after.failure == nil)
      }
    }
  }

  @Test("bytes that end before the end mark are an error")
  func truncatedBytes() throws {
    let packed = try Self.pack(bytes: Array("number,label\n".utf8))
    for count in 10..<packed.count {
      #expect(Self.readBytes(Array(packed[..<count]), cut: .every(3)).failure?.code == "packed-truncated")
    }
    let other = stageError { () throws(Failure) in
      _ = try RecordTextTests.read(packed, cut: .whole)
    }
    #expect(other?.code == "packed-bytes")
  }

  @Test("streams may follow one another, and text may follow a stream")
  func concatenated() throws {
    let one = [TestRecord(1, "a"), TestRecord(2, to: 5, "b")]
    let other = [TestRecord(7, "c")]
    let bytes = try Self.pack(one) + Self.pack([TestRecord]()) + Self.pack(other) + lines(one)
    for cut in [Cut.whole, .every(1), .every(7), .every(40)] {
      let (read, rejects) = try RecordTextTests.read(bytes, cut: cut)
      #expect(read == one + other + one && rejects == [], "\(cut)")
    }
  }

  @Test("inputs of both forms may follow one another; row numbers continue")
  func inputs() throws {
    let stage = try StageFixture(.sort)
    let sink = CollectingRecords()
    let reader = RecordReader(context: stage.context, downstream: sink)
    for bytes in [Array("1\ta".utf8), try Self.pack([TestRecord(2), TestRecord(3)]), Array("x\n4\n".utf8)] {
      var chunk = ByteChunk()
      chunk.append(bytes.span)
      try reader.receive(&chunk)
      try reader.nextInput(name: "next")
    }
    try reader.finish()
    #expect(sink.records == [TestRecord(1, "a"), TestRecord(2), TestRecord(3), TestRecord(4)])
    #expect(stage.rejectLines == ["4 not-a-number"])
  }

  // MARK: Streams that are not valid

  /// The records that a reader passes on before it throws, and its error; nil if it does not throw.
  private static func readBroken(_ bytes: [UInt8], cut: Cut) throws -> ([TestRecord], Failure?) {
    let stage = try StageFixture(.sort)
    let sink = CollectingRecords()
    do throws(Failure) {
      try feed(bytes, cut: cut, to: RecordReader(context: stage.context, downstream: sink))
    } catch {
      #expect(error.code.contains("packed") && error.endsInput && error.errorClass == .badData)
      return (sink.records, error)
    }
    return (sink.records, nil)
  }

  private static func example() throws -> (records: [TestRecord], bytes: [UInt8]) {
    let records = [TestRecord(86_138_001, "骚扰电话"), TestRecord(86_138_002, to: 86_138_009, "b\ts\t3")]
    return (records, try pack(records))
  }

  @Test("a stream that is cut off anywhere is an error")
  func truncated() throws {
    let (records, bytes) = try Self.example()
    for length in 1..<bytes.count {
      for cut in [Cut.whole, .every(3)] {
        let (read, error) = try Self.readBroken(Array(bytes[..<length]), cut: cut)
        let isBlockWhole = length >= bytes.count - 32
        #expect(error?.code == "packed-truncated", "\(length) bytes, \(cut)")
        #expect(
          error?.message.message.contains(" ends after \(isBlockWhole ? 2 : 0) rows, ") == true,
          "\(length) bytes, \(cut)")
        #expect(read == (isBlockWhole ? records : []))
      }
    }
  }

  @Test("every flipped bit is noticed")
  func flipped() throws {
    let (_, bytes) = try Self.example()
    for bit in 0..<8 * bytes.count {
      var flipped = bytes
      flipped[bit / 8] ^= 1 << UInt8(bit % 8)
      if bit < 8 {
        // Another first byte begins text, whose lines are rejected.
        let (read, rejects) = try RecordTextTests.read(flipped)
        #expect(read == [] && !rejects.isEmpty, "bit \(bit)")
      } else {
        let (_, error) = try Self.readBroken(flipped, cut: .whole)
        #expect(error != nil, "bit \(bit)")
      }
    }
  }

  @Test("raw rows are not records")
  func otherRows() throws {
    let rows = try Self.pack([TestRow(1, "x", "l")])
    #expect(try Self.readBroken(rows, cut: .whole).1?.code == "packed-raw-rows")
    let records = try Self.example().bytes
    let error = stageError { () throws(Failure) in
      try feed(
        records,
        to: RawRowReader(context: try StageFixture(.normalize).context, downstream: CollectingRawRows()))
    }
    #expect(error?.code == "packed-records")
  }

  /// Changes bytes of a stream's only block, and corrects its checksum.
  private static func forged(_ bytes: [UInt8], _ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var block = Array(bytes[16..<bytes.count - 32])
    change(&block)
    let checksum = CRC32C.checksum(Array(block[..<28] + block[32...]).span)
    for byte in 0..<4 { block[28 + byte] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * byte)) }
    return bytes[..<16] + block + bytes[(bytes.count - 32)...]
  }

  @Test("streams with valid checksums and impossible values are errors")
  func forged() throws {
    let (_, bytes) = try Self.example()
    let changes: [(String, (inout [UInt8]) -> Void)] = [
      ("first number 0", { $0.replaceSubrange(32..<40, with: [UInt8](repeating: 0, count: 8)) }),
      ("first number too large", { $0[39] = 1 }),
      (
        "last number below the first",
        {
          $0[56] = 0; $0[57] = 0
        }
      ),
      ("last number too large", { $0[63] = 1 }),
      ("index of fields that are not there", { $0[64] = 2 }),
      ("fields longer than the column", { $0[66] = 200 }),
      ("fields shorter than the column", { $0[66] = 11 }),
      ("text that is not UTF-8", { $0[70] = 0xFF }),
      ("a score that is not a number", { $0[$0.count - 1] = UInt8(ascii: "x") }),
      ("trailing empty fields", { $0[$0.count - 1] = 9 }),
      ("rows of an earlier block", { $0[16] = 1 }),
      ("unknown flags", { $0[24] = 3 }),
      ("too many rows", { $0[1] = 0x20 }),
    ]
    #expect(try Self.readBroken(Self.forged(bytes) { _ in }, cut: .whole).1 == nil)
    for (name, change) in changes {
      for cut in [Cut.whole, .every(5)] {
        let (read, error) = try Self.readBroken(Self.forged(bytes, change), cut: cut)
        let isExpected = ["packed-damaged", "packed-truncated"].contains(error?.code)
        #expect(isExpected && error?.message.message.contains("after 0 rows") == true, "\(name), \(cut)")
        #expect(read == [], "\(name), \(cut)")
      }
    }
  }

  @Test("a line feed in record fields is an error: it would be a line of its own in the text form")
  func lineFeed() throws {
    let bytes = try Self.pack([TestRecord(1, "ab"), TestRecord(2, "cd")])
    for offset in [1, 2, 3, 4] {
      let forged = Self.forged(bytes) { $0[$0.count - offset] = UInt8(ascii: "\n") }
      let error = try Self.readBroken(forged, cut: .whole).1
      #expect(error?.code == "packed-damaged", "\(offset) from the end")
      #expect(error?.message.message.hasSuffix(" after 0 rows") == true, "\(offset) from the end")
    }
  }

  @Test("record fields may occur twice: a writer need not find all that are equal")
  func repeatedFields() throws {
    let bytes = try Self.pack([TestRecord(1, "ab"), TestRecord(2, "cd")])
    let forged = Self.forged(bytes) { $0.replaceSubrange(($0.count - 2)..., with: Array("ab".utf8)) }
    let (read, error) = try Self.readBroken(forged, cut: .whole)
    #expect(error == nil)
    #expect(read == [TestRecord(1, "ab"), TestRecord(2, "ab")])
  }
}
