// Collects a parser's output so that two runs can be compared. Not for hot paths.

import FuzzDriver
public import Records

/// Collects the rows of a parser.
public final class RowCollection: RawRowSink {
  /// The number text and record fields of each row, each followed by a byte that they can't contain.
  public private(set) var bytes: [UInt8] = []
  /// The number of rows.
  public private(set) var rows: UInt64 = 0
  /// Whether the stream has ended.
  public private(set) var isFinished = false

  /// Creates an empty collection.
  public init() {}

  /// Collects a batch.
  public func receive(_ batch: inout RawRowBatch) throws(Failure) {
    claim(batch.firstOrdinal == rows + 1, "rows are counted without gaps")
    rows += UInt64(batch.count)
    for row in 0..<batch.count {
      append(batch[textAt: row])
      append(batch[fieldsAt: row])
    }
    batch.removeAll()
  }

  /// Records the end of the stream.
  public func finish() throws(Failure) { isFinished = true }

  private func append(_ span: Span<UInt8>) {
    claim(UTF8Check.isValid(span), "rows are UTF-8")
    for index in 0..<span.count { bytes.append(span[index]) }
    bytes.append(0xFF)
  }
}
