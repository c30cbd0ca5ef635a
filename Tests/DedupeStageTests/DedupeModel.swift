// The expected output of dedupe, by the simplest algorithm: a dictionary of every number of a small universe. It is
// slow on purpose, and uses no code of the stage except the parsing of fields.

import RecordStages
import Records
import TestSupport

/// The options of the model; the same as ``DedupeOptions``, with the label map as a dictionary.
struct ModelOptions: CustomStringConvertible {
  var keep = DedupeOptions.Keep.first
  var priority: [String] = []
  /// The mapping of labels; nil for a record that is dropped.
  var labels: [String: String?] = [:]
  var minScore: Int64?
  var limit: UInt64?
  var coalesce = false

  var description: String {
    "keep \(keep.rawValue) \(priority) labels \(labels) min \(minScore.map { "\($0)" } ?? "-")"
      + " limit \(limit.map { "\($0)" } ?? "-") coalesce \(coalesce)"
  }
}

/// A record with its fields, and its index in the stream.
struct ModelRecord {
  var first: UInt64
  var last: UInt64
  var fields: RecordFields.Fields
  var index: Int

  var width: UInt64 { last - first + 1 }
  var score: Int64 { fields.score ?? 0 }
  var test: TestRecord { TestRecord(first, last, RecordFields.bytes(fields)) }
}

/// The result for sorted records.
struct DedupeModel {
  /// The output records.
  var records: [TestRecord] = []
  var duplicates = 0
  var splits = 0
  var joined = 0
  /// The records that are left out, with the reason.
  var leftOut: [(record: TestRecord, reason: LeftOutReason)] = []
  /// For each number, the fields of the records that lost it.
  var losers: [UInt64: [String]] = [:]

  init(_ sorted: [TestRecord], _ options: ModelOptions) {
    var candidates: [ModelRecord] = []
    for (index, record) in sorted.enumerated() {
      var model = ModelRecord(
        first: record.first, last: record.last, fields: RecordFields.fields(record.recordFields.span),
        index: index)
      if let label = options.labels[model.fields.label] {
        guard let label else {
          leftOut.append((record, .mapped))
          continue
        }
        model.fields.label = label
      }
      if let least = options.minScore, model.score < least {
        leftOut.append((record, .score))
      } else {
        candidates.append(model)
      }
    }
    var segments = decide(candidates, options)
    if let limit = options.limit { segments = hold(segments, limit) }
    if options.coalesce { segments = join(segments) }
    records = segments.map(\.test)
  }

  // MARK: Conflict resolution

  /// The record that is kept among records for the same numbers.
  private static func best(_ equals: [ModelRecord], _ options: ModelOptions) -> ModelRecord {
    switch options.keep {
    case .first: return equals[0]
    case .last: return equals[equals.count - 1]
    case .highestScore:
      let most = equals.map(\.score).max() ?? 0
      return equals.first { $0.score == most } ?? equals[0]
    case .priority:
      for source in options.priority {
        if let found = equals.first(where: { $0.fields.source == source }) { return found }
      }
      return equals[0]
    case .mostFrequent:
      var best = equals[0]
      for record in equals
      where votes(record, equals) > votes(best, equals) {
        best = record
      }
      return best
    }
  }

  private static func votes(_ record: ModelRecord, _ equals: [ModelRecord]) -> Int {
    equals.count { $0.fields.label == record.fields.label }
  }

  private mutating func decide(_ records: [ModelRecord], _ options: ModelOptions) -> [ModelRecord] {
    var winners: [UInt64: ModelRecord] = [:]
    for number in Set(records.flatMap { Array($0.first...$0.last) }) {
      let covering = records.filter { $0.first <= number && number <= $0.last }
      let least = covering.map(\.width).min() ?? 0
      var candidates = covering.filter { $0.width == least }
      if options.keep == .mostFrequent {
        // Votes count only among records for exactly the same numbers; otherwise the first record is kept.
        let first = candidates[0].first
        candidates = candidates.filter { $0.first == first }
      }
      let winner = Self.best(candidates, options)
      winners[number] = winner
      losers[number] = covering.filter { $0.index != winner.index }.map {
        String(decoding: RecordFields.bytes($0.fields), as: UTF8.self)
      }
    }
    var segments: [ModelRecord] = []
    for number in winners.keys.sorted() {
      guard let winner = winners[number] else { continue }
      if let last = segments.last, last.index == winner.index, last.last + 1 == number {
        segments[segments.count - 1].last = number
      } else {
        segments.append(
          ModelRecord(first: number, last: number, fields: winner.fields, index: winner.index))
      }
    }
    let winning = Set(winners.values.map(\.index)).count
    duplicates = records.count - winning
    splits = segments.count - winning
    return segments
  }

  // MARK: After duplicates are resolved

  private mutating func hold(_ segments: [ModelRecord], _ limit: UInt64) -> [ModelRecord] {
    var left = limit
    var taken: Set<UInt64> = []
    for segment in segments.sorted(by: { ($1.score, $0.first) < ($0.score, $1.first) })
    where segment.width <= left {
      left -= segment.width
      taken.insert(segment.first)
    }
    for segment in segments where !taken.contains(segment.first) { leftOut.append((segment.test, .limit)) }
    return segments.filter { taken.contains($0.first) }
  }

  private mutating func join(_ segments: [ModelRecord]) -> [ModelRecord] {
    var result: [ModelRecord] = []
    for segment in segments {
      guard var last = result.last, last.last + 1 == segment.first, last.fields.label == segment.fields.label
      else {
        result.append(segment)
        continue
      }
      last.last = segment.last
      if last.fields.source != segment.fields.source { last.fields.source = "" }
      if last.fields.score != segment.fields.score { last.fields.score = nil }
      result[result.count - 1] = last
      joined += 1
    }
    return result
  }
}
