// Writes batches as blocks of the packed form.

import BasicContainers
import Hashing
import SystemIO

/// A stream that is being written: its header, the blocks so far, its end mark.
struct PackedOutput {
  private let kind: PackedForm.Rows
  private var hasHeader = false
  /// The number of rows in the blocks so far.
  var rows: UInt64 = 0

  init(_ kind: PackedForm.Rows) {
    self.kind = kind
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
