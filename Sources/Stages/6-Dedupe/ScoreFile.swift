// The scores and widths of records on disk, sixteen bytes per record, for several passes.

import BasicContainers
import Records
import SystemIO
import SystemPackage

/// A score as an unsigned key with the same order, for a radix pass.
struct ScoreKey: Comparable, Hashable {
  let bits: UInt64

  init(_ score: Int64) {
    bits = UInt64(bitPattern: score) ^ (1 << 63)
  }

  init(bits: UInt64) {
    self.bits = bits
  }

  static func < (one: ScoreKey, other: ScoreKey) -> Bool { one.bits < other.bits }
}

/// Scores and widths in an unnamed file.
struct ScoreFile: ~Copyable {
  private static let entryBytes = 16

  private let meter: StageMeter
  private var file: TemporaryFile
  private var chunk = ByteChunk()
  /// The lowest and the highest key so far; lowest > highest if there are none.
  private(set) var lowest = ScoreKey(bits: .max)
  private(set) var highest = ScoreKey(bits: 0)
  /// The number of single numbers in the records. They are disjoint, so it is less than 2^50.
  private(set) var numbers: UInt64 = 0

  init(in directory: String, _ context: StageContext) throws(SystemError) {
    let made = try TemporaryFile(in: directory, calls: context.calls)
    meter = context.meter
    file = made
  }

  /// Adds a record.
  mutating func append(_ key: ScoreKey, width: UInt64) throws(SystemError) {
    if chunk.freeCapacity < Self.entryBytes { try flush() }
    append(key.bits)
    append(width)
    lowest = min(lowest, key)
    highest = max(highest, key)
    numbers += width
  }

  private mutating func append(_ word: UInt64) {
    for index in 0..<8 { chunk.bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(8 * index))) }
  }

  /// Writes the buffered entries.
  mutating func flush() throws(SystemError) {
    try file.append(chunk)
    meter.bytesSpilled.add(chunk.count)
    chunk.removeAll()
  }

  /// Calls `body` for all records in order.
  ///
  /// - Precondition: everything is flushed.
  mutating func forEach(_ body: (ScoreKey, _ width: UInt64) -> Void) throws(SystemError) {
    var offset: Int64 = 0
    while offset < file.size {
      chunk.removeAll()
      // Read whole entries: a read may return fewer bytes than requested.
      while chunk.isEmpty || chunk.count % Self.entryBytes != 0 {
        let count = try file.read(into: &chunk, at: offset)
        guard count > 0 else { throw SystemError(.readSpill, file.directory, .ioError) }
        offset += Int64(count)
      }
      let entries = chunk.span
      var at = 0
      while at < entries.count {
        body(ScoreKey(bits: Self.word(entries, at)), Self.word(entries, at + 8))
        at += Self.entryBytes
      }
    }
    chunk.removeAll()
  }

  @inline(__always)
  private static func word(_ bytes: Span<UInt8>, _ at: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in 0..<8 { word |= UInt64(bytes[at + index]) << UInt64(8 * index) }
    return word
  }
}
