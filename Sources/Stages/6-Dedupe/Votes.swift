// Votes: all records for the same numbers count, not only the one that is kept. `--combine` gives their scores to it, and
// the minimums leave it out if it has too few.

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
      let (sum, isOver) = (self.score ?? 0).addingReportingOverflow(score ?? 1)
      // The sign of what is added tells which end was passed.
      self.score = isOver ? ((score ?? 1) < 0 ? .min : .max) : sum
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

/// Counts the votes for one number or range after another.
struct VoteCounter: ~Copyable {
  let combination: ScoreCombination?
  let minimums: VoteMinimums
  private let countsSources: Bool
  private(set) var votes = Votes()
  private var sources = SourceTable()
  /// The score and the source of each of a batch's record fields, by their index.
  private var scores: [Int64?] = []
  private var sourceIndices: [Int?] = []

  init(_ options: DedupeOptions) {
    combination = options.combination
    minimums = options.voteMinimums
    countsSources = minimums.sources != nil || options.conflictsPath != nil
  }

  /// Counts a record that is given by its fields.
  mutating func add(_ recordFields: Span<UInt8>) {
    votes.add(Self.score(recordFields), combination)
    guard countsSources else { return }
    sources.makeRoom()
    if sources.isNew(sources.index(of: recordFields)) { votes.sources += 1 }
  }

  /// Reads the record fields of a batch, whose records can be counted by index from now on.
  mutating func read(_ table: borrowing RecordFieldsTable) {
    scores.removeAll(keepingCapacity: true)
    sourceIndices.removeAll(keepingCapacity: true)
    sources.makeRoom()
    for index in 0..<table.count {
      scores.append(Self.score(table[index]))
      if countsSources { sourceIndices.append(sources.index(of: table[index])) }
    }
  }

  /// Counts a record of the batch that was read.
  @inline(__always)
  mutating func add(fieldsIndex: Int) {
    votes.add(scores[fieldsIndex], combination)
    if countsSources, sources.isNew(sourceIndices[fieldsIndex]) { votes.sources += 1 }
  }

  /// Begins with another number or range, and returns the votes for the one before.
  mutating func take() -> Votes {
    defer {
      votes = Votes()
      sources.beginGroup()
    }
    return votes
  }

  private static func score(_ recordFields: Span<UInt8>) -> Int64? {
    RecordFields.parts(recordFields).score.isEmpty ? nil : RecordFields.score(recordFields)
  }
}

/// The sources of the records for the same numbers. Records without a source have the same one.
struct SourceTable: ~Copyable {
  /// The most bytes of the sources of one number, each counted with the overhead of an entry: about 60,000 short ones.
  /// More are not counted.
  static let bytesMax = 8 << 20
  private static let entryBytes = 96

  private var indices: [[UInt8]: Int] = [:]
  /// The group in which a source was counted last.
  private var groups: [UInt64] = []
  private var bytes = 0
  private var group: UInt64 = 1

  /// Forgets the sources of other groups if half of the memory is used. Indices are valid until then.
  mutating func makeRoom() {
    guard bytes > Self.bytesMax / 2 else { return }
    let known = indices
    let counted = groups
    (indices, groups, bytes) = ([:], [], 0)
    for (source, index) in known where counted[index] == group {
      add(source)
      groups[groups.count - 1] = group
    }
  }

  /// The index of the source of record fields; nil if there is no room for it.
  mutating func index(of recordFields: Span<UInt8>) -> Int? {
    let source = KeepPolicy.source(recordFields)
    if let index = indices[source] { return index }
    guard bytes + source.count + Self.entryBytes <= Self.bytesMax else { return nil }
    add(source)
    return groups.count - 1
  }

  private mutating func add(_ source: [UInt8]) {
    indices[source] = groups.count
    groups.append(0)
    bytes += source.count + Self.entryBytes
  }

  /// Whether the group has a record of a source for the first time.
  @inline(__always)
  mutating func isNew(_ index: Int?) -> Bool {
    guard let index, groups[index] != group else { return false }
    groups[index] = group
    return true
  }

  mutating func beginGroup() { group += 1 }
}
