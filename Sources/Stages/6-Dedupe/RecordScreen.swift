// Before the decision: labels are mapped, and records that nobody wants are left out.
//
// A batch has few different record fields, so each is looked at once a batch.

import BasicContainers
import CallRecord
import PipeStage

/// Passes on what is to be decided about.
struct RecordScreen: ~Copyable {
  private enum Verdict {
    case unknown
    /// It goes on with the record fields of this index in the batch that goes out.
    case pass(Int)
    case leave(LeftOutReason)
    case reject
  }

  private let context: StageContext
  private let leftOut: LeftOut
  private let minScore: Int64
  private var map: LabelMap?
  private var batch = RecordBatch()
  private var verdicts: [Verdict] = []

  init(_ map: LabelMap?, minScore: Int64?, _ context: StageContext, _ leftOut: LeftOut) {
    self.map = map
    self.minScore = minScore ?? .min
    self.context = context
    self.leftOut = leftOut
  }

  /// Hands the records of a batch that stay to the decision. Nothing is held back.
  mutating func sift(
    _ input: borrowing RecordBatch, isSingles: Bool, rowsBefore: UInt64, into decider: inout Decider
  ) throws(StageError) {
    forget(input.fieldsTable.count)
    for index in 0..<input.count {
      let first = input.firsts[index]
      let last = input.lasts[index]
      let recordFields = Int(input.fieldsIndices[index])
      if case .unknown = verdicts[recordFields] {
        verdicts[recordFields] = try judge(input.fieldsTable[recordFields], isSingles, &decider)
      }
      switch verdicts[recordFields] {
      case .unknown: break
      case .pass(let known):
        // As many go out as came in at the most, so they fit.
        batch.append(first: first, last: last, fieldsIndex: known)
      case .leave(let reason):
        try leftOut.add(first: first, last: last, input.fieldsTable[recordFields], reason)
      case .reject:
        try context.reject(
          .row(rowsBefore + UInt64(index) + 1), DedupeReject.labelTooLong,
          text: input.fieldsTable[recordFields]
        )
      }
    }
    try handOver(isSingles, &decider)
  }

  private mutating func forget(_ count: Int) {
    verdicts.removeAll(keepingCapacity: true)
    verdicts.append(contentsOf: repeatElement(.unknown, count: count))
  }

  private mutating func handOver(_ isSingles: Bool, _ decider: inout Decider) throws(StageError) {
    try decider.take(&batch, isSingles: isSingles)
    batch.removeAll()
  }

  private mutating func judge(
    _ recordFields: Span<UInt8>, _ isSingles: Bool, _ decider: inout Decider
  ) throws(StageError) -> Verdict {
    var mapped: [UInt8]?
    switch map?.action(for: recordFields) {
    case .none, .keep: break
    case .dropRecord: return .leave(.mapped)
    case .rename(let label):
      let rest = recordFields.extracting(RecordFields.labelLength(recordFields)..<recordFields.count)
      let bytes = label + [UInt8](copying: rest)
      if bytes.count > RecordFields.bytesMax { return .reject }
      mapped = bytes
    }
    if RecordFields.score(recordFields) < minScore { return .leave(.score) }
    if let mapped { return .pass(try intern(mapped.span, isSingles, &decider)) }
    return .pass(try intern(recordFields, isSingles, &decider))
  }

  /// The record fields' index in the batch that goes out, which is handed over first when its labels have become too
  /// long together.
  private mutating func intern(
    _ recordFields: Span<UInt8>, _ isSingles: Bool, _ decider: inout Decider
  ) throws(StageError) -> Int {
    if let index = batch.fieldsTable.intern(recordFields) { return index }
    try handOver(isSingles, &decider)
    forget(verdicts.count)
    return batch.fieldsTable.intern(recordFields) ?? 0
  }
}
