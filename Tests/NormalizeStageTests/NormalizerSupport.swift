// Shared by the tests: rows through the stage.

import NumberPlan
import RecordStages
import Records
import TestSupport
import Testing

/// The output of the stage for some rows.
struct Normalized {
  var records: [TestRecord]
  var rejects: [String]
  var meter: StageMeter

  /// The records' lines in the text form.
  var lines: [String] { records.map(\.description) }
}

/// Runs rows through the stage; each must be output or rejected.
func normalize(
  _ rows: [TestRow], _ options: NormalizeOptions, cut: Cut = .whole, swaps: Bool = false
) throws(Failure) -> Normalized {
  let stage = try StageFixture(.normalize)
  let sink = CollectingRecords(CollectorOptions(swaps: swaps))
  try feed(rows, cut: cut, to: Normalizer(options: options, context: stage.context, downstream: sink))
  #expect(sink.rules.isFinished && stage.meter.isFinished)
  #expect(stage.meter.rowsIn.value == UInt64(rows.count))
  #expect(stage.meter.rowsOut.value == UInt64(sink.records.count))
  #expect(
    stage.meter.rowsIn.value + stage.meter.splits.value == stage.meter.rowsOut.value
      + stage.meter.rejects.value,
    "a row was lost, or came out of nowhere")
  return Normalized(records: sink.records, rejects: stage.rejectLines, meter: stage.meter)
}

/// Runs number texts through the stage, as the rows of one stream.
func normalize(_ texts: [String], region: String? = nil, require: NormalizeOptions.Requirement = .possible)
  throws
  -> Normalized
{
  var options = NormalizeOptions(require: require)
  if let region {
    options.region = Region(region)
    #expect(options.region != nil, "no region '\(region)'")
  }
  let rows = texts.enumerated().map { TestRow(UInt64($0 + 1), $1) }
  return try normalize(rows, options)
}
