// Who is stronger: the policy's answer for records that are for equally many numbers.
//
// Not for: numbers over ranges, which is no matter of policy (RangeSweep).

import CallRecord
import SystemIO

/// Why one record stands for the numbers of another.
enum DecisionReason: String {
  /// Both say the same in every field.
  case same
  /// It came first.
  case first
  /// It came last.
  case last
  /// Its score is higher.
  case higherScore = "higher-score"
  /// More records have its label.
  case moreFrequent = "more-frequent"
  /// Its source is stronger.
  case priority
  /// It is for fewer numbers.
  case moreSpecific = "more-specific"
}

/// A policy, ready to compare records.
struct KeepPolicy {
  let keep: DedupeOptions.Keep
  /// The strength of the sources by their escaped bytes.
  private var ranks: [[UInt8]: Int64] = [:]

  init(_ options: DedupeOptions) {
    keep = options.keep
    for source in options.priority {
      // Escaped as it stands in a record's fields: as a label would be.
      let bytes = RecordFields.bytes(RecordFields.Fields(label: source))
      if ranks[bytes] == nil { ranks[bytes] = Int64(ranks.count) }
    }
  }

  /// How strong a record is by its fields; a lower value is stronger.
  func strength(_ recordFields: Span<UInt8>) -> Int64 {
    switch keep {
    case .first, .last, .mostFrequent: return 0
    // The complement turns the order round and has no overflow.
    case .highestScore: return ~RecordFields.score(recordFields)
    case .priority: return ranks[Self.source(recordFields)] ?? Int64(ranks.count)
    }
  }

  /// Decides between records of the same strength: a lower value is stronger, and no two records share one.
  func rank(ordinal: UInt64) -> Int64 {
    keep == .last ? -Int64(ordinal) : Int64(ordinal)
  }

  /// Why `kept` is stronger than `dropped`, which is for equally many numbers.
  func decision(kept: Span<UInt8>, dropped: Span<UInt8>, hasMoreVotes: Bool = false) -> DecisionReason {
    if kept.hasSameBytes(as: dropped) { return .same }
    switch keep {
    case .first: return .first
    case .last: return .last
    case .highestScore: return strength(kept) < strength(dropped) ? .higherScore : .first
    case .priority: return strength(kept) < strength(dropped) ? .priority : .first
    case .mostFrequent: return hasMoreVotes ? .moreFrequent : .first
    }
  }

  /// The source of a record's fields, still escaped.
  static func source(_ recordFields: Span<UInt8>) -> [UInt8] {
    let range = RecordFields.parts(recordFields).source
    return [UInt8](copying: recordFields.extracting(range))
  }
}
