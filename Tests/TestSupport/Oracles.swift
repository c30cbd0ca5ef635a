// What sort and dedupe should give, by the plainest way there is. Slow on purpose: nothing here is clever.

/// The order of sorted records.
public enum SortOracle {
  /// The records by first number, wider ones first, equal ones in the order in which they came.
  ///
  /// - Complexity: O(n log n).
  public static func sorted(_ records: [TestRecord]) -> [TestRecord] {
    records.enumerated().sorted { one, other in
      if one.element.first != other.element.first { return one.element.first < other.element.first }
      if one.element.last != other.element.last { return one.element.last > other.element.last }
      return one.offset < other.offset
    }.map(\.element)
  }
}

/// What becomes of records that overlap, number by number.
public struct DedupeOracle {
  /// The records that remain, ascending and disjoint: each a longest run of numbers that one record won.
  public var pieces: [TestRecord] = []
  /// How many records won no number at all.
  public var duplicates = 0
  /// How many pieces there are beyond one for each record that won a number.
  public var splits = 0

  /// Decides for each number of a small universe: the narrowest record wins, then the first or the last.
  ///
  /// - Complexity: O(records × numbers they cover).
  public init(sorted records: [TestRecord], keepLast: Bool) {
    var winners: [UInt64: Int] = [:]
    for (index, record) in records.enumerated() {
      for number in record.first...record.last {
        guard let winner = winners[number] else {
          winners[number] = index
          continue
        }
        let width = record.last - record.first
        let winnerWidth = records[winner].last - records[winner].first
        if width < winnerWidth || (width == winnerWidth && keepLast) { winners[number] = index }
      }
    }
    var open: (piece: TestRecord, winner: Int)?
    for number in winners.keys.sorted() {
      let winner = winners[number] ?? 0
      if let last = open, last.winner == winner, last.piece.last + 1 == number {
        open?.piece.last = number
      } else {
        if let last = open { pieces.append(last.piece) }
        open = (TestRecord(number, number, records[winner].annotation), winner)
      }
    }
    if let last = open { pieces.append(last.piece) }
    let winning = Set(winners.values).count
    duplicates = records.count - winning
    splits = pieces.count - winning
  }
}
