// A sorted run on disk: its writer.
//
// A record is the gap to the number before it, as a varint with two flags in the lowest bits (a range; an
// annotation that travels with it), then for a range its width, then the annotation's number, or its length and
// bytes. Ten million rows of a usual list take about 4 bytes each.

import BasicContainers
import CallRecord
import SystemIO

enum SpillFlag {
  static let range: UInt64 = 1
  static let inline: UInt64 = 2
  static let bits: UInt64 = 2
}

/// How a run's records stand in its file.
enum RunForm {
  /// Single numbers with named annotations: PackedBlock.
  case packed
  /// Single numbers: PlacedBlock.
  case placed
  /// Any records, as described above.
  case loose

  /// The most records in a block. A merge holds one block of each run decoded, and sorts as many at once: enough
  /// to make a digit's counters cheap, and little enough for the first-level cache.
  static let blockRecordsMax = 1024

  /// The most bytes in a block of a form that has blocks.
  var blockBytesMax: Int { self == .packed ? PackedBlock.bytesMax : PlacedBlock.bytesMax }
}

/// A sorted run on disk.
struct SpilledRun: ~Copyable {
  let file: TemporaryFile
  let records: Int
  /// How many merges it has been through.
  let level: Int
  let form: RunForm

  /// The file alone.
  consuming func takeFile() -> TemporaryFile { file }

  /// Makes the file for a run.
  static func makeFile(in directory: String, calls: any SystemCalls) throws(SortTrouble) -> TemporaryFile {
    do throws(SystemFailure) {
      return try TemporaryFile(in: directory, calls: calls)
    } catch {
      throw .system(error)
    }
  }
}

/// Writes a run of any records to a file of its own.
struct LooseSpiller: RunTaker, ~Copyable {
  /// The most bytes in a record without its annotation's: three varints of 64 bits, and one of 14.
  private static let headBytesMax = 32

  private var file: TemporaryFile
  private var chunk: ByteChunk
  private var previous: UInt64 = 0
  private var records = 0

  init(in directory: String, calls: any SystemCalls) throws(SortTrouble) {
    file = try SpilledRun.makeFile(in: directory, calls: calls)
    chunk = ByteChunk()
  }

  mutating func take(first: UInt64, last: UInt64, annotation: UInt32) throws(SortTrouble) {
    if chunk.freeCapacity < Self.headBytesMax { try flush() }
    appendNumbers(first, last, flags: 0)
    chunk.appendVarint(UInt64(annotation))
  }

  mutating func take(first: UInt64, last: UInt64, inline annotation: Span<UInt8>) throws(SortTrouble) {
    if chunk.freeCapacity < Self.headBytesMax + annotation.count { try flush() }
    appendNumbers(first, last, flags: SpillFlag.inline)
    chunk.appendVarint(UInt64(annotation.count))
    chunk.append(annotation)
  }

  @inline(__always)
  private mutating func appendNumbers(_ first: UInt64, _ last: UInt64, flags: UInt64) {
    let gap = (first - previous) << SpillFlag.bits
    if first == last {
      chunk.appendVarint(gap | flags)
    } else {
      chunk.appendVarint(gap | flags | SpillFlag.range)
      chunk.appendVarint(last - first)
    }
    previous = first
    records += 1
  }

  private mutating func flush() throws(SortTrouble) {
    do throws(SystemFailure) {
      try file.append(chunk)
    } catch {
      throw .system(error)
    }
    chunk.removeAll()
  }

  consuming func finish(level: Int) throws(SortTrouble) -> SpilledRun {
    try flush()
    return SpilledRun(file: file, records: records, level: level, form: .loose)
  }
}

extension ByteChunk {
  /// Seven bits a byte, the lowest first; the highest bit says that more come.
  @inline(__always)
  fileprivate mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}
