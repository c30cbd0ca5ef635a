// Counts a list's records for a report or for `cdpipe stats`, in bounded memory and without expanding ranges.
//
// Records of one batch refer to few distinct fields, so they are counted by their index, and a label is looked up once
// per batch. Not for displaying the counts (the command layer), or for the labels of a shard (EmitStage).

import BasicContainers
package import Records

/// Counts records by label, source, prefix, country and type. Records may be in any order.
package struct RecordTally: ~Copyable {
  /// The maximum number of distinct labels in a report. Most lists have a few dozen; a list with millions has a distinct
  /// label per number, which is not worth counting.
  package static let labelsMax = 4096

  private var all = RecordCounts.Count()
  private var ranges: UInt64 = 0
  private var labels: TextTally
  private var sources: TextTally?
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
  ///   - sourcesMax: the same for sources; 0 if they are not counted.
  package init(labelsMax: Int = Self.labelsMax, sourcesMax: Int = 0) {
    self.labelsMax = labelsMax
    self.sourcesMax = sourcesMax
    labels = TextTally(textsMax: labelsMax)
    sources = sourcesMax > 0 ? TextTally(textsMax: sourcesMax) : nil
  }

  /// Counts a batch.
  ///
  /// - Complexity: O(records), plus a lookup for each distinct label and each change of the block of numbers.
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
  }

  /// Returns the counts and resets them.
  package mutating func take() -> RecordCounts {
    var counts = RecordCounts()
    counts.all = all
    counts.ranges = ranges
    (counts.labels, counts.otherLabels) = labels.result()
    if let sources { (counts.sources, counts.otherSources) = sources.result() }
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
    return counts
  }
}
