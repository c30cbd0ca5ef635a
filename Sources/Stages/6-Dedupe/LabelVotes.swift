// How many of the records for the same numbers have which label.

import CallRecord
import SystemIO

/// The labels of the records for the same numbers, with the first record of each.
struct LabelVotes {
  /// The most bytes that the different labels of one number may take, each counted with its first record and what a
  /// dictionary needs. A number has some dozens; this is room for tens of thousands.
  static let bytesMax = 8 << 20
  /// What an entry takes besides its bytes.
  private static let candidateBytes = 128

  /// A label's votes, and the record that stands for them.
  struct Candidate {
    var votes: Int
    /// Its index among the records that were counted, from 0.
    let index: Int
    let ordinal: UInt64
    let recordFields: [UInt8]
  }

  private var candidates: [[UInt8]: Candidate] = [:]
  private var bytes = 0

  /// Counts a record; false when there is no room for its label.
  mutating func add(_ recordFields: Span<UInt8>, index: Int, ordinal: UInt64) -> Bool {
    let label = Self.label(recordFields)
    if candidates[label]?.vote() != nil { return true }
    bytes += Self.candidateBytes + label.count + recordFields.count
    guard bytes <= Self.bytesMax else { return false }
    candidates[label] = Candidate(
      votes: 1, index: index, ordinal: ordinal, recordFields: [UInt8](copying: recordFields))
    return true
  }

  /// The entry with the most votes; of several, the one that came first.
  var winner: Candidate? {
    candidates.values.max { ($0.votes, $1.index) < ($1.votes, $0.index) }
  }

  /// How many votes the label of a record's fields has.
  func votes(_ recordFields: Span<UInt8>) -> Int {
    candidates[Self.label(recordFields)]?.votes ?? 0
  }

  mutating func removeAll() {
    candidates.removeAll(keepingCapacity: candidates.count < 64)
    bytes = 0
  }

  private static func label(_ recordFields: Span<UInt8>) -> [UInt8] {
    [UInt8](copying: recordFields.extracting(0..<RecordFields.labelLength(recordFields)))
  }
}

extension LabelVotes.Candidate {
  fileprivate mutating func vote() { votes += 1 }
}
