// The step before duplicates are resolved: maps labels, and leaves records out.
//
// A batch has few different record fields, so each is evaluated once per batch.

import BasicContainers
import Records
import SystemIO

/// Sends the records that are not left out to the resolver.
struct RecordFilter: ~Copyable {
  private enum FieldsVerdict {
    case unknown
    /// Keep the record, with the fields at this index of the output batch.
    case pass(Int)
    case leaveOut(LeftOutReason)
    case reject
  }

  private let context: StageContext
  private let leftOut: LeftOutCounter
  private let minScore: Int64
  private var map: LabelMap?
  private var batch = RecordBatch()
  private var verdicts: [FieldsVerdict] = []

  init(_ map: LabelMap?, minScore: Int64?, _ context: StageContext, _ leftOut: LeftOutCounter) {
    self.map = map
    self.minScore = minScore ?? .min
    self.context = context
    self.leftOut = leftOut
  }

  /// Filters a batch into the resolver. Nothing is held back.
  mutating func apply(
    _ input: borrowing RecordBatch, isSingles: Bool, rowsBefore: UInt64, to resolver: inout DuplicateResolver
  ) throws(Failure) {
    resetVerdicts(count: input.fieldsTable.count)
    for index in 0..<input.count {
      let first = input.firsts[index]
      let last = input.lasts[index]
      let fieldsIndex = Int(input.fieldsIndices[index])
      if case .unknown = verdicts[fieldsIndex] {
        verdicts[fieldsIndex] = try verdict(for: input.fieldsTable[fieldsIndex], isSingles, &resolver)
      }
      switch verdicts[fieldsIndex] {
      case .unknown: break
      case .pass(let index):
        // There are at most as many output records as input records, so they fit.
        batch.append(first: first, last: last, fieldsIndex: index)
      case .leaveOut(let reason):
        try leftOut.add(first: first, last: last, input.fieldsTable[fieldsIndex], reason)
      case .reject:
        try context.reject(
          .row(rowsBefore + UInt64(index) + 1), DedupeReject.labelTooLong,
          text: input.fieldsTable[fieldsIndex]
        )
      }
    }
    try flush(isSingles, &resolver)
  }

  private mutating func resetVerdicts(count: Int) {
    verdicts.removeAll(keepingCapacity: true)
    verdicts.append(contentsOf: repeatElement(.unknown, count: count))
  }

  private mutating func flush(_ isSingles: Bool, _ resolver: inout DuplicateResolver) throws(Failure) {
    try resolver.receive(&batch, isSingles: isSingles)
    batch.removeAll()
  }

  private mutating func verdict(
    for recordFields: Span<UInt8>, _ isSingles: Bool, _ resolver: inout DuplicateResolver
  ) throws(Failure) -> FieldsVerdict {
    var mapped: [UInt8]?
    switch map?.action(for: recordFields) {
    case .none, .keep: break
    case .dropRecord: return .leaveOut(.mapped)
    case .rename(let label):
      let rest = recordFields.extracting(RecordFields.labelLength(recordFields)..<recordFields.count)
      let bytes = label + [UInt8](copying: rest)
      if bytes.count > RecordFields.bytesMax { return .reject }
      mapped = bytes
    }
    if RecordFields.score(recordFields) < minScore { return .leaveOut(.score) }
    if let mapped { return .pass(try intern(mapped.span, isSingles, &resolver)) }
    return .pass(try intern(recordFields, isSingles, &resolver))
  }

  /// The index of record fields in the output batch, which is flushed first if its labels would become too long.
  private mutating func intern(
    _ recordFields: Span<UInt8>, _ isSingles: Bool, _ resolver: inout DuplicateResolver
  ) throws(Failure) -> Int {
    if let index = batch.fieldsTable.intern(recordFields) { return index }
    try flush(isSingles, &resolver)
    resetVerdicts(count: verdicts.count)
    return batch.fieldsTable.intern(recordFields) ?? 0
  }
}
