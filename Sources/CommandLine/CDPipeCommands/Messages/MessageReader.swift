// One input of messages read from front to back; what is no message is rejected with its place.

import MessageRules
import PipeStage
import SystemIO

/// Reads messages of one input.
struct MessageReader {
  let format: MessageFormat
  /// The field of what somebody expects.
  let expected: String?
  let input: String
  let context: StageContext

  /// Gives every message and its row's number, which counts the rejected ones too.
  func read(
    _ take: (MessageRow, UInt64) throws(StageError) -> Void
  ) throws(StageError) {
    var file = try asStageError(.classify) { () throws(SystemError) in
      try InputFile(input, calls: context.calls)
    }
    var cutter = RecordCutter(quotes: format == .csv)
    var columns: CSVColumns?
    var chunk = ByteChunk()
    while true {
      let count: Int
      do throws(SystemError) {
        count = try file.read(into: &chunk)
      } catch {
        throw StageError(.classify, error)
      }
      if count == 0 { break }
      context.meter.bytesIn.add(count)
      try cutter.cut(chunk.span) { (record) throws(StageError) in try self.take(record, &columns, take) }
      chunk.removeAll()
    }
    try cutter.finish { (record) throws(StageError) in try self.take(record, &columns, take) }
  }

  private func take(
    _ record: CutRecord, _ columns: inout CSVColumns?,
    _ take: (MessageRow, UInt64) throws(StageError) -> Void
  ) throws(StageError) {
    if record.bytes.isEmpty { return }
    let result: Result<MessageRow, MessageReject>
    if record.isTooLong {
      result = .failure(.tooLong)
    } else if format == .json {
      result = JSONMessage.read(record.bytes, expected: expected)
    } else {
      guard let fields = RecordCutter.fields(record.bytes) else { return try reject(record, .malformed) }
      guard let known = columns else {
        var header = fields
        if let first = header.first, first.hasPrefix("\u{FEFF}") { header[0] = String(first.dropFirst()) }
        switch CSVColumns.find(header, expected: expected) {
        case .success(let found): columns = found
        case .failure(let reason):
          throw StageError(.classify, MessageInputError(input: input, reason: reason))
        }
        return
      }
      result = known.row(fields)
    }
    switch result {
    case .failure(let reason): try reject(record, reason)
    case .success(let row):
      // A column that is empty says no more than one that is not there.
      if let country = row.country, !country.isEmpty, !CountryName.isOne(country) {
        return try reject(record, .unknownCountry(country))
      }
      if let expected = row.expected, MessageAction(name: expected) == nil {
        return try reject(record, .unknownAction(expected))
      }
      context.meter.rowsIn.add(1)
      try take(row, context.meter.rowsIn.value)
    }
  }

  private func reject(_ record: CutRecord, _ reason: MessageReject) throws(StageError) {
    context.meter.rowsIn.add(1)
    try context.reject(
      .line(record.line, byte: record.byte, input: input), reason, text: record.bytes.span)
  }
}

/// An input that can't be read as messages at all.
struct MessageInputError: ErrorCause {
  var input: String
  var reason: MessageReject
  var errorClass: ErrorClass { .badData }
}
