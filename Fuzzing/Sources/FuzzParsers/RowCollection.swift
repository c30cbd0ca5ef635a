// The output of a parser, in a form in which two runs can be compared. Not for hot paths.

public import CallRecord
import FuzzDriver
public import PipeStage

/// Collects the rows of a parser.
public final class RowCollection: RawRowSink {
  /// Number text and record fields of each row, each followed by a byte that neither contains.
  public private(set) var bytes: [UInt8] = []
  /// How many rows came.
  public private(set) var rows: UInt64 = 0
  /// Whether the stream ended.
  public private(set) var isFinished = false

  /// Makes an empty collection.
  public init() {}

  /// Collects one batch.
  public func receive(_ batch: inout RawRowBatch) throws(StageError) {
    claim(batch.firstOrdinal == rows + 1, "rows are counted without gaps")
    rows += UInt64(batch.count)
    for row in 0..<batch.count {
      append(batch[textAt: row])
      append(batch[fieldsAt: row])
    }
    batch.removeAll()
  }

  /// There is no more.
  public func finish() throws(StageError) { isFinished = true }

  private func append(_ span: Span<UInt8>) {
    claim(UTF8Check.isValid(span), "rows are UTF-8")
    for index in 0..<span.count { bytes.append(span[index]) }
    bytes.append(0xFF)
  }
}
