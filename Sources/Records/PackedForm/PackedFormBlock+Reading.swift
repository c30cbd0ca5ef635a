// Reads blocks of the packed form into batches. Every value is checked: a stream may be damaged, or made to do harm.

import BasicContainers

extension PackedFormBlock {
  /// The columns of a block: where each starts.
  private struct Columns {
    let lasts: Int
    let texts: Int
    let indices: Int
    let lengths: Int
    let fields: Int

    init(_ block: PackedFormBlock, _ kind: PackedForm.Rows) {
      lasts = kind == .records ? 8 * block.rows : 0
      texts = kind == .records ? 0 : 2 * block.rows
      indices =
        kind == .records ? lasts + (block.hasRanges ? 8 * block.rows : 0) : texts + block.textBytes
      lengths = indices + block.indexBytes * block.rows
      fields = lengths + 2 * block.fields
    }
  }

  /// Adds the records of the block's columns to an empty batch; returns false if they are not records.
  ///
  /// - Precondition: `columns` has ``columnBytes(_:)`` bytes.
  func read(_ columns: Span<UInt8>, into batch: inout RecordBatch) -> Bool {
    let starts = Columns(self, .records)
    let raw = unsafe columns.bytes
    precondition(columns.count == columnBytes(.records))
    // Values above this become 0 or less when 1 is subtracted, or are too large.
    let largest = PhoneNumber.max &- 1
    var areNumbers = true
    batch.firsts.append(addingCount: rows) { output in
      for row in 0..<rows {
        let number = unsafe Self.word(raw, 8 &* row)
        areNumbers = areNumbers && number &- 1 <= largest
        output.append(number)
      }
    }
    if hasRanges {
      areNumbers = readLasts(raw, starts.lasts, batch.firsts, into: &batch.lasts) && areNumbers
    } else {
      Self.copy(batch.firsts, to: &batch.lasts)
    }
    return areNumbers && readIndices(raw, starts.indices, into: &batch.fieldsIndices)
      && readFields(columns, starts.lengths, starts.fields, into: &batch.fieldsTable)
  }

  private static func copy(_ firsts: borrowing RigidArray<UInt64>, to lasts: inout RigidArray<UInt64>) {
    lasts.append(copying: firsts.span)
  }

  /// Adds the last numbers; returns false if one is below the first number of its record, or too large.
  private func readLasts(
    _ raw: RawSpan, _ start: Int, _ firsts: borrowing RigidArray<UInt64>,
    into lasts: inout RigidArray<UInt64>
  ) -> Bool {
    var areNumbers = true
    lasts.append(addingCount: rows) { output in
      for row in 0..<rows {
        let number = unsafe Self.word(raw, start &+ 8 &* row)
        areNumbers = areNumbers && number >= firsts[row] && number <= PhoneNumber.max
        output.append(number)
      }
    }
    return areNumbers
  }

  /// Adds the rows of the block's columns to an empty batch; returns false if they are not raw rows.
  ///
  /// - Precondition: `columns` has ``columnBytes(_:)`` bytes.
  func read(_ columns: Span<UInt8>, into batch: inout RawRowBatch) -> Bool {
    let starts = Columns(self, .rawRows)
    let raw = unsafe columns.bytes
    precondition(columns.count == columnBytes(.rawRows))
    let texts = columns.extracting(starts.texts..<starts.texts + textBytes)
    let areTexts = batch.appendTexts(texts, count: rows) { row in unsafe Self.half(raw, 2 &* row) }
    return areTexts && readIndices(raw, starts.indices, into: &batch.fieldsIndices)
      && readFields(columns, starts.lengths, starts.fields, into: &batch.fieldsTable)
  }

  private func readIndices(_ raw: RawSpan, _ start: Int, into indices: inout RigidArray<UInt32>) -> Bool {
    let wide = indexBytes == 2
    var largest: UInt32 = 0
    indices.append(addingCount: rows) { output in
      for row in 0..<rows {
        let index =
          unsafe wide
          ? UInt32(Self.half(raw, start &+ 2 &* row))
          : UInt32(raw.unsafeLoad(fromUncheckedByteOffset: start &+ row, as: UInt8.self))
        largest = max(largest, index)
        output.append(index)
      }
    }
    return largest < fields
  }

  /// Adds the record fields to an empty table.
  private func readFields(
    _ columns: Span<UInt8>, _ lengths: Int, _ start: Int, into table: inout RecordFieldsTable
  ) -> Bool {
    let raw = unsafe columns.bytes
    // A line never has a line feed in its fields, so their check does not look for one.
    guard LineScan.lineFeed(in: columns, from: start) == columns.count else { return false }
    var at = start
    for index in 0..<fields {
      let end = at + (unsafe Int(Self.half(raw, lengths + 2 * index)))
      guard end <= columns.count else { return false }
      let field = columns.extracting(at..<end)
      guard let checked = try? RecordFields.check(field), checked == field.count,
        table.append(field) == index
      else { return false }
      at = end
    }
    return at == columns.count
  }

  /// The word at an offset. Unsafe: the caller guarantees that it is in the span, which has all columns.
  @unsafe
  @inline(__always)
  private static func word(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// The two bytes at an offset. Unsafe: the caller guarantees that they are in the span.
  @unsafe
  @inline(__always)
  private static func half(_ bytes: RawSpan, _ offset: Int) -> UInt16 {
    unsafe UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
  }
}
