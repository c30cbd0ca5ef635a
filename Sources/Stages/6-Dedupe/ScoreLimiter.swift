// `--limit N`: keeps the records with the highest scores, at most N single numbers.
//
// The records are written to one temporary file, their scores and widths to another. Passes over the second file
// determine what fits (ScoreSelection); then the records are read back in order, and those that fit are passed on.

import BasicContainers
import Records
import SystemIO

/// Passes on at most `limit` numbers.
final class ScoreLimiter: RecordSink {
  private let limit: UInt64
  private let context: StageContext
  private let leftOut: LeftOutCounter
  private let downstream: any RecordSink
  private let text: SpooledText
  private let writer: RecordWriter
  private var scores: ScoreFile

  init(
    _ limit: UInt64, _ options: DedupeOptions, _ context: StageContext, _ leftOut: LeftOutCounter,
    _ downstream: any RecordSink
  ) throws(Failure) {
    let text = try SpooledText(options.temporaryDirectory, context)
    let scores = try asFailure(.dedupe) { () throws(SystemError) in
      try ScoreFile(in: options.temporaryDirectory, context)
    }
    self.limit = limit
    self.context = context
    self.leftOut = leftOut
    self.downstream = downstream
    self.text = text
    writer = RecordWriter(downstream: text)
    self.scores = scores
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    do throws(SystemError) {
      try Self.append(batch, to: &scores)
    } catch {
      throw Failure(.dedupe, error)
    }
    try writer.write(batch)
  }

  func finish() throws(Failure) {
    try writer.finish()
    var selection: ScoreSelection?
    do throws(SystemError) {
      try scores.flush()
      if scores.numbers > limit { selection = try ScoreSelection(limit: limit, &scores) }
    } catch {
      throw Failure(.dedupe, error)
    }
    let filter = ScoreFilter(selection, leftOut, downstream)
    try text.replay(to: RecordReader(context: context, downstream: filter))
  }

  private static func append(
    _ batch: borrowing RecordBatch, to file: inout ScoreFile
  ) throws(SystemError) {
    let keys = ScoreKey.all(of: batch.fieldsTable)
    for index in 0..<batch.count {
      try file.append(
        keys[Int(batch.fieldsIndices[index])], width: batch.lasts[index] - batch.firsts[index] + 1)
    }
  }
}

extension ScoreKey {
  /// The keys of all record fields of a batch.
  fileprivate static func all(of table: borrowing RecordFieldsTable) -> [ScoreKey] {
    var keys: [ScoreKey] = []
    keys.reserveCapacity(table.count)
    for index in 0..<table.count { keys.append(ScoreKey(RecordFields.score(table[index]))) }
    return keys
  }
}

/// Passes on the records that are selected.
private final class ScoreFilter: RecordSink {
  private var selection: ScoreSelection?
  private let leftOut: LeftOutCounter
  private let downstream: any RecordSink

  init(_ selection: ScoreSelection?, _ leftOut: LeftOutCounter, _ downstream: any RecordSink) {
    self.selection = selection
    self.leftOut = leftOut
    self.downstream = downstream
  }

  func receive(_ batch: inout RecordBatch) throws(Failure) {
    if var selection {
      let keys = ScoreKey.all(of: batch.fieldsTable)
      var kept = 0
      for index in 0..<batch.count {
        let first = batch.firsts[index]
        let last = batch.lasts[index]
        guard selection.accepts(keys[Int(batch.fieldsIndices[index])], width: last - first + 1) else {
          try leftOut.add(first: first, last: last, batch[fieldsAt: index], .limit)
          continue
        }
        batch.firsts[kept] = first
        batch.lasts[kept] = last
        batch.fieldsIndices[kept] = batch.fieldsIndices[index]
        kept += 1
      }
      batch.truncate(to: kept)
      self.selection = selection
    }
    if !batch.isEmpty { try downstream.receive(&batch) }
  }

  func finish() throws(Failure) {
    try downstream.finish()
  }
}
