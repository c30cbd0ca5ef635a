// Counts a stream's numbers by country calling code, in bounded memory.
//
// For all runs, with or without a report. Not for whether numbers are valid, or for regions that share a calling code
// (RecordTally).

package import Records
import NumberPlan

/// Counts numbers by country calling code. Records may be in any order.
package struct CountryTally: ~Copyable {
  private var blocks = BlockTally<CallingCodeTotals>()

  /// Creates counts of zero.
  package init() {}

  /// Counts a batch.
  ///
  /// - Complexity: O(records), plus a lookup for each change of the calling code or of the length.
  package mutating func count(_ batch: borrowing RecordBatch) { blocks.count(batch) }

  /// Returns the counts, the country with the most numbers first, and resets them.
  package mutating func take() -> [CountryCounts.Country] {
    blocks.take().counts.map { code, count in
      CountryCounts.Country(
        callingCode: code, region: NumberPlan.regions(callingCode: code).first?.code, records: count.records,
        entries: count.entries)
    }.sorted { one, other in
      one.entries != other.entries ? one.entries > other.entries : one.callingCode < other.callingCode
    }
  }
}

/// The numbers with the same calling code and length.
private struct CallingCodeBlock: CountedBlock {
  let first: UInt64
  let last: UInt64
  let callingCode: UInt16

  init() { self.init(PrefixBlock()) }

  init(of number: UInt64) { self.init(PrefixBlock(of: number, digits: 0)) }

  private init(_ block: PrefixBlock) {
    first = block.first
    last = block.last
    callingCode = block.callingCode
  }
}

/// Counts by calling code; 0 for digits without a known calling code.
private struct CallingCodeTotals: BlockTotals {
  static let slotBits = 8
  /// All numbers of up to 15 digits have fewer than 1,000 blocks per length.
  static let piecesMax = 16_384
  static let laterPiecesMax = 16_384
  private(set) var counts: [UInt16: RecordCounts.Count] = [:]

  mutating func add(_ count: RecordCounts.Count, of block: CallingCodeBlock) {
    counts[block.callingCode, default: RecordCounts.Count()].add(count)
  }

  mutating func add(unsplit entries: UInt64) {
    counts[0, default: RecordCounts.Count()].add(RecordCounts.Count(entries: entries))
  }
}
