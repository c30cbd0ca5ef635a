// The counts of numbers by prefix, country and type, as the numbering plan defines them.

import NumberPlan

/// The numbers with the same prefix, length, region and type.
struct PlanBlock: CountedBlock {
  /// The number of digits after the calling code in a prefix: an area code or an operator's code.
  private static let prefixDigits = 3

  private(set) var first: UInt64 = 1
  private(set) var last: UInt64 = 0
  /// The calling code and the next digits.
  private(set) var prefix: UInt64 = 0
  private(set) var country = RecordCounts.Country(callingCode: 0, region: nil)
  private(set) var type = NumberType.unknown

  init() {}

  /// - Complexity: O(digits).
  init(of number: UInt64) {
    let digits = PrefixBlock(of: number, digits: Self.prefixDigits)
    let plan = NumberPlan.block(ofDigits: number)
    first = max(digits.first, plan.first)
    last = min(digits.last, plan.last)
    prefix = digits.prefix
    country = RecordCounts.Country(callingCode: plan.callingCode, region: plan.region)
    type = plan.type
  }
}

/// Counts by prefix, country and type.
struct PlanTotals: BlockTotals {
  /// The maximum number of distinct prefixes: about as many as are in use worldwide. The numbers of countries and types
  /// are limited by the numbering plan.
  static let prefixesMax = 1 << 16
  /// As many blocks as the North American plan has; half a mebibyte.
  static let slotBits = 13
  /// All numbers of one length have fewer blocks in each calling code; India has 38,557.
  static let piecesMax = 1 << 16
  static let laterPiecesMax = 1024

  private(set) var prefixes: [UInt64: RecordCounts.Count] = [:]
  private(set) var otherPrefixes = RecordCounts.Count()
  private(set) var countries: [RecordCounts.Country: RecordCounts.Count] = [:]
  private(set) var types: [NumberType: RecordCounts.Count] = [:]
  private(set) var unsplit = RecordCounts.Count()

  mutating func add(_ count: RecordCounts.Count, of block: PlanBlock) {
    countries[block.country, default: RecordCounts.Count()].add(count)
    types[block.type, default: RecordCounts.Count()].add(count)
    if prefixes[block.prefix] != nil || prefixes.count < Self.prefixesMax {
      prefixes[block.prefix, default: RecordCounts.Count()].add(count)
    } else {
      otherPrefixes.add(count)
    }
  }

  mutating func add(unsplit entries: UInt64) {
    unsplit.add(RecordCounts.Count(entries: entries))
    otherPrefixes.add(RecordCounts.Count(entries: entries))
  }
}
