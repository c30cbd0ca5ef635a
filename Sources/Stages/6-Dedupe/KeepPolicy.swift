// The keep policy: which of two equally wide records wins.
//
// Not for: a single number against a range, which the policy does not decide (RangeSweep).

import Records
import SystemIO

/// Why one record wins over another.
enum DecisionReason: String {
  /// All fields are the same.
  case same
  /// It came first.
  case first
  /// It came last.
  case last
  /// Its score is higher.
  case higherScore = "higher-score"
  /// Its label is more frequent.
  case moreFrequent = "more-frequent"
  /// Its source has a higher priority.
  case priority
  /// It covers fewer numbers.
  case moreSpecific = "more-specific"
}

/// A keep policy, prepared for comparing records.
struct KeepPolicy {
  let keep: DedupeOptions.Keep
  /// The rank of each listed source, by its escaped bytes.
  private var ranks: [[UInt8]: Int64] = [:]

  init(_ options: DedupeOptions) {
    keep = options.keep
    for source in options.priority {
      // Escaped like a label, as in record fields.
      let bytes = RecordFields.bytes(RecordFields.Fields(label: source))
      if ranks[bytes] == nil { ranks[bytes] = Int64(ranks.count) }
    }
  }

  /// The strength of a record by its fields; lower values win.
  func strength(_ recordFields: Span<UInt8>) -> Int64 {
    switch keep {
    case .first, .last, .mostFrequent: return 0
    // The complement reverses the order without overflow.
    case .highestScore: return ~RecordFields.score(recordFields)
    case .priority: return ranks[Self.source(recordFields)] ?? Int64(ranks.count)
    }
  }

  /// The tie-break between records of the same strength: lower values win, and no two records have the same.
  func rank(ordinal: UInt64) -> Int64 {
    keep == .last ? -Int64(ordinal) : Int64(ordinal)
  }

  /// Why `kept` wins over `dropped`, which is equally wide.
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

  /// The source in record fields, still escaped.
  static func source(_ recordFields: Span<UInt8>) -> [UInt8] {
    let range = RecordFields.parts(recordFields).source
    return [UInt8](copying: recordFields.extracting(range))
  }
}
