// What dedupe reports at the end.

/// Why a record is left out though no other stands for its numbers.
public enum LeftOutReason: String, CaseIterable, Sendable {
  /// The label map drops it.
  case mapped
  /// Its score is below the least.
  case score
  /// It does not fit the limit.
  case limit
}

/// What is worth saying at the end of a dedupe.
public enum DedupeNotice: Equatable, Sendable {
  /// So many records, which stand for so many numbers, were left out.
  case leftOut(LeftOutReason, records: UInt64, numbers: UInt64)
  /// No record had one of these sources, which the priority names.
  case sourcesWithoutRecords([String])
}
