// How the parser divides an input into slices, and reads one of them.

import BasicContainers
import Records
import Hashing

extension RowParser {
  /// The place up to which the input has been read.
  private var boundary: InputBoundary {
    InputBoundary(
      byte: rows.windowStart, line: rows.windowLine, row: rows.nextRow,
      isAfterReject: reader?.isAfterReject ?? false, checksum: checksum)
  }

  private var changed: Failure {
    Failure(context.stage, ParseError.changedSinceDivided(input: rows.input))
  }

  /// Prepares to read ``slice``.
  func beginSlice() {
    headLeft = slice?.headBytes ?? 0
    rows.dropsRows = headLeft > 0
  }

  /// Parses bytes of the head before a slice, and those of the slice after it.
  func parseHead(_ span: Span<UInt8>) throws(Failure) {
    let count = Int(min(headLeft, UInt64(span.count)))
    try parseBytes(span.extracting(0..<count))
    headLeft -= UInt64(count)
    if headLeft == 0, let slice {
      let last = takeHeld()
      _ = try readWindow(last.span, isEnd: false)
      guard let reader, reader.resume(isAfterReject: slice.start.isAfterReject) else { throw changed }
      rows.enter(slice.start)
      checksum = slice.start.checksum
    }
    if count < span.count { try parseBytes(span.extracting(count..<span.count)) }
  }

  /// Checks that the slice ended where it was expected to end.
  func endSlice() throws(Failure) {
    observeBoundary?(boundary)
    if let slice, headLeft > 0 || boundary != slice.end { throw changed }
  }

  /// Adds bytes that were read to the checksum. A file that has changed since it was divided has another one.
  func noteBytes(_ bytes: Span<UInt8>) {
    guard slice != nil || observeBoundary != nil else { return }
    checksum = CRC32C.checksum(bytes, after: checksum)
  }

  /// Reports that the input can be divided here, if nothing that was read before is needed.
  func noteBoundary() {
    guard let observeBoundary, let reader, reader.isBetweenRecords, validator == nil, !endsLinesWithReturns,
      !encoding.isConverted
    else { return }
    observeBoundary(boundary)
  }
}
