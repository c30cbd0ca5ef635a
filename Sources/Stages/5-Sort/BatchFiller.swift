// Sorted records into batches for the next stage.

import BasicContainers
import CallRecord
import PipeStage

/// Fills batches and hands them on.
struct BatchFiller: RunTaker, ~Copyable {
  private let dictionary: AnnotationDictionary
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()
  /// What a dictionary annotation is called in this batch, plus one; 0 if it is not in the batch.
  private var indices: RigidArray<UInt16>
  /// The dictionary annotations in this batch.
  private var used = RigidArray<UInt16>(capacity: RecordBatch.recordsMax)

  init(_ dictionary: consuming AnnotationDictionary, _ meter: StageMeter, _ downstream: any RecordSink) {
    indices = RigidArray(repeating: 0, count: dictionary.count)
    self.dictionary = dictionary
    self.meter = meter
    self.downstream = downstream
  }

  mutating func take(first: UInt64, last: UInt64, annotation: UInt32) throws(SortTrouble) {
    if batch.isFull { try flush() }
    let id = Int(annotation)
    var index = Int(indices[id])
    if index == 0 {
      if let made = dictionary.intern(id, in: &batch.annotations) {
        index = made + 1
      } else {
        try flush()
        index = dictionary.intern(id, in: &batch.annotations)! + 1
      }
      indices[id] = UInt16(index)
      used.append(UInt16(id))
    }
    batch.append(first: first, last: last, annotationIndex: index - 1)
  }

  mutating func take(first: UInt64, last: UInt64, inline annotation: Span<UInt8>) throws(SortTrouble) {
    if batch.append(first: first, last: last, annotation: annotation) { return }
    try flush()
    _ = batch.append(first: first, last: last, annotation: annotation)
  }

  mutating func flush() throws(SortTrouble) {
    guard !batch.isEmpty else { return }
    meter.rowsOut.add(batch.count)
    do throws(PipeFailure) {
      try downstream.receive(&batch)
    } catch {
      throw .downstream(error)
    }
    batch.removeAll()
    for index in 0..<used.count { indices[Int(used[index])] = 0 }
    used.removeAll()
  }
}
