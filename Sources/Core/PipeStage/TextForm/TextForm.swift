// Writes records and raw rows as text into a chunk, as many as fit.
//
// Eight bytes at a time: appending single bytes took three times as long, measured over ten million rows.

import BasicContainers
import CallRecord
import SystemIO

enum TextForm {
  /// A number is stored as two words, and the second may extend beyond its end.
  private static let slack = 16

  /// Writes the records from `index` on, as many as fit, and returns the index after the last one written.
  static func write(_ batch: borrowing RecordBatch, from index: Int, into chunk: inout ByteChunk) -> Int {
    var index = index
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    _ = unsafe chunk.fill { buffer in
      var pen = unsafe Pen(buffer)
      while index < batch.count {
        let recordFields = batch[fieldsAt: index]
        // Two numbers, two dots, a tab, a line feed.
        guard pen.freeCapacity >= recordFields.count + 2 * PhoneNumber.digitsMax + 4 + slack else { break }
        pen.write(number: firsts[index])
        if lasts[index] != firsts[index] {
          pen.write(Byte.dot)
          pen.write(Byte.dot)
          pen.write(number: lasts[index])
        }
        if !recordFields.isEmpty {
          pen.write(Byte.tab)
          pen.write(recordFields)
        }
        pen.write(Byte.lineFeed)
        index += 1
      }
      return pen.written
    }
    return index
  }

  /// Writes the rows from `index` on, as many as fit, and returns the index after the last one written.
  static func write(_ batch: borrowing RawRowBatch, from index: Int, into chunk: inout ByteChunk) -> Int {
    var index = index
    _ = unsafe chunk.fill { buffer in
      var pen = unsafe Pen(buffer)
      while index < batch.count {
        let text = batch[textAt: index]
        let recordFields = batch[fieldsAt: index]
        guard pen.freeCapacity >= 2 * text.count + recordFields.count + 2 + slack else { break }
        for at in 0..<text.count {
          let byte = text[at]
          if byte < 0x20 || byte == Byte.backslash, let escape = Byte.escape(byte) {
            pen.write(Byte.backslash)
            pen.write(escape)
          } else {
            pen.write(byte)
          }
        }
        if !recordFields.isEmpty {
          pen.write(Byte.tab)
          pen.write(recordFields)
        }
        pen.write(Byte.lineFeed)
        index += 1
      }
      return pen.written
    }
    return index
  }

  /// Appends to raw memory. The caller checks `freeCapacity` first.
  @safe
  private struct Pen {
    private let bytes: UnsafeMutableRawBufferPointer
    private(set) var written = 0

    init(_ bytes: UnsafeMutableRawBufferPointer) {
      unsafe self.bytes = bytes
    }

    @inline(__always)
    var freeCapacity: Int { unsafe bytes.count - written }

    @inline(__always)
    mutating func write(_ byte: UInt8) {
      unsafe bytes.storeBytes(of: byte, toByteOffset: written, as: UInt8.self)
      written += 1
    }

    @inline(__always)
    mutating func write(_ more: Span<UInt8>) {
      let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[written...])
      unsafe more.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      written += more.count
    }

    @inline(__always)
    mutating func write(number: UInt64) {
      let (high, low) = number.quotientAndRemainder(dividingBy: 100_000_000)
      if high > 0 {
        write(digits: Decimal.digitCount(high), of: UInt32(truncatingIfNeeded: high))
        write(digits: 8, of: UInt32(truncatingIfNeeded: low))
      } else {
        write(digits: Decimal.digitCount(low), of: UInt32(truncatingIfNeeded: low))
      }
    }

    @inline(__always)
    private mutating func write(digits: Int, of value: UInt32) {
      let word = (Decimal.eightDigits(value) >> UInt64(8 * (8 - digits))).littleEndian
      unsafe bytes.storeBytes(of: word, toByteOffset: written, as: UInt64.self)
      written += digits
    }
  }
}
