// Writes records and raw rows as text into a chunk, as many as fit.
//
// Eight bytes at a time: appending single bytes took three times as long, measured over ten million rows.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BasicContainers
import SystemIO

enum TextForm {
  /// Numbers and line ends are stored as whole words, and the last one may extend beyond their end.
  private static let slack = 16 + LineEnds.bytesMax

  /// Writes the records from `index` on, as many as fit, and returns the index after the last one written. `ends` was
  /// made for the batch.
  static func write(
    _ batch: borrowing RecordBatch, from index: Int, _ ends: borrowing LineEnds, into chunk: inout ByteChunk
  ) -> Int {
    var index = index
    let count = batch.count
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    let fieldsIndices = batch.fieldsIndices.span
    _ = unsafe chunk.fill { buffer in
      var pen = unsafe Pen(buffer)
      while index < count {
        // Two numbers, two dots.
        guard pen.freeCapacity >= 2 * PhoneNumber.digitsMax + 2 + slack else { break }
        let first = firsts[index]
        let last = lasts[index]
        let fieldsIndex = Int(fieldsIndices[index])
        let end = ends[fieldsIndex]
        if end.count == 0 {
          // A tab, a line feed.
          let needed = 2 * PhoneNumber.digitsMax + 4 + slack + batch[fieldsAt: index].count
          guard pen.freeCapacity >= needed else { break }
        }
        pen.write(number: first)
        if last != first {
          pen.write(Byte.dot)
          pen.write(Byte.dot)
          pen.write(number: last)
        }
        if end.count > 0 { pen.write(end) } else { pen.write(lineEnd: batch[fieldsAt: index]) }
        index += 1
      }
      return pen.written
    }
    return index
  }

  /// Writes the rows from `index` on, as many as fit, and returns the index after the last one written. `ends` was made
  /// for the batch; `areEscaped` is the result of ``needsEscapes(_:)``.
  static func write(
    _ batch: borrowing RawRowBatch, from index: Int, _ ends: borrowing LineEnds, areEscaped: Bool,
    into chunk: inout ByteChunk
  ) -> Int {
    var index = index
    let fieldsIndices = batch.fieldsIndices.span
    _ = unsafe chunk.fill { buffer in
      var pen = unsafe Pen(buffer)
      while index < batch.count {
        let text = batch[textAt: index]
        let end = ends[Int(fieldsIndices[index])]
        let fieldsCount = end.count > 0 ? 0 : batch[fieldsAt: index].count
        guard pen.freeCapacity >= 2 * text.count + fieldsCount + 2 + slack else { break }
        if areEscaped { pen.write(escaping: text) } else { pen.write(text) }
        if end.count > 0 { pen.write(end) } else { pen.write(lineEnd: batch[fieldsAt: index]) }
        index += 1
      }
      return pen.written
    }
    return index
  }

  /// Whether the text of any row has bytes that are escaped.
  static func needsEscapes(_ batch: borrowing RawRowBatch) -> Bool {
    let texts = batch.allTexts
    let raw = unsafe texts.bytes
    var index = 0
    while index + 8 <= texts.count {
      let word = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self)
      // Control characters that are not escaped may be among these; then each byte is looked at.
      if LineScan.textStops(word) != 0 { return true }
      index += 8
    }
    while index < texts.count {
      if Byte.escape(texts[index]) != nil { return true }
      index += 1
    }
    return false
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
    var freeCapacity: Int { unsafe bytes.count &- written }

    @inline(__always)
    mutating func write(_ byte: UInt8) {
      unsafe bytes.storeBytes(of: byte, toByteOffset: written, as: UInt8.self)
      written &+= 1
    }

    /// Stores a word, of which the bytes up to the next write remain.
    @inline(__always)
    private func store(_ word: UInt64, at offset: Int) {
      unsafe bytes.storeBytes(of: word.littleEndian, toByteOffset: written &+ offset, as: UInt64.self)
    }

    @inline(__always)
    mutating func write(_ end: LineEnds.Words) {
      store(end.word0, at: 0)
      store(end.word1, at: 8)
      if end.count > 16 {
        store(end.word2, at: 16)
        store(end.word3, at: 24)
      }
      written &+= end.count
    }

    /// Writes what follows the number: a tab, the record fields, a line feed.
    mutating func write(lineEnd recordFields: Span<UInt8>) {
      if !recordFields.isEmpty {
        write(Byte.tab)
        write(recordFields)
      }
      write(Byte.lineFeed)
    }

    @inline(__always)
    mutating func write(_ more: Span<UInt8>) {
      let count = more.count
      let raw = unsafe more.bytes
      if count >= 8, count <= 16 {
        // The last word overlaps the one before it. Both lie within the span.
        store(
          unsafe UInt64(littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt64.self)),
          at: 0)
        store(
          unsafe UInt64(
            littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: count &- 8, as: UInt64.self)),
          at: count &- 8)
      } else {
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[written...])
        unsafe more.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
      }
      written &+= count
    }

    mutating func write(escaping text: Span<UInt8>) {
      for at in 0..<text.count {
        let byte = text[at]
        if byte < 0x20 || byte == Byte.backslash, let escape = Byte.escape(byte) {
          write(Byte.backslash)
          write(escape)
        } else {
          write(byte)
        }
      }
    }

    @inline(__always)
    mutating func write(number: UInt64) {
      let (high, low) = number.quotientAndRemainder(dividingBy: 100_000_000)
      let lower = Decimal.eightDigits(UInt32(truncatingIfNeeded: low))
      guard high > 0 else { return writeShort(lower) }
      let upper = Decimal.eightDigits(UInt32(truncatingIfNeeded: high))
      // Together 16 digits, the first `zeros` of which are leading zeros: 1 to 7.
      let zeros = (upper ^ 0x3030_3030_3030_3030).trailingZeroBitCount & ~7
      let shift = UInt64(truncatingIfNeeded: zeros)
      store((upper &>> shift) | (lower &<< 8) &<< (56 &- shift), at: 0)
      store(lower &>> shift, at: 8)
      written &+= 16 &- zeros / 8
    }

    /// Writes a number of at most eight digits.
    private mutating func writeShort(_ digits: UInt64) {
      let zeros = min((digits ^ 0x3030_3030_3030_3030).trailingZeroBitCount & ~7, 56)
      store(digits &>> UInt64(truncatingIfNeeded: zeros), at: 0)
      written &+= 8 &- zeros / 8
    }
  }
}

/// The ends of a batch's lines: a tab, the record fields, a line feed. A list has few labels, so a batch has few
/// different ends; each is made once, as words that are stored without a loop.
struct LineEnds: ~Copyable {
  /// The largest size of a short line end: four words.
  static let bytesMax = 32
  /// The most record fields in a batch whose line ends are made. With more, most are used once.
  static let fieldsMax = 64

  /// A line end, followed by zeros.
  struct Words: BitwiseCopyable {
    var word0: UInt64 = 0
    var word1: UInt64 = 0
    var word2: UInt64 = 0
    var word3: UInt64 = 0
    /// The number of bytes; 0 for a line end that is too long.
    var count = 0
  }

  private var ends = RigidArray<Words>(repeating: Words(), count: Self.fieldsMax)
  private var made = 0

  /// Makes the line ends of a batch's record fields, unless there are too many.
  mutating func make(_ table: borrowing RecordFieldsTable) {
    made = table.count <= Self.fieldsMax ? table.count : 0
    for index in 0..<made { ends[index] = Self.words(table[index]) }
  }

  private static func words(_ recordFields: Span<UInt8>) -> Words {
    var words = Words()
    let tab = recordFields.isEmpty ? 0 : 1
    guard recordFields.count + tab + 1 <= bytesMax else { return words }
    words.count = recordFields.count + tab + 1
    for at in 0..<words.count {
      let byte =
        at < tab ? Byte.tab : at == words.count - 1 ? Byte.lineFeed : recordFields[at - tab]
      let bits = UInt64(byte) << UInt64(8 * (at % 8))
      switch at / 8 {
      case 0: words.word0 |= bits
      case 1: words.word1 |= bits
      case 2: words.word2 |= bits
      default: words.word3 |= bits
      }
    }
    return words
  }

  /// The end of a line with the record fields at `index`; its count is 0 if none was made.
  @inline(__always)
  subscript(index: Int) -> Words {
    index < made ? ends[index] : Words()
  }
}
