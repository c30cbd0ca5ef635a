// Reads the messages of one input in order and rejects invalid ones with their location.

import MessageRules
public import PipeStage
import SystemIO

/// Reads the messages of one input.
public struct MessageReader {
  /// The format of the input.
  public let format: MessageFormat
  /// The name of the field that contains the expected action; nil to not read one.
  public let expected: String?
  /// The name of the input; `-` for standard input.
  public let input: String
  /// The context for counters and rejects.
  public let context: StageContext

  /// Creates a reader of one input.
  public init(format: MessageFormat, expected: String?, input: String, context: StageContext) {
    self.format = format
    self.expected = expected
    self.input = input
    self.context = context
  }

  /// Calls `body` with every valid message and its row number. Rejected rows are numbered, too. Throws a
  /// ``MessageInputError`` if the header is invalid.
  public func read(
    _ body: (MessageRow, UInt64) throws(StageError) -> Void
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
      try cutter.cut(chunk.span) { (record) throws(StageError) in try self.process(record, &columns, body) }
      chunk.removeAll()
    }
    try cutter.finish { (record) throws(StageError) in try self.process(record, &columns, body) }
  }

  private func process(
    _ record: CutRecord, _ columns: inout CSVColumns?,
    _ body: (MessageRow, UInt64) throws(StageError) -> Void
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
      // An empty column counts as absent.
      if let country = row.country, !country.isEmpty, !CountryName.isOne(country) {
        return try reject(record, .unknownCountry(country))
      }
      if let expected = row.expected, MessageAction(name: expected) == nil {
        return try reject(record, .unknownAction(expected))
      }
      context.meter.rowsIn.add(1)
      try body(row, context.meter.rowsIn.value)
    }
  }

  private func reject(_ record: CutRecord, _ reason: MessageReject) throws(StageError) {
    context.meter.rowsIn.add(1)
    try context.reject(
      .line(record.line, byte: record.byte, input: input), reason, text: record.bytes.span)
  }
}
