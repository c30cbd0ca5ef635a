// The generate stage: turns patterns into records. It has no input; `finish` makes it run.

package import Records

/// Outputs the numbers of patterns as records: ascending, disjoint, in ranges as long as possible.
///
/// Memory: the patterns' automaton and one batch, regardless of the number of numbers. Time: O(ranges).
package final class Generator: RecordSink {
  private var state: GeneratorState

  /// Parses the patterns, and makes a stage that sends records to `downstream` when `finish` is called.
  package init(
    options: GenerateOptions, context: StageContext, downstream: any RecordSink
  ) throws(Failure) {
    state = try GeneratorState(options, context, downstream)
  }

  /// Does nothing: no stage precedes this one.
  package func receive(_ batch: inout RecordBatch) {}

  /// Outputs all records, and ends the stream.
  package func finish() throws(Failure) {
    try state.run()
  }
}

private struct GeneratorState: ~Copyable {
  private var numbers: NumberSet
  private var output: RangeWriter

  init(
    _ options: GenerateOptions, _ context: StageContext, _ downstream: any RecordSink
  ) throws(Failure) {
    let numbers: NumberSet
    do throws(GenerateError) {
      numbers = try NumberSet(options, calls: context.calls)
    } catch {
      throw Failure(context.stage, error)
    }
    let recordFields = RecordFields.bytes(options.fields)
    do throws(RecordFieldsError) {
      _ = try RecordFields.check(recordFields.span)
    } catch {
      throw Failure(context.stage, GenerateError.badFields(error))
    }
    self.numbers = numbers
    output = RangeWriter(recordFields, context, downstream)
  }

  mutating func run() throws(Failure) {
    try numbers.forEachRange(&output)
    try output.finish()
  }
}

private struct RangeWriter: RangeSink, ~Copyable {
  private let recordFields: [UInt8]
  private let meter: StageMeter
  private let downstream: any RecordSink
  private var batch = RecordBatch()

  init(_ recordFields: [UInt8], _ context: StageContext, _ downstream: any RecordSink) {
    self.recordFields = recordFields
    meter = context.meter
    self.downstream = downstream
  }

  mutating func receive(_ range: ClosedRange<UInt64>) throws(Failure) {
    let recordFields = recordFields
    if batch.append(first: range.lowerBound, last: range.upperBound, recordFields: recordFields.span) {
      return
    }
    try flush()
    _ = batch.append(first: range.lowerBound, last: range.upperBound, recordFields: recordFields.span)
  }

  private mutating func flush() throws(Failure) {
    guard !batch.isEmpty else { return }
    // The generated records are the input of the pipe.
    meter.rowsIn.add(batch.count)
    meter.rowsOut.add(batch.count)
    try downstream.receive(&batch)
    batch.removeAll()
  }

  mutating func finish() throws(Failure) {
    try flush()
    meter.finish()
    try downstream.finish()
  }
}
