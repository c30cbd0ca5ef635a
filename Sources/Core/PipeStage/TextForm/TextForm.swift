// Records and raw rows written as text into a chunk, as many as fit.

import BasicContainers
import CallRecord
import SystemIO

enum TextForm {
  /// Writes the records from `index` on, as many as fit, and returns the index behind the last one written.
  static func write(_ batch: borrowing RecordBatch, from index: Int, into chunk: inout ByteChunk) -> Int {
    var index = index
    chunk.bytes.append(addingCount: chunk.freeCapacity) { output in
      let firsts = batch.firsts.span
      let lasts = batch.lasts.span
      while index < batch.count {
        let annotation = batch[annotationAt: index]
        // Two numbers, two dots, a tab, a line feed.
        guard output.freeCapacity >= annotation.count + 2 * PhoneNumber.digitsMax + 4 else { return }
        write(firsts[index], to: &output)
        if lasts[index] != firsts[index] {
          output.append(Byte.dot)
          output.append(Byte.dot)
          write(lasts[index], to: &output)
        }
        if !annotation.isEmpty {
          output.append(Byte.tab)
          write(annotation, to: &output)
        }
        output.append(Byte.lineFeed)
        index += 1
      }
    }
    return index
  }

  /// Writes the rows from `index` on, as many as fit, and returns the index behind the last one written.
  static func write(_ batch: borrowing RawRowBatch, from index: Int, into chunk: inout ByteChunk) -> Int {
    var index = index
    chunk.bytes.append(addingCount: chunk.freeCapacity) { output in
      while index < batch.count {
        let text = batch[textAt: index]
        let annotation = batch[annotationAt: index]
        guard output.freeCapacity >= 2 * text.count + annotation.count + 2 else { return }
        for at in 0..<text.count {
          if let escape = Byte.escape(text[at]) {
            output.append(Byte.backslash)
            output.append(escape)
          } else {
            output.append(text[at])
          }
        }
        if !annotation.isEmpty {
          output.append(Byte.tab)
          write(annotation, to: &output)
        }
        output.append(Byte.lineFeed)
        index += 1
      }
    }
    return index
  }

  @inline(__always)
  private static func write(_ bytes: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
    for index in 0..<bytes.count { output.append(bytes[index]) }
  }

  @inline(__always)
  private static func write(_ number: UInt64, to output: inout OutputSpan<UInt8>) {
    let (high, low) = number.quotientAndRemainder(dividingBy: 100_000_000)
    if high > 0 {
      append(digits: Decimal.digitCount(high), of: Decimal.eightDigits(UInt32(truncatingIfNeeded: high)), to: &output)
      append(digits: 8, of: Decimal.eightDigits(UInt32(truncatingIfNeeded: low)), to: &output)
    } else {
      append(digits: Decimal.digitCount(low), of: Decimal.eightDigits(UInt32(truncatingIfNeeded: low)), to: &output)
    }
  }

  @inline(__always)
  private static func append(digits: Int, of eight: UInt64, to output: inout OutputSpan<UInt8>) {
    var rest = eight >> UInt64(8 * (8 - digits))
    for _ in 0..<digits {
      output.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }
}
