// The numbers of rows for a command that keeps every row: each row has one number, or the reason why it has none.

package import BasicContainers
package import Records

/// Reads the numbers of rows as ``Normalizer`` does.
package struct RowNumbers: ~Copyable {
  /// The results from this value on are indices in ``reasons``, counted down from the largest value. Numbers are below.
  package static let reasonMin = UInt64.max - 255
  /// The reason of a row with a pattern, a prefix or a range. It may have many numbers.
  private static let pattern = "pattern"

  /// The number of each row, or its reason.
  package private(set) var results = RigidArray<UInt64>(capacity: RawRowBatch.rowsMax)
  /// The codes of the reasons.
  package private(set) var reasons: [String] = []
  private var prefixCache: PrefixCache

  package init(_ options: NormalizeOptions) { prefixCache = PrefixCaches.take(options) }

  /// Reads the numbers of a batch into ``results``, in place of those of the last one.
  package mutating func read(_ rows: borrowing RawRowBatch) {
    results.removeAll()
    var row = prefixCache.read(rows, from: 0, into: &results)
    while row < rows.count {
      do throws(NormalizeReject) {
        if let number = try number(rows[textAt: row]) {
          results.append(number)
        } else {
          append(reason: Self.pattern)
        }
      } catch {
        append(reason: error.code)
      }
      row = prefixCache.read(rows, from: row + 1, into: &results)
    }
  }

  /// Returns the number of a text; nil for several numbers.
  private mutating func number(_ text: Span<UInt8>) throws(NormalizeReject) -> UInt64? {
    if NumberMask.mayHaveWildcards(text), let ranges = try NumberPattern.ranges(text, prefixCache.reader) {
      guard ranges.count == 1, ranges[0].count == 1 else { return nil }
      return ranges[0].lowerBound
    }
    return try prefixCache.read(text)
  }

  private mutating func append(reason code: String) {
    let index = reasons.firstIndex(of: code) ?? reasons.count
    if index == reasons.count { reasons.append(code) }
    results.append(UInt64.max - UInt64(index))
  }
}
