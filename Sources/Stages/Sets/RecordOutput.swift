// Records on their way out of a set operation.

import BasicContainers
import CallRecord
import PipeStage

/// The batch that is filled for the stage behind.
struct RecordOutput: ~Copyable {
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()
  /// For each annotation of the batch that records come from, its index in this one, plus 1; 0 for unknown.
  private var known = RigidArray<UInt16>(repeating: 0, count: RecordBatch.recordsMax)

  init(_ context: StageContext, _ downstream: any RecordSink) {
    meter = context.meter
    self.downstream = downstream
  }

  /// Records of another batch will come.
  mutating func changeSource() {
    for index in 0..<known.count { known[index] = 0 }
  }

  /// Sends a piece of the record at `index` of the source.
  @inline(__always)
  mutating func send(
    first: UInt64, last: UInt64, of source: borrowing RecordBatch, at index: Int
  ) throws(PipeFailure) {
    let annotation = Int(source.annotationIndices[index])
    if known[annotation] == 0 || batch.isFull { try learn(annotation, of: source) }
    batch.append(first: first, last: last, annotationIndex: Int(known[annotation]) - 1)
  }

  /// Finds the index of an annotation in a batch that has room.
  private mutating func learn(_ annotation: Int, of source: borrowing RecordBatch) throws(PipeFailure) {
    if batch.isFull { try flush() }
    var index = batch.annotations.intern(source.annotations[annotation])
    if index == nil {
      try flush()
      // An empty table has room for any annotation.
      index = batch.annotations.intern(source.annotations[annotation])
    }
    known[annotation] = UInt16(truncatingIfNeeded: (index ?? 0) + 1)
  }

  /// Sends the record at the front of a list.
  mutating func send(frontOf list: borrowing SortedList) throws(PipeFailure) {
    if batch.append(first: list.first, last: list.last, annotation: list.annotation) { return }
    try flush()
    _ = batch.append(first: list.first, last: list.last, annotation: list.annotation)
  }

  private mutating func flush() throws(PipeFailure) {
    if !batch.isEmpty {
      meter.rowsOut.add(batch.count)
      try downstream.receive(&batch)
    }
    batch.removeAll()
    changeSource()
  }

  /// Sends what is left, and ends the stream.
  mutating func finish() throws(PipeFailure) {
    try flush()
    meter.finish()
    try downstream.finish()
  }
}
