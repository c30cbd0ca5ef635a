// Writes records and raw rows in the text form or the packed form: the output of filters, and of `emit --format tsv`.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import SystemIO

/// What both writers do besides writing rows: they collect bytes in a chunk and pass it on.
public class BatchTextWriter {
  private let downstream: any ByteSink
  fileprivate let form: StreamForm
  private let checkEnd: @Sendable () throws(Failure) -> Void
  fileprivate var chunk = ByteChunk()
  fileprivate var ends = LineEnds()
  fileprivate var packed: PackedOutput

  fileprivate class var rows: PackedForm.Rows { .records }

  /// Creates a writer that passes bytes to `downstream`. `checkEnd` is called before the stream ends: if it throws, the
  /// packed form has no end mark. With `hasHeader`, the header of the packed form was already written.
  public init(
    downstream: any ByteSink, form: StreamForm = .text, hasHeader: Bool = false,
    checkEnd: @escaping @Sendable () throws(Failure) -> Void = {}
  ) {
    packed = PackedOutput(Self.rows, hasHeader: hasHeader)
    self.downstream = downstream
    self.form = form
    self.checkEnd = checkEnd
  }

  /// Writes the header of the packed form. A reader then notices that this process failed, also before its first row.
  public final func begin() throws(Failure) {
    guard form == .packed else { return }
    packed.begin(&chunk)
    try flush()
  }

  /// Writes a block with `write`, which returns false if it does not fit into the rest of the chunk.
  fileprivate final func writePacked(
    _ rows: Int, _ write: (UInt64, inout ByteChunk) -> Bool
  ) throws(Failure) {
    guard rows > 0 else { return }
    packed.begin(&chunk)
    if !write(packed.rows, &chunk) {
      try flush()
      _ = write(packed.rows, &chunk)
    }
    packed.rows += UInt64(rows)
  }

  /// Passes on the remaining bytes and ends the stream.
  public final func finish() throws(Failure) {
    try flush()
    try checkEnd()
    if form == .packed { packed.end(&chunk) }
    try flush()
    try downstream.finish()
  }

  /// Passes on the bytes written so far.
  public final func flush() throws(Failure) {
    guard !chunk.isEmpty else { return }
    try downstream.receive(&chunk)
    chunk.removeAll()
  }
}

public final class RecordWriter: BatchTextWriter, RecordSink {
  public func receive(_ batch: inout RecordBatch) throws(Failure) {
    try write(batch)
    batch.removeAll()
  }

  public func write(_ batch: borrowing RecordBatch) throws(Failure) {
    if form == .packed {
      return try writePacked(batch.count) { PackedForm.write(batch, rowsBefore: $0, into: &$1) }
    }
    ends.make(batch.fieldsTable)
    var index = 0
    while index < batch.count {
      index = TextForm.write(batch, from: index, ends, into: &chunk)
      if index < batch.count { try flush() }
    }
  }
}

/// Writes raw rows in their text form, one per line, or in their packed form.
public final class RawRowWriter: BatchTextWriter, RawRowSink {
  fileprivate override class var rows: PackedForm.Rows { .rawRows }

  public func receive(_ batch: inout RawRowBatch) throws(Failure) {
    try write(batch)
    batch.removeAll()
  }

  private func write(_ batch: borrowing RawRowBatch) throws(Failure) {
    if form == .packed {
      return try writePacked(batch.count) { PackedForm.write(batch, rowsBefore: $0, into: &$1) }
    }
    ends.make(batch.fieldsTable)
    let areEscaped = TextForm.needsEscapes(batch)
    var index = 0
    while index < batch.count {
      index = TextForm.write(batch, from: index, ends, areEscaped: areEscaped, into: &chunk)
      if index < batch.count { try flush() }
    }
  }
}
