// The first rows of an input, as `parse` reads them with given options.

import InputStages
package import Records
import Synchronization
import SystemIO

/// A raw row of a sample.
package struct SampledRow: Sendable {
  /// The number's text as found.
  package var text: [UInt8]
  /// The label, source and score.
  package var fields: RecordFields.Fields
}

/// The first rows of an input, and what was recognised about it.
struct SampledRows: Sendable {
  /// The maximum number of rows of a sample: enough to measure shares to a percent.
  static let rowsMax = 4096

  var rows: [SampledRow] = []
  var layout = InputLayout()
  /// The number of rows that could not be read.
  var rejectCount = 0
  /// The first of them.
  var rejects: [Reject] = []

  /// The maximum number of rejects that are kept.
  private static let rejectsMax = 3

  /// The rejects of a sample, which any thread may add.
  private final class RejectSample: Sendable {
    let found = Mutex<(count: Int, first: [Reject])>((0, []))

    func add(_ reject: Reject) {
      found.withLock { found in
        found.count += 1
        if found.first.count < SampledRows.rejectsMax { found.first.append(reject) }
      }
    }
  }

  /// Parses the head of an input; `name` is the input's name in messages.
  ///
  /// Throws what `parse` throws when it can't read the input.
  init(_ head: InputHead, _ options: ParseOptions, name: String, rowsMax: Int = Self.rowsMax)
    throws(Failure)
  {
    let rejected = RejectSample()
    let context = StageContext(
      meter: StageMeter(.parse), rejects: try RejectLog { reject, _ in rejected.add(reject) })
    var environment = StageEnvironment(context)
    environment.inputName = name
    let found = LayoutRecord()
    var plan = ParsePlan(options)
    plan.observe = { found.layout = $0 }
    let collector = RowCollector(rowsMax)
    do throws(Failure) {
      try head.send(to: plan.makeSink(environment, downstream: .rawRows(collector)).byteSink)
    } catch {
      guard error.isSampleComplete else { throw error }
    }
    rows = collector.rows
    layout = found.layout
    (rejectCount, rejects) = rejected.found.withLock { $0 }
  }
}

/// The last reported layout. Usable from any thread.
private final class LayoutRecord: Sendable {
  private let value = Mutex(InputLayout())

  var layout: InputLayout {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}

/// Keeps rows, and ends the stream when there are enough.
private final class RowCollector: RawRowSink {
  private let rowsMax: Int
  private(set) var rows: [SampledRow] = []

  init(_ rowsMax: Int) {
    self.rowsMax = rowsMax
  }

  func receive(_ batch: inout RawRowBatch) throws(Failure) {
    for index in 0..<min(batch.count, rowsMax - rows.count) {
      rows.append(
        SampledRow(
          text: [UInt8](copying: batch[textAt: index]), fields: RecordFields.fields(batch[fieldsAt: index])))
    }
    batch.removeAll()
    if rows.count >= rowsMax { throw Failure(.preview, PreviewError.sampleComplete) }
  }

  func finish() {}
}
