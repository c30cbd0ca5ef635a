// The ends of a batch's lines in the text form: a tab, the record fields, a line feed. A list has few labels, so a batch
// has few different ends; each is made once, as words that are stored without a loop.

import BasicContainers

/// The short line ends of one batch.
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
  /// The number of record fields of the batch whose line ends were made.
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
