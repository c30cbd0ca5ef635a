// The expected results of set operations, by a dictionary of every number; slow on purpose.

import TestSupport

@testable import RecordStages

/// Records as a dictionary of their numbers.
struct SetOracle {
  /// The index of the record that has a number.
  var owners: [UInt64: Int] = [:]

  /// Visits each number of some records; the first record of a number wins.
  init(_ records: [TestRecord]) {
    for (index, record) in records.enumerated() {
      for number in record.first...record.last where owners[number] == nil { owners[number] = index }
    }
  }

  /// The records of a list without the numbers for which `isKept` is false, each in as few pieces as possible.
  static func kept(_ records: [TestRecord], _ isKept: (UInt64) -> Bool) -> [TestRecord] {
    var pieces: [TestRecord] = []
    for record in records {
      var open: TestRecord?
      for number in record.first...record.last {
        guard isKept(number) else {
          if let piece = open { pieces.append(piece) }
          open = nil
          continue
        }
        open = TestRecord(open?.first ?? number, number, record.recordFields)
      }
      if let piece = open { pieces.append(piece) }
    }
    return pieces
  }

  /// The result of `subtract`.
  static func subtract(_ lists: [[TestRecord]]) -> [TestRecord] {
    let others = lists.dropFirst().map(SetOracle.init)
    return kept(lists[0]) { number in others.allSatisfy { $0.owners[number] == nil } }
  }

  /// The result of `intersect`.
  static func intersect(_ lists: [[TestRecord]]) -> [TestRecord] {
    let others = lists.dropFirst().map(SetOracle.init)
    return kept(lists[0]) { number in others.allSatisfy { $0.owners[number] != nil } }
  }

  /// The differences of two lists, number by number; adjacent numbers with the same records on both sides are joined.
  static func changes(_ old: [TestRecord], _ new: [TestRecord], allFields: Bool) -> [ListChange] {
    let olds = SetOracle(old).owners
    let news = SetOracle(new).owners
    var changes: [ListChange] = []
    var before: (number: UInt64, old: Int?, new: Int?)?
    for number in Set(olds.keys).union(news.keys).sorted() {
      let (one, other) = (olds[number], news[number])
      defer { before = (number, one, other) }
      let oldFields = one.map { old[$0].recordFields }
      let newFields = other.map { new[$0].recordFields }
      guard let kind = kind(oldFields, newFields, allFields) else { continue }
      if let last = before, last.number + 1 == number, last.old == one, last.new == other {
        changes[changes.count - 1].last = number
      } else {
        changes.append(
          ListChange(
            kind: kind, first: number, last: number, old: oldFields ?? [], new: newFields ?? []))
      }
    }
    return changes
  }

  private static func kind(_ old: [UInt8]?, _ new: [UInt8]?, _ allFields: Bool) -> ListChange.ChangeKind? {
    guard let old else { return .added }
    guard let new else { return .removed }
    if old == new { return nil }
    if label(old) != label(new) { return .relabelled }
    if !allFields { return nil }
    return score(old) == score(new) ? .changed : .votes
  }

  private static func score(_ recordFields: [UInt8]) -> Int64 {
    let fields = recordFields.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    return fields.count > 2 ? Int64(String(decoding: fields[2], as: UTF8.self)) ?? 0 : 0
  }

  private static func label(_ recordFields: [UInt8]) -> [UInt8] {
    Array(recordFields.prefix { $0 != UInt8(ascii: "\t") })
  }
}
