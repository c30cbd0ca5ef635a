// Blocks of the packed form, read into batches and written from them. Every value that is read is checked: a
// stream may be damaged, or made to do harm.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BasicContainers
import Hashing
import SystemIO

extension PackedFormBlock {
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
  @unsafe @inline(__always)
  private static func word(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// The two bytes at an offset. Unsafe: the caller guarantees that they are in the span.
  @unsafe @inline(__always)
  private static func half(_ bytes: RawSpan, _ offset: Int) -> UInt16 {
    unsafe UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt16.self))
  }
}

/// A stream that is being written: its header, the blocks so far, its end mark.
struct PackedOutput {
  private let kind: PackedForm.Rows
  private var hasHeader: Bool
  /// The number of rows in the blocks so far.
  var rows: UInt64 = 0

  /// - Parameter hasHeader: whether the header was already written.
  init(_ kind: PackedForm.Rows, hasHeader: Bool = false) {
    self.kind = kind
    self.hasHeader = hasHeader
  }

  /// Writes the header before the first block, at the start of an empty chunk.
  mutating func begin(_ chunk: inout ByteChunk) {
    if hasHeader { return }
    hasHeader = true
    chunk.append(PackedForm.streamHeader(kind).span)
  }

  /// Writes the end mark, and the header if there was no block, to an empty chunk.
  mutating func end(_ chunk: inout ByteChunk) {
    begin(&chunk)
    PackedForm.writeEnd(rows: rows, into: &chunk)
  }
}

extension PackedForm {
  /// Appends a batch of records as a block, if it fits into the chunk; otherwise returns false.
  static func write(_ batch: borrowing RecordBatch, rowsBefore: UInt64, into chunk: inout ByteChunk) -> Bool {
    var block = PackedFormBlock()
    block.rows = batch.count
    block.hasRanges = !batch.isSingles
    block.rowsBefore = rowsBefore
    let hasRanges = block.hasRanges
    return write(block, .records, batch.fieldsTable, batch.fieldsIndices.span, into: &chunk) { pen in
      pen.write(words: batch.firsts.span)
      if hasRanges { pen.write(words: batch.lasts.span) }
    }
  }

  /// Appends a batch of raw rows as a block, if it fits into the chunk; otherwise returns false.
  static func write(_ batch: borrowing RawRowBatch, rowsBefore: UInt64, into chunk: inout ByteChunk) -> Bool {
    var block = PackedFormBlock()
    block.rows = batch.count
    block.textBytes = batch.allTexts.count
    block.rowsBefore = rowsBefore
    return write(block, .rawRows, batch.fieldsTable, batch.fieldsIndices.span, into: &chunk) { pen in
      pen.write(lengthsOf: batch.allTextEnds)
      pen.write(batch.allTexts)
    }
  }

  /// Appends a block of bytes, at most ``bytesPerBlockMax``. The caller checks that it fits into the chunk.
  static func write(bytes: Span<UInt8>, before: UInt64, into chunk: inout ByteChunk) {
    var block = PackedFormBlock()
    block.rows = bytes.count
    block.rowsBefore = before
    precondition(chunk.freeCapacity >= blockHeaderBytes + bytes.count, "the chunk is too small for a block")
    _ = unsafe chunk.fill { buffer in
      var pen = unsafe Pen(buffer)
      pen.skip(blockHeaderBytes)
      pen.write(bytes)
      pen.writeHeader(block)
      return pen.written
    }
  }

  /// Appends the end mark of a stream with this many rows.
  static func writeEnd(rows: UInt64, into chunk: inout ByteChunk) {
    var block = PackedFormBlock()
    block.rowsBefore = rows
    _ = unsafe chunk.fill { buffer in
      var pen = unsafe Pen(buffer)
      pen.skip(blockHeaderBytes)
      pen.writeHeader(block)
      return pen.written
    }
  }

  /// Appends a block. `writeRows` writes the columns of its kind, which come before the record fields.
  private static func write(
    _ rows: PackedFormBlock, _ kind: Rows, _ table: borrowing RecordFieldsTable,
    _ fieldsIndices: Span<UInt32>, into chunk: inout ByteChunk, _ writeRows: (inout Pen) -> Void
  ) -> Bool {
    var block = rows
    block.fields = table.count
    block.fieldsBytes = table.text.count
    guard chunk.freeCapacity >= blockHeaderBytes + block.columnBytes(kind) else { return false }
    _ = unsafe chunk.fill { buffer in
      var pen = unsafe Pen(buffer)
      pen.skip(blockHeaderBytes)
      writeRows(&pen)
      pen.write(indices: fieldsIndices, bytesEach: block.indexBytes)
      pen.write(lengthsOf: table.textEnds)
      pen.write(table.text)
      pen.writeHeader(block)
      return pen.written
    }
    return true
  }

  /// Appends to raw memory. The caller checks that all columns fit.
  @safe
  private struct Pen {
    private let bytes: UnsafeMutableRawBufferPointer
    private(set) var written = 0

    init(_ bytes: UnsafeMutableRawBufferPointer) {
      unsafe self.bytes = bytes
    }

    mutating func skip(_ count: Int) {
      written += count
    }

    mutating func write(words: Span<UInt64>) {
      for index in words.indices {
        unsafe bytes.storeBytes(
          of: words[index].littleEndian, toByteOffset: written &+ 8 &* index, as: UInt64.self)
      }
      written += 8 * words.count
    }

    /// Writes the lengths of texts, each of which ends where the next one starts.
    mutating func write(lengthsOf ends: Span<UInt32>) {
      var start: UInt32 = 0
      for index in ends.indices {
        let length = UInt16(truncatingIfNeeded: ends[index] &- start)
        unsafe bytes.storeBytes(
          of: length.littleEndian, toByteOffset: written &+ 2 &* index, as: UInt16.self)
        start = ends[index]
      }
      written += 2 * ends.count
    }

    mutating func write(indices: Span<UInt32>, bytesEach: Int) {
      if bytesEach == 1 {
        for index in indices.indices {
          unsafe bytes.storeBytes(
            of: UInt8(truncatingIfNeeded: indices[index]), toByteOffset: written &+ index, as: UInt8.self)
        }
      } else {
        for index in indices.indices {
          unsafe bytes.storeBytes(
            of: UInt16(truncatingIfNeeded: indices[index]).littleEndian,
            toByteOffset: written &+ 2 &* index, as: UInt16.self)
        }
      }
      written += bytesEach * indices.count
    }

    mutating func write(_ more: Span<UInt8>) {
      guard !more.isEmpty else { return }
      let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[written...])
      unsafe more.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      written += more.count
    }

    /// Writes the header at the start, when everything after it has been written.
    func writeHeader(_ block: PackedFormBlock) {
      let words: [UInt32] = [
        UInt32(block.rows), UInt32(block.fields), UInt32(block.fieldsBytes), UInt32(block.textBytes),
        UInt32(truncatingIfNeeded: block.rowsBefore), UInt32(truncatingIfNeeded: block.rowsBefore >> 32),
        block.hasRanges ? 1 : 0,
      ]
      for (index, word) in words.enumerated() {
        unsafe bytes.storeBytes(of: word.littleEndian, toByteOffset: 4 * index, as: UInt32.self)
      }
      let header = unsafe RawSpan(
        _unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[..<(blockHeaderBytes - 4)]))
      let columns = unsafe RawSpan(
        _unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[blockHeaderBytes..<written]))
      let checksum = CRC32C.checksum(columns, after: CRC32C.checksum(header))
      unsafe bytes.storeBytes(
        of: checksum.littleEndian, toByteOffset: blockHeaderBytes - 4, as: UInt32.self)
    }
  }
}
