// `--infer 10:4,100:3`: blocks of consecutive numbers many of which are listed are listed whole.
//
// Callers who change their number often stay within the block that their carrier has leased to them. The rule of four in
// ten and three such blocks in a hundred is PhoneBlock's (haumacher/phoneblock#254).

import BasicContainers
import NumberPlan
import Records
import SystemIO

/// A block of `size` numbers becomes a range if at least `count` of its parts are listed: of its numbers for the smallest
/// size, else of its blocks of the size before.
package struct InferenceRule: Equatable, Sendable {
  /// The largest block. All records of one are held.
  package static let sizeMax: UInt64 = 10_000

  package let size: UInt64
  package let count: UInt64

  /// Parses rules such as `10:4,100:3`.
  ///
  /// - Returns: nil unless sizes are powers of ten that increase, and counts are possible.
  package static func rules(_ text: String) -> [InferenceRule]? {
    var rules: [InferenceRule] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let numbers = part.split(separator: ":", omittingEmptySubsequences: false).map { UInt64($0) }
      guard numbers.count == 2, let size = numbers[0], let count = numbers[1], part == "\(size):\(count)"
      else {
        return nil
      }
      let parts = rules.last.map { size / $0.size } ?? size
      guard [10, 100, 1000, sizeMax].contains(size), size > rules.last?.size ?? 1,
        (rules.isEmpty ? 2...parts : 1...parts).contains(count)
      else { return nil }
      rules.append(InferenceRule(size: size, count: count))
    }
    return rules
  }
}

/// Fills the gaps of dense blocks between disjoint records in ascending order. Records that are listed stay as they are.
///
/// A block is filled only if all of its numbers are valid and have the same country and type.
///
/// - Complexity: O(n log n) in the records of a block, and O(`sizeMax`) memory.
final class BlockInference: RecordSink {
  /// The most bytes of the different record fields in a block.
  static let fieldsBytesMax = 8 << 20
  /// The overhead of each of them.
  private static let overheadBytes = 128

  private let rules: [InferenceRule]
  private let size: UInt64
  private let percentMax: Double?
  private let meter: StageMeter
  private let log: ConflictLog?
  private let observe: (@Sendable (DedupeNotice) -> Void)?
  private let downstream: any RecordSink
  private var output = RecordBatch()

  /// A part of a record that lies in the block. `record` has the numbers of the whole record where it is to be written.
  private struct RecordPart {
    let first: UInt64
    let last: UInt64
    let fields: Int
    let record: ClosedRange<UInt64>?
  }

  /// The start of the block that is held.
  private var start: UInt64 = 0
  private var held: [RecordPart] = []
  private var fields: [[UInt8]] = []
  /// The index in ``fields`` of each, by its hash.
  private var fieldsIndices: [UInt64: Int] = [:]
  private let hashes = WideHash()
  /// The index in the output batch of each of ``fields``; -1 if it is not there.
  private var outputIndices: [Int] = []
  private var fieldsBytes = 0
  /// Those that were there before the block.
  private var formerBytes = 0
  /// The index in ``fields`` of each of the input batch's record fields; -1 if it is not known yet.
  private var known: [Int] = []
  /// Numbers of the same country and type.
  private var plan: (first: UInt64, last: UInt64, isValid: Bool) = (1, 0, false)
  private var blocks: UInt64 = 0
  private var inferred: UInt64 = 0
  private var all: UInt64 = 0

  init(
    _ rules: [InferenceRule], _ options: DedupeOptions, _ meter: StageMeter, _ log: ConflictLog?,
    _ downstream: any RecordSink
  ) {
    self.rules = rules
    size = rules.last?.size ?? 1
    percentMax = options.inferredPercentMax
    self.meter = meter
    self.log = log
    observe = options.observe
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    forgetFields(count: batch.fieldsTable.count)
    for index in 0..<batch.count {
      let (first, last) = (batch.firsts[index], batch.lasts[index])
      if first - start >= size { try begin(blockOf: first, count: batch.fieldsTable.count) }
      let fieldsIndex = Int(batch.fieldsIndices[index])
      if known[fieldsIndex] < 0 { known[fieldsIndex] = try add(batch.fieldsTable[fieldsIndex]) }
      let end = start + (size - 1)
      held.append(
        RecordPart(first: first, last: min(last, end), fields: known[fieldsIndex], record: first...last))
      guard last > end else { continue }
      // The blocks between its first and its last one are full.
      try begin(blockOf: last, count: batch.fieldsTable.count)
      let rest = try add(batch.fieldsTable[fieldsIndex])
      known[fieldsIndex] = rest
      held.append(RecordPart(first: start, last: last, fields: rest, record: nil))
    }
    batch.removeAll()
  }

  func finish() throws(Failure) {
    try writeBlock()
    try flush()
    if let percentMax, Double(inferred) * 100 > Double(all) * percentMax {
      throw Failure(
        .dedupe, .badData, "too-much-inferred",
        "\(option: "infer") adds \(Figures.grouped(inferred)) of \(Figures.grouped(all)) numbers (\(Figures.share(inferred, of: all))), "
          + "more than \(option: "infer-max-share") allows",
        hint: "ask for more numbers in a block, or allow a larger share")
    }
    if blocks > 0 { observe?(.inferred(blocks: blocks, numbers: inferred)) }
    try downstream.finish()
  }

  private func forgetFields(count: Int) {
    known.removeAll(keepingCapacity: true)
    known.append(contentsOf: repeatElement(-1, count: count))
  }

  private func begin(blockOf number: UInt64, count: Int) throws(Failure) {
    try writeBlock()
    start = number - number % size
    held.removeAll(keepingCapacity: true)
    // Few fields occur in many blocks.
    formerBytes = fieldsBytes
    if fieldsBytes <= Self.fieldsBytesMax / 8 { return }
    fields.removeAll(keepingCapacity: true)
    outputIndices.removeAll(keepingCapacity: true)
    fieldsIndices.removeAll(keepingCapacity: true)
    (fieldsBytes, formerBytes) = (0, 0)
    forgetFields(count: count)
  }

  private func add(_ recordFields: Span<UInt8>) throws(Failure) -> Int {
    let hash = hashes.of(recordFields)
    if let index = fieldsIndices[hash] { return index }
    fieldsBytes += recordFields.count + Self.overheadBytes
    guard fieldsBytes - formerBytes <= Self.fieldsBytesMax else {
      throw Failure(
        .dedupe, .badData, "block-too-large",
        "the labels of the numbers from \(start) to \(start + size - 1) exceed "
          + "\(Figures.bytes(Self.fieldsBytesMax)) in total",
        hint: "use smaller blocks in \(option: "infer")")
    }
    fieldsIndices[hash] = fields.count
    fields.append([UInt8](copying: recordFields))
    outputIndices.append(-1)
    return fields.count - 1
  }

  // MARK: The gaps of a block

  /// Writes the records of the block, and between them what is inferred.
  private func writeBlock() throws(Failure) {
    guard !held.isEmpty else { return }
    var dense = denseBlocks()[...]
    var next = start
    for part in held {
      try fill(next, upTo: part.first, &dense)
      next = part.last + 1
      guard let record = part.record else { continue }
      try write(record, part.fields)
    }
    try fill(next, upTo: start + size, &dense)
  }

  private struct DenseBlock {
    let first: UInt64
    let last: UInt64
    let recordFields: [UInt8]
    let held: Range<Int>
    /// The numbers that are listed.
    let listed: UInt64
  }

  /// The dense blocks in ascending order; a block within another one is not listed.
  private func denseBlocks() -> [DenseBlock] {
    // Nearly all blocks have a few numbers only.
    guard let least = rules.first?.count, listed(held.indices, in: start...start + (size - 1)) >= least
    else { return [] }
    // In ascending order, like those of the size before.
    var dense: [(first: UInt64, size: UInt64)] = []
    var parts: [UInt64] = []
    for (level, rule) in rules.enumerated() {
      let counts = level == 0 ? numbersListed(inBlocksOf: rule.size) : Self.counts(of: parts, rule.size)
      parts = counts.filter { $0.count >= rule.count && isUniform($0.block...$0.block + (rule.size - 1)) }
        .map(\.block)
      dense.removeAll { block in parts.contains { block.first &- $0 < rule.size } }
      dense += parts.map { ($0, rule.size) }
    }
    return dense.sorted { $0.first < $1.first }.compactMap { denseBlock($0.first...$0.first + ($0.size - 1)) }
  }

  private typealias BlockCount = (block: UInt64, count: UInt64)

  private static func add(_ count: UInt64, to block: UInt64, _ counts: inout [BlockCount]) {
    if counts.last?.block == block {
      counts[counts.count - 1].count += count
    } else {
      counts.append((block, count))
    }
  }

  /// The number of parts in each block of a size.
  private static func counts(of parts: [UInt64], _ size: UInt64) -> [BlockCount] {
    parts.reduce(into: []) { counts, part in add(1, to: part - part % size, &counts) }
  }

  private func numbersListed(inBlocksOf size: UInt64) -> [BlockCount] {
    var counts: [BlockCount] = []
    for part in held {
      var first = part.first
      while first <= part.last {
        let block = first - first % size
        let last = min(part.last, block + (size - 1))
        Self.add(last - first + 1, to: block, &counts)
        first = last + 1
      }
    }
    return counts
  }

  private func listed(_ indices: Range<Int>, in block: ClosedRange<UInt64>) -> UInt64 {
    held[indices].reduce(0) { $0 + Self.common($1, block) }
  }

  private static func common(_ part: RecordPart, _ block: ClosedRange<UInt64>) -> UInt64 {
    let (first, last) = (max(part.first, block.lowerBound), min(part.last, block.upperBound))
    return first <= last ? last - first + 1 : 0
  }

  /// The parts that have numbers of a block.
  private func held(in block: ClosedRange<UInt64>) -> Range<Int> {
    func firstIndex(_ isReached: (RecordPart) -> Bool) -> Int {
      var (low, high) = (0, held.count)
      while low < high {
        let middle = (low + high) / 2
        if isReached(held[middle]) { high = middle } else { low = middle + 1 }
      }
      return low
    }
    return firstIndex { $0.last >= block.lowerBound }..<firstIndex { $0.first > block.upperBound }
  }

  /// Whether all numbers are valid, and have the same country and type.
  private func isUniform(_ numbers: ClosedRange<UInt64>) -> Bool {
    // Most are in the part of the plan that the one before was in.
    if numbers.lowerBound >= plan.first, numbers.upperBound <= plan.last { return plan.isValid }
    let start = NumberPlan.block(ofDigits: numbers.lowerBound)
    plan = (start.first, start.last, start.type != .unknown)
    guard start.type != .unknown else { return false }
    var block = start
    while block.last < numbers.upperBound {
      block = NumberPlan.block(ofDigits: block.last + 1)
      guard block.callingCode == start.callingCode, block.region == start.region, block.type == start.type
      else { return false }
    }
    return true
  }

  /// A dense block with the label that most of its numbers have; of equally frequent ones, the first. Nil if no number is
  /// missing, or if the label leaves no space for the source.
  private func denseBlock(_ numbers: ClosedRange<UInt64>) -> DenseBlock? {
    let within = held(in: numbers)
    let listed = listed(within, in: numbers)
    if listed == numbers.upperBound - numbers.lowerBound + 1 { return nil }
    var votes: [[UInt8]: UInt64] = [:]
    var best: (label: [UInt8], votes: UInt64) = ([], 0)
    for part in held[within] { votes[label(part), default: 0] += Self.common(part, numbers) }
    for part in held[within] where votes[label(part)] ?? 0 > best.votes {
      best = (label(part), votes[label(part)] ?? 0)
    }
    let recordFields = best.label + [Byte.tab] + Array(Self.source.utf8)
    guard recordFields.count <= RecordFields.bytesMax else { return nil }
    return DenseBlock(
      first: numbers.lowerBound, last: numbers.upperBound, recordFields: recordFields, held: within,
      listed: listed)
  }

  /// The source of what is inferred.
  private static let source = "inferred"

  private func label(_ part: RecordPart) -> [UInt8] {
    let bytes = fields[part.fields]
    return Array(bytes[..<RecordFields.labelLength(bytes.span)])
  }

  /// Writes the numbers from `first` on and below `end` that dense blocks have.
  private func fill(
    _ first: UInt64, upTo end: UInt64, _ dense: inout ArraySlice<DenseBlock>
  ) throws(Failure) {
    while let block = dense.first, block.first < end {
      let from = max(first, block.first)
      let last = min(block.last, end - 1)
      if from <= last {
        try write(from, last, block.recordFields)
        meter.inferred.add(1)
        inferred += last - from + 1
      }
      if block.last >= end { return }
      try note(block)
      dense.removeFirst()
    }
  }

  private func note(_ block: DenseBlock) throws(Failure) {
    blocks += 1
    guard let log else { return }
    let sources = Set(
      held[block.held].map { part in
        let bytes = fields[part.fields]
        return KeepPolicy.source(bytes.span)
      })
    try log.add(
      first: block.first, last: block.last, inferred: block.recordFields.span,
      Votes(records: block.listed, sources: sources.count))
  }

  /// Writes a record with fields of ``fields``.
  private func write(_ record: ClosedRange<UInt64>, _ index: Int) throws(Failure) {
    if outputIndices[index] >= 0, !output.isFull {
      all = all.addingSaturated(record.upperBound - record.lowerBound + 1)
      return output.append(
        first: record.lowerBound, last: record.upperBound, fieldsIndex: outputIndices[index])
    }
    try write(record.lowerBound, record.upperBound, fields[index])
    outputIndices[index] = Int(output.fieldsIndices[output.count - 1])
  }

  private func write(_ first: UInt64, _ last: UInt64, _ recordFields: [UInt8]) throws(Failure) {
    all = all.addingSaturated(last - first + 1)
    if output.append(first: first, last: last, recordFields: recordFields.span) { return }
    try flush()
    _ = output.append(first: first, last: last, recordFields: recordFields.span)
  }

  private func flush() throws(Failure) {
    guard !output.isEmpty else { return }
    try downstream.receive(&output)
    output.removeAll()
    for index in outputIndices.indices { outputIndices[index] = -1 }
  }
}
