// Votes: all records for the same numbers count, not only the one that is kept. With `--combine` it has their
// combined score, and the minimums leave it out if it has too few votes.

import BasicContainers
import Records
import SystemIO

/// What the records for the same numbers make of their scores.
package enum ScoreCombination: String, CaseIterable, Sendable {
  /// A record without a score is one vote.
  case sum
  /// A record without a score has none, unless all are without.
  case max
  /// The number of the records.
  case count
}

/// What a record needs in order to be kept, once all records for its numbers are counted.
package struct VoteMinimums: Sendable, Equatable {
  package var total: Int64?
  package var count: UInt64?
  package var sources: Int?
  package init() {}

  var isEmpty: Bool { self == VoteMinimums() }
}

/// The votes for the same numbers.
struct Votes: Equatable {
  var records: UInt64 = 0
  var sources = 0
  /// The combined score; nil if no record has one.
  var score: Int64?

  /// Counts a record.
  mutating func add(_ score: Int64?, _ combination: ScoreCombination?) {
    records += 1
    switch combination {
    case .sum:
      self.score = (self.score ?? 0).addingSaturated(score ?? 1)
    case .max: if let score { self.score = max(self.score ?? score, score) }
    case .count: self.score = Int64(clamping: records)
    case nil: break
    }
  }

  /// The minimum that the votes do not reach, if any.
  func missed(_ minimums: VoteMinimums) -> LeftOutReason? {
    if let total = minimums.total, (score ?? 0) < total { return .total }
    if let count = minimums.count, records < count { return .count }
    if let least = minimums.sources, sources < least { return .sources }
    return nil
  }

  /// Record fields with the combined score, if there is one.
  func written(to recordFields: [UInt8]) -> [UInt8] {
    if score == nil { return recordFields }
    var bytes: [UInt8] = []
    write(to: recordFields.span, &bytes)
    return bytes
  }

  /// Record fields with the combined score, in `bytes`.
  func write(to recordFields: Span<UInt8>, _ bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    let parts = RecordFields.parts(recordFields)
    bytes.append(copying: recordFields.extracting(0..<parts.source.upperBound))
    guard score != nil || !parts.day.isEmpty else { return }
    if parts.source.isEmpty, parts.label.upperBound == recordFields.count { bytes.append(Byte.tab) }
    bytes.append(Byte.tab)
    if let score { bytes.append(contentsOf: String(score).utf8) }
    guard !parts.day.isEmpty else { return }
    bytes.append(Byte.tab)
    bytes.append(copying: recordFields.extracting(parts.day))
  }
}

/// A hash of 64 bits, for texts that are only compared. The keys are random, so that nobody can make two texts with the same
/// hash.
struct WideHash {
  private let high = SeededHash(keys: .random(in: .min ... .max), .random(in: .min ... .max))
  private let low = SeededHash(keys: .random(in: .min ... .max), .random(in: .min ... .max))

  func of(_ bytes: Span<UInt8>) -> UInt64 { UInt64(high.of(bytes)) << 32 | UInt64(low.of(bytes)) }
}

/// Counts the votes for one number or range after another.
struct VoteCounter: ~Copyable {
  private let combination: ScoreCombination?
  private let countsSources: Bool
  private var votes = Votes()
  private var sources = SourceCounter()
  /// The score and the hashed source of each of a batch's record fields, by their index.
  private var scores: [Int64?] = []
  private var sourceHashes: [UInt64] = []
  private let hashes = WideHash()

  init(_ options: DedupeOptions) {
    combination = options.combination
    countsSources = options.voteMinimums.sources != nil || options.conflictsPath != nil
  }

  /// Reads the record fields of a batch, whose records are counted by index from now on.
  mutating func read(_ table: borrowing RecordFieldsTable) {
    scores.removeAll(keepingCapacity: true)
    sourceHashes.removeAll(keepingCapacity: true)
    for index in 0..<table.count {
      let parts = RecordFields.parts(table[index])
      scores.append(parts.score.isEmpty ? nil : RecordFields.score(table[index]))
      if countsSources { sourceHashes.append(hashes.of(table[index].extracting(parts.source))) }
    }
  }

  /// Counts a record of the batch that was read.
  @inline(__always)
  mutating func add(fieldsIndex: Int) {
    votes.add(scores[fieldsIndex], combination)
    if countsSources { sources.add(sourceHashes[fieldsIndex]) }
  }

  /// Begins with another number or range, and returns the votes for the one before.
  mutating func take() -> Votes {
    var taken = votes
    if countsSources { taken.sources = sources.take() }
    votes = Votes()
    return taken
  }
}

/// The different sources of the records for the same numbers. Records without a source count as one.
struct SourceCounter: ~Copyable {
  /// Most numbers have a few sources, which are searched one after another.
  private static let fewMax = 8

  private var few: [UInt64] = []
  private var many: Set<UInt64> = []

  @inline(__always)
  mutating func add(_ hash: UInt64) {
    if few.last == hash { return }
    addNew(hash)
  }

  private mutating func addNew(_ hash: UInt64) {
    if few.contains(hash) { return }
    if few.count < Self.fewMax { return few.append(hash) }
    if many.count < DedupeOptions.sourcesMax { many.insert(hash) }
  }

  mutating func take() -> Int {
    let count = min(few.count + many.count, DedupeOptions.sourcesMax)
    few.removeAll(keepingCapacity: true)
    if !many.isEmpty { many.removeAll(keepingCapacity: many.count < 1024) }
    return count
  }
}
