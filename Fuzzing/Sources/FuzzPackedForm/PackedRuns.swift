// Reads an input in the packed form. What is read without an error must be the same after writing and reading it again.

import BasicContainers
import FuzzDriver
import Hashing
import Records
import SystemIO

struct PackedRuns {
  /// The size of a stream's header, and of a block's, in bytes; and where a block's checksum is.
  private static let headerBytes = 16
  private static let blockBytes = 32
  private static let checksumAt = 28

  /// Reads an input: its first byte selects the rows and the size of the pieces.
  func run(_ input: Span<UInt8>) {
    guard let first = input.isEmpty ? nil : input[0] else { return }
    var bytes: [UInt8] = []
    for index in 1..<input.count { bytes.append(input[index]) }
    Self.mend(&bytes)
    let piece = first >> 1 == 0 ? bytes.count : Int(first >> 1)
    if first & 1 == 0 { Self.readRecords(bytes, piece) } else { Self.readRows(bytes, piece) }
  }

  /// Corrects the checksums of the header and of all blocks that can be located.
  private static func mend(_ bytes: inout [UInt8]) {
    guard bytes.count >= headerBytes else { return }
    set(&bytes, 12, CRC32C.checksum(Array(bytes[..<12]).span))
    let areRecords = bytes[9] == 1
    var at = headerBytes
    while at + blockBytes <= bytes.count {
      let rows = word(bytes, at)
      let fields = word(bytes, at + 4)
      let perRow = (areRecords ? (word(bytes, at + 24) == 1 ? 16 : 8) : 2) + (fields <= 256 ? 1 : 2)
      let columns = rows * perRow + fields * 2 + word(bytes, at + 8) + word(bytes, at + 12)
      let end = min(bytes.count, at + blockBytes + columns)
      let checked = Array(bytes[at..<at + checksumAt] + bytes[(at + blockBytes)..<end])
      set(&bytes, at + checksumAt, CRC32C.checksum(checked.span))
      at = end
    }
  }

  private static func word(_ bytes: [UInt8], _ at: Int) -> Int {
    (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
  }

  private static func set(_ bytes: inout [UInt8], _ at: Int, _ value: UInt32) {
    for byte in 0..<4 { bytes[at + byte] = UInt8(truncatingIfNeeded: value >> UInt32(8 * byte)) }
  }

  // MARK: Reading

  private static func readRecords(_ bytes: [UInt8], _ piece: Int) {
    let (text, packed) = (ByteCollector(), ByteCollector())
    let both = BothRecords(
      RecordWriter(downstream: text), RecordWriter(downstream: packed, form: .packed))
    guard feed(bytes, piece, to: RecordReader(context: context("sort"), downstream: both)) else { return }
    let again = ByteCollector()
    let reader = RecordReader(context: context("sort"), downstream: RecordWriter(downstream: again))
    claim(feed(packed.bytes, packed.bytes.count, to: reader), "records that were read can't be read again")
    claim(again.bytes == text.bytes, "records differ after writing and reading them again")
  }

  private static func readRows(_ bytes: [UInt8], _ piece: Int) {
    let (text, packed) = (ByteCollector(), ByteCollector())
    let both = BothRows(RawRowWriter(downstream: text), RawRowWriter(downstream: packed, form: .packed))
    guard feed(bytes, piece, to: RawRowReader(context: context("normalize"), downstream: both)) else {
      return
    }
    let again = ByteCollector()
    let reader = RawRowReader(context: context("normalize"), downstream: RawRowWriter(downstream: again))
    claim(feed(packed.bytes, packed.bytes.count, to: reader), "rows that were read can't be read again")
    claim(again.bytes == text.bytes, "rows differ after writing and reading them again")
  }

  private static func context(_ name: String) -> StageContext {
    guard let log = try? RejectLog(policy: RejectPolicy()) else { fatalError("no reject log") }
    return StageContext(meter: StageMeter(StageName(rawValue: name)), rejects: log)
  }

  /// Feeds bytes in pieces to a reader; returns whether it read them all.
  private static func feed(_ bytes: [UInt8], _ piece: Int, to reader: any ByteSink) -> Bool {
    var at = 0
    var chunk = ByteChunk()
    do throws(Failure) {
      while at < bytes.count {
        let end = min(bytes.count, at + min(piece, ByteChunk.defaultBytes))
        chunk.append(bytes.span.extracting(at..<end))
        try reader.receive(&chunk)
        chunk.removeAll()
        at = end
      }
      try reader.finish()
      return true
    } catch {
      return false
    }
  }
}

/// Collects bytes.
private final class ByteCollector: ByteSink {
  private(set) var bytes: [UInt8] = []

  func receive(_ chunk: inout ByteChunk) {
    for index in 0..<chunk.count { bytes.append(chunk.span[index]) }
  }

  func finish() {}
}

/// Passes records to two writers.
private final class BothRecords: RecordSink {
  private let one: RecordWriter
  private let other: RecordWriter

  init(_ one: RecordWriter, _ other: RecordWriter) {
    self.one = one
    self.other = other
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    try one.write(batch)
    try other.receive(&batch)
  }

  func finish() throws(Failure) {
    try one.finish()
    try other.finish()
  }
}

/// Passes raw rows to two writers.
private final class BothRows: RawRowSink {
  private let one: RawRowWriter
  private let other: RawRowWriter

  init(_ one: RawRowWriter, _ other: RawRowWriter) {
    self.one = one
    self.other = other
  }

  func receive(_ batch: inout RawRowBatch) throws(Failure) {
    var copy = RawRowBatch()
    for index in 0..<batch.count {
      _ = copy.append(text: batch[textAt: index], recordFields: batch[fieldsAt: index])
    }
    try one.receive(&copy)
    try other.receive(&batch)
  }

  func finish() throws(Failure) {
    try one.finish()
    try other.finish()
  }
}
