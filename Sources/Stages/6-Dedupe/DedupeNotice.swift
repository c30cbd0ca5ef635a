// What dedupe reports at the end.

/// Why a record is left out, although no other record covers its numbers.
package enum LeftOutReason: String, CaseIterable, Sendable {
  /// The label map drops it.
  case mapped
  /// Its score is below the minimum.
  case score
  /// It exceeds the limit.
  case limit
}

/// Something that dedupe reports at the end.
package enum DedupeNotice: Equatable, Sendable {
  /// The number of records left out, and of the single numbers in them.
  case leftOut(LeftOutReason, records: UInt64, numbers: UInt64)
  /// No record had one of these sources, which the priority list names.
  case sourcesWithoutRecords([String])
}
