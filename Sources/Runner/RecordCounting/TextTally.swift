// Counts by label or by source, in bounded memory.

import Records
import SystemIO

/// Counts by text, exactly for the first distinct texts and together for the others.
struct TextTally {
  /// The maximum size of a text that is counted separately, in bytes; longer ones are prose rather than labels.
  static let textBytesMax = 1024
  /// The maximum size of all texts together, in bytes.
  static let bytesMax = 8 << 20

  /// The maximum number of distinct texts.
  let textsMax: Int
  /// Counts by text, escaped as in record fields.
  private var counts: [[UInt8]: RecordCounts.Count] = [:]
  private var others = RecordCounts.Count()
  private var bytes = 0
  /// The buffer for the text that is being looked up.
  private var text: [UInt8] = []

  init(textsMax: Int) {
    self.textsMax = textsMax
  }

  /// Adds the count of an escaped text.
  ///
  /// - Complexity: O(bytes) on average.
  mutating func add(_ escaped: Span<UInt8>, _ count: RecordCounts.Count) {
    guard escaped.count <= Self.textBytesMax else { return others.add(count) }
    text.removeAll(keepingCapacity: true)
    text.append(copying: escaped)
    if let place = counts.index(forKey: text) {
      counts.values[place].add(count)
    } else if counts.count < textsMax, bytes + text.count <= Self.bytesMax {
      counts[text] = count
      bytes += text.count
    } else {
      others.add(count)
    }
  }

  /// Returns the counts by text without escapes, and the count of all other texts.
  func result() -> (counts: [[UInt8]: RecordCounts.Count], others: RecordCounts.Count) {
    var result: [[UInt8]: RecordCounts.Count] = [:]
    result.reserveCapacity(counts.count)
    for (escaped, count) in counts {
      result[Array(RecordFields.fields(escaped.span).label.utf8), default: RecordCounts.Count()].add(count)
    }
    return (result, others)
  }
}
