// Reads the numbers of sorted records in the text form, and checks their order.
//
// Not for: labels, sources and scores, which the next stage checks.

import Records
import SystemIO

/// The lines of a sorted list, with the numbers of the current one.
struct RecordLines: ~Copyable {
  /// The lines.
  private(set) var text: LineBlocks
  /// The first number of the current record.
  private(set) var first: UInt64 = 0
  /// The last number of the current record.
  private(set) var last: UInt64 = 0

  /// Opens a file, or standard input for `-`.
  init(_ name: String, _ stage: StageName, calls: any SystemCalls) throws(Failure) {
    text = try LineBlocks(name, stage, calls: calls)
  }

  /// The offset of the current record in the file.
  var offset: UInt64 { text.offset + UInt64(text.start) }

  /// Reads the next block; false at the end of the list.
  mutating func nextBlock() throws(Failure) -> Bool { try text.nextBlock() }

  /// Advances to the next record of the block; false if there are no more. Throws if it is not a record, or starts
  /// below the one before it.
  @inline(__always)
  mutating func next() throws(Failure) -> Bool {
    guard text.nextLine() else { return false }
    let previous = first
    do throws(RecordLineError) {
      let head = try RecordLine.head(text.line)
      first = head.first
      last = head.last
    } catch {
      throw invalid(error)
    }
    if text.end - text.start > RecordLine.bytesMax { throw text.tooLong }
    if first < previous {
      throw Failure(
        text.stage,
        SplitError.notSorted(list: text.name, line: text.number, previous: previous, number: first))
    }
    return true
  }

  private func invalid(_ error: RecordLineError) -> Failure {
    let reason: TextFormReject = error == .notANumber ? .notANumber : .notARange
    return Failure(
      text.stage,
      SplitError.notARecord(list: text.name, line: text.number, reason, text: text.quotation))
  }
}
