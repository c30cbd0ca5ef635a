// Counts the labels of the records for the same numbers.

import Records
import SystemIO

/// The labels of the records for the same numbers, each with its first record.
struct LabelVotes {
  /// The maximum bytes for the different labels of one number, each counted with its first record and the overhead of a
  /// dictionary entry. A number has a few dozen; this allows tens of thousands.
  static let bytesMax = 8 << 20
  /// The overhead of a candidate in addition to its bytes.
  private static let candidateBytes = 128

  /// A label's votes, and its first record.
  struct Candidate {
    var votes: Int
    /// Its index among the counted records, from 0.
    let index: Int
    let ordinal: UInt64
    let recordFields: [UInt8]
  }

  private var candidates: [[UInt8]: Candidate] = [:]
  private var bytes = 0

  /// Counts a record; false if there is no capacity for its label.
  mutating func add(_ recordFields: Span<UInt8>, index: Int, ordinal: UInt64) -> Bool {
    let label = Self.label(recordFields)
    if candidates[label]?.vote() != nil { return true }
    bytes += Self.candidateBytes + label.count + recordFields.count
    guard bytes <= Self.bytesMax else { return false }
    candidates[label] = Candidate(
      votes: 1, index: index, ordinal: ordinal, recordFields: [UInt8](copying: recordFields))
    return true
  }

  /// The candidate with the most votes; the first one in case of a tie.
  var winner: Candidate? {
    candidates.values.max { ($0.votes, $1.index) < ($1.votes, $0.index) }
  }

  /// The number of votes for the label in record fields.
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
