// Counts a list's records for a report or for `cdpipe stats`, in bounded memory and without expanding ranges.
//
// Records of one batch refer to few distinct fields, so they are counted by their index, and a label is looked up once
// per batch.

import BasicContainers
package import NumberPlan
package import Records
import SystemIO

/// Counts records by label, source, score, day, prefix, country and type. Records may be in any order.
package struct RecordTally: ~Copyable {
  /// The maximum number of distinct labels in a report. Most lists have a few dozen; a list with millions has a distinct
  /// label per number, which is not worth counting.
  package static let labelsMax = 4096

  private var all = RecordCounts.Count()
  private var ranges: UInt64 = 0
  private var labels: TextTally
  private var sources: TextTally?
  private var values = ValueTally()
  private var blocks = BlockTally<PlanTotals>()
  private let labelsMax: Int
  private let sourcesMax: Int
  /// The counts of the current batch by index of the record fields: records, and numbers beyond the first of each
  /// record.
  private var records: [UInt32] = []
  private var extras: [UInt64] = []

  /// Creates counts of zero.
  ///
  /// - Parameters:
  ///   - labelsMax: the maximum number of distinct labels that are counted separately.
  ///   - sourcesMax: the same for sources; 0 if they are not counted, nor are scores and days.
  package init(labelsMax: Int = Self.labelsMax, sourcesMax: Int = 0) {
    self.labelsMax = labelsMax
    self.sourcesMax = sourcesMax
    labels = TextTally(textsMax: labelsMax)
    sources = sourcesMax > 0 ? TextTally(textsMax: sourcesMax) : nil
  }

  package mutating func count(_ batch: borrowing RecordBatch) {
    blocks.count(batch)
    let fields = batch.fieldsTable.count
    records.removeAll(keepingCapacity: true)
    records.append(contentsOf: repeatElement(0, count: fields))
    extras.removeAll(keepingCapacity: true)
    extras.append(contentsOf: repeatElement(0, count: fields))
    Self.countRecords(batch.fieldsIndices.span, &records)
    if !batch.isSingles { ranges &+= Self.countRanges(batch, &extras) }
    for index in 0..<fields where records[index] > 0 {
      let count = RecordCounts.Count(
        records: UInt64(records[index]), entries: extras[index] &+ UInt64(records[index]))
      all.add(count)
      add(batch.fieldsTable[index], count)
    }
  }

  private static func countRecords(_ fieldsIndices: Span<UInt32>, _ records: inout [UInt32]) {
    // A batch has a few thousand records, so this can't overflow.
    if records.count == 1 {
      records[0] = UInt32(fieldsIndices.count)
    } else {
      var records = records.mutableSpan
      for at in fieldsIndices.indices { records[Int(fieldsIndices[at])] &+= 1 }
    }
  }

  /// Counts the numbers of ranges; returns the number of ranges.
  private static func countRanges(_ batch: borrowing RecordBatch, _ extras: inout [UInt64]) -> UInt64 {
    let firsts = batch.firsts.span
    let lasts = batch.lasts.span
    let fieldsIndices = batch.fieldsIndices.span
    var extras = extras.mutableSpan
    var ranges: UInt64 = 0
    for at in firsts.indices where lasts[at] != firsts[at] {
      extras[Int(fieldsIndices[at])] &+= lasts[at] &- firsts[at]
      ranges &+= 1
    }
    return ranges
  }

  private mutating func add(_ recordFields: Span<UInt8>, _ count: RecordCounts.Count) {
    guard sourcesMax > 0 else {
      return labels.add(recordFields.extracting(0..<RecordFields.labelLength(recordFields)), count)
    }
    let parts = RecordFields.parts(recordFields)
    labels.add(recordFields.extracting(parts.label), count)
    sources?.add(recordFields.extracting(parts.source), count)
    values.add(
      score: parts.score.isEmpty ? nil : RecordFields.score(recordFields),
      day: RecordFields.day(recordFields),
      count)
  }

  package mutating func take() -> RecordCounts {
    var counts = RecordCounts()
    counts.all = all
    counts.ranges = ranges
    (counts.labels, counts.otherLabels) = labels.result()
    if let sources { (counts.sources, counts.otherSources) = sources.result() }
    values.write(to: &counts)
    let totals = blocks.take()
    counts.prefixes = totals.prefixes
    counts.otherPrefixes = totals.otherPrefixes
    counts.countries = totals.countries
    counts.types = totals.types
    counts.unsplit = totals.unsplit.entries
    all = RecordCounts.Count()
    ranges = 0
    labels = TextTally(textsMax: labelsMax)
    sources = sourcesMax > 0 ? TextTally(textsMax: sourcesMax) : nil
    values = ValueTally()
    return counts
  }
}

// MARK: - The counts of a list's records: by label, source, prefix, country and type

package struct RecordCounts: Equatable, Sendable {
  /// A count of records and of the single numbers in them.
  package struct Count: Equatable, Sendable {
    /// Records; a range counts once.
    package var records: UInt64 = 0
    /// Single numbers; `UInt64.max` if there are more, which only ranges made for the purpose can reach.
    package var entries: UInt64 = 0

    package init(records: UInt64 = 0, entries: UInt64 = 0) {
      self.records = records
      self.entries = entries
    }

    package var isZero: Bool { records == 0 && entries == 0 }

    package mutating func add(_ other: Count) {
      records &+= other.records
      entries = entries.addingSaturated(other.entries)
    }
  }

  package struct Country: Hashable, Sendable {
    /// The country calling code; 0 for digits that start with none.
    package var callingCode: UInt16
    /// The region; nil if the numbers are not valid and several regions share the calling code.
    package var region: Region?

    package init(callingCode: UInt16, region: Region?) {
      self.callingCode = callingCode
      self.region = region
    }
  }

  /// The scores of the records that have one.
  package struct Scores: Equatable, Sendable {
    package var records: UInt64 = 0
    /// Of an even number of records, the lower one in the middle; nil if there are too many different scores.
    package var median: Int64?
    /// The sum, or the end of the range of 64 bits that it is beyond.
    package var sum: Int64 = 0
    package var largest = Int64.min
  }

  /// The days of the records that have one.
  package struct Days: Equatable, Sendable {
    package var records: UInt64 = 0
    package var newest: CalendarDay
    /// As of scores.
    package var median: CalendarDay?
    /// Counts by month, such as `2026-11`; empty for records without a day.
    package var months: [String: Count] = [:]
    /// The count of days beyond the maximum number.
    package var others = Count()
  }

  package var all = Count()
  package var ranges: UInt64 = 0
  /// Nil if no record has a score, or if they are not counted.
  package var scores: Scores?
  /// Nil if no record has a day, or if they are not counted.
  package var days: Days?
  /// Counts by label, without escapes.
  package var labels: [[UInt8]: Count] = [:]
  /// The count of labels beyond the maximum number.
  package var otherLabels = Count()
  /// Counts by source, without escapes.
  package var sources: [[UInt8]: Count] = [:]
  /// The count of sources beyond the maximum number.
  package var otherSources = Count()
  /// Counts by prefix: the calling code and three more digits.
  package var prefixes: [UInt64: Count] = [:]
  /// The count of prefixes beyond the maximum number, and of ranges that span too many prefixes to be split.
  package var otherPrefixes = Count()
  package var countries: [Country: Count] = [:]
  package var types: [NumberType: Count] = [:]
  /// The numbers of ranges that span too many prefixes to be split; they are in no country and of no type.
  package var unsplit: UInt64 = 0
}

// MARK: - The counts of numbers by prefix, country and type, as the numbering plan defines them

/// The numbers with the same prefix, length, region and type.
struct PlanBlock: CountedBlock {
  /// The number of digits after the calling code in a prefix: an area code or an operator's code.
  private static let prefixDigits = 3

  private(set) var first: UInt64 = 1
  private(set) var last: UInt64 = 0
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

// MARK: - Counts by label or by source, in bounded memory

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

  init(textsMax: Int) { self.textsMax = textsMax }

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

// MARK: - The scores and days of records, in bounded memory

/// Counts records by score and by day, exactly for the first distinct values and together for the others. A range has one
/// score and one day.
struct ValueTally {
  /// The maximum number of distinct scores, and of distinct days: those of 179 years.
  static let valuesMax = 1 << 16

  private struct Counts {
    var counts: [Int64: RecordCounts.Count] = [:]
    var others = RecordCounts.Count()
    var records: UInt64 = 0

    mutating func add(_ value: Int64, _ count: RecordCounts.Count) {
      records &+= count.records
      if let place = counts.index(forKey: value) {
        counts.values[place].add(count)
      } else if counts.count < valuesMax {
        counts[value] = count
      } else {
        others.add(count)
      }
    }

    /// The lower value in the middle; nil if not all are counted.
    var median: Int64? {
      guard others.isZero else { return nil }
      var rest = (records &+ 1) / 2
      for (value, count) in counts.sorted(by: { $0.key < $1.key }) {
        if count.records >= rest { return value }
        rest -= count.records
      }
      return nil
    }
  }

  private var scores = Counts()
  private var sum: Int128 = 0
  private var largest = Int64.min
  private var days = Counts()
  private var newest: CalendarDay?
  private var undated = RecordCounts.Count()

  mutating func add(score: Int64?, day: CalendarDay?, _ count: RecordCounts.Count) {
    if let score {
      scores.add(score, count)
      sum &+= Int128(score) &* Int128(count.records)
      largest = max(largest, score)
    }
    if let day {
      days.add(Int64(day.number), count)
      newest = max(newest ?? day, day)
    } else {
      undated.add(count)
    }
  }

  func write(to counts: inout RecordCounts) {
    if scores.records > 0 {
      counts.scores = RecordCounts.Scores(
        records: scores.records, median: scores.median, sum: Int64(clamping: sum), largest: largest)
    }
    guard let newest else { return }
    var result = RecordCounts.Days(
      records: days.records, newest: newest,
      median: days.median.flatMap { CalendarDay(number: Int(clamping: $0)) }, others: days.others)
    for (number, count) in days.counts {
      guard let day = CalendarDay(number: Int(clamping: number)) else { continue }
      result.months[String(day.text.dropLast(3)), default: RecordCounts.Count()].add(count)
    }
    if !undated.isZero { result.months[""] = undated }
    counts.days = result
  }
}

// MARK: - Counts a stream's numbers by country calling code, in bounded memory
//
// For all runs, with or without a report.

/// Counts numbers by country calling code. Records may be in any order.
package struct CountryTally: ~Copyable {
  private var blocks = BlockTally<CallingCodeTotals>()

  package init() {}

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

// MARK: - The largest counts of many, and the sum of the others

/// Counts by name, the one with the most numbers first, or the last name first.
package struct RankedCounts<Name> {
  /// What is not listed.
  package struct Others {
    /// How many names are not listed; nil if unknown.
    package let names: Int?
    package let count: RecordCounts.Count
  }

  package let listed: [(name: Name, count: RecordCounts.Count)]
  /// The others; nil if all are listed.
  package let others: Others?

  /// Ranks counts. Equal ones are in the order of their names.
  package init(
    _ counts: some Sequence<(key: Name, value: RecordCounts.Count)>, rest: RecordCounts.Count = .init(),
    listedMax: Int?, lastFirst: Bool = false, text: (Name) -> String
  ) {
    let sorted = counts.map { (name: $0.key, count: $0.value, text: text($0.key)) }.sorted { one, other in
      if lastFirst { return one.text > other.text }
      return one.count.entries != other.count.entries
        ? one.count.entries > other.count.entries : one.text < other.text
    }
    listed = sorted.prefix(listedMax ?? sorted.count).map { ($0.name, $0.count) }
    let unlisted = sorted.dropFirst(listed.count)
    var sum = rest
    for item in unlisted { sum.add(item.count) }
    others =
      unlisted.isEmpty && rest.isZero ? nil : Others(names: rest.isZero ? unlisted.count : nil, count: sum)
  }
}
