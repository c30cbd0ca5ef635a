// The generate stage: turns patterns into records. It has no input; `finish` makes it run.

package import Records

/// Outputs the numbers of patterns as records: ascending, disjoint, in ranges as long as possible.
///
/// Memory: the patterns' automaton and one batch, regardless of the number of numbers. Time: O(ranges).
package final class Generator: RecordSink {
  private var numbers: NumberSet
  private var output: RangeWriter

  package init(options: GenerateOptions, context: StageContext, downstream: any RecordSink) throws(Failure) {
    let numbers = try NumberSet(options, calls: context.calls)
    let recordFields = RecordFields.bytes(options.fields)
    do throws(RecordFieldsError) {
      _ = try RecordFields.check(recordFields.span)
    } catch {
      throw Failure(context.stage, .usage, "bad-fields", "label and source together are too long")
    }
    self.numbers = numbers
    output = RangeWriter(recordFields, context, downstream)
  }

  /// Does nothing: no stage precedes this one.
  package func receive(_ batch: inout RecordBatch) {}

  package func finish() throws(Failure) {
    try numbers.forEachRange(&output)
    try output.finish()
  }
}

struct RangeWriter: ~Copyable {
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
    let (first, last, recordFields) = (range.lowerBound, range.upperBound, recordFields)
    if batch.append(first: first, last: last, recordFields: recordFields.span) { return }
    try flush()
    _ = batch.append(first: first, last: last, recordFields: recordFields.span)
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

package struct GenerateOptions: Equatable, Sendable {
  /// The maximum number of patterns, included and excluded: the world has about 2,000 area codes, and many single
  /// numbers are a list, not patterns.
  package static let patternsMax = 4096

  package var patterns: [String]
  /// A file with more patterns, one per line; lines that begin with `#` are comments.
  package var patternFile: String?
  package var excludes: [String]
  /// The lengths for patterns of unspecified length, in digits including the calling code: bit `n` for `n` digits. Nil
  /// for those of the numbering plan.
  package var lengths: UInt64?
  package var fields: RecordFields.Fields

  package init(
    patterns: [String], patternFile: String? = nil, excludes: [String] = [], lengths: UInt64? = nil,
    fields: RecordFields.Fields = RecordFields.Fields()
  ) {
    self.patterns = patterns
    self.patternFile = patternFile
    self.excludes = excludes
    self.lengths = lengths
    self.fields = fields
  }
}

extension StageName {
  package static let generate = StageName(rawValue: "generate")
}

extension GenerateOptions: StagePlan {
  package var name: StageName { .generate }
  package var input: DataKind { .nothing }
  package var output: DataKind { .records }
  package var files: [StageFile] { patternFile.map { [StageFile($0, .input)] } ?? [] }

  package func makeSink(_ environment: StageEnvironment, downstream: AnySink) throws(Failure) -> AnySink {
    .records(try Generator(options: self, context: environment.context, downstream: downstream.recordSink))
  }
}
