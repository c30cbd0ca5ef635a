// Counts and logs records that are left out, although no other record covers their numbers.

import Records

/// Counts and logs records that are left out.
final class LeftOutCounter {
  private let meter: StageMeter
  private let log: ConflictLog?
  private var sums: [LeftOutReason: (records: UInt64, numbers: UInt64)] = [:]

  init(_ meter: StageMeter, _ log: ConflictLog?) {
    self.meter = meter
    self.log = log
  }

  /// Counts and logs a record.
  func add(
    first: UInt64, last: UInt64, _ recordFields: Span<UInt8>, _ reason: LeftOutReason
  ) throws(Failure) {
    meter.leftOut.add(1)
    let sum = sums[reason] ?? (0, 0)
    // Records may overlap, but 2^64 numbers would take twenty thousand of the widest: saturate rather than trap.
    let (numbers, overflow) = sum.numbers.addingReportingOverflow(last - first + 1)
    sums[reason] = (sum.records + 1, overflow ? .max : numbers)
    try log?.add(first: first, last: last, leftOut: recordFields, reason)
  }

  /// Reports the totals.
  func report(to observe: (DedupeNotice) -> Void) {
    for reason in LeftOutReason.allCases {
      guard let sum = sums[reason] else { continue }
      observe(.leftOut(reason, records: sum.records, numbers: sum.numbers))
    }
  }
}
