// Reads the messages of one input in order and rejects invalid ones with their location.

import DelimitedText
import MessageRules
public import PipeStage
import SystemIO

/// Reads the messages of one input.
public struct MessageReader {
  /// The maximum length of a record in bytes; a long message has a few thousand.
  public static let recordBytesMax = 1 << 20

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
    var chunk = ByteChunk()
    var window: ContiguousArray<UInt8> = []
    var isEnd = false
    var scanner = RecordScanner(format)
    var columns: CSVColumns?
    while true {
      while let record = scanner.next(in: window.span, isEnd: isEnd) {
        if record.bytes.isEmpty { continue }
        let text = window.span.extracting(record.bytes)
        if let reason = record.reject {
          try reject(record, text, reason)
        } else if format == .json {
          try process(JSONMessage.read(text, expected: expected), of: record, text, body)
        } else if let columns {
          try process(columns.row(scanner.fields, window.span), of: record, text, body)
        } else {
          columns = try header(scanner.fields, window.span)
        }
      }
      if isEnd { return }
      window.removeSubrange(0..<scanner.dropUsed())
      while window.count < scanner.needed, !isEnd {
        chunk.removeAll()
        isEnd = try read(&file, into: &chunk) == 0
        window.append(copying: chunk.span)
      }
    }
  }

  private func read(_ file: inout InputFile, into chunk: inout ByteChunk) throws(StageError) -> Int {
    do throws(SystemError) {
      let count = try file.read(into: &chunk)
      context.meter.bytesIn.add(count)
      return count
    } catch {
      throw StageError(.classify, error)
    }
  }

  private func header(_ fields: [TableField], _ bytes: Span<UInt8>) throws(StageError) -> CSVColumns {
    switch CSVColumns.find(fields.map { $0.text(bytes) }, expected: expected) {
    case .success(let columns): return columns
    case .failure(let reason):
      throw StageError(.classify, MessageInputError(input: input, reason: reason))
    }
  }

  private func process(
    _ result: Result<MessageRow, MessageReject>, of record: MessageRecord, _ text: Span<UInt8>,
    _ body: (MessageRow, UInt64) throws(StageError) -> Void
  ) throws(StageError) {
    switch result {
    case .failure(let reason): try reject(record, text, reason)
    case .success(let row):
      // An empty column counts as absent.
      if let country = row.country, !country.isEmpty, !CountryName.isOne(country) {
        return try reject(record, text, .unknownCountry(country))
      }
      if let expected = row.expected, MessageAction(name: expected) == nil {
        return try reject(record, text, .unknownAction(expected))
      }
      context.meter.rowsIn.add(1)
      try body(row, context.meter.rowsIn.value)
    }
  }

  private func reject(
    _ record: MessageRecord, _ text: Span<UInt8>, _ reason: MessageReject
  ) throws(StageError) {
    context.meter.rowsIn.add(1)
    try context.reject(.line(record.line, byte: record.byte, input: input), reason, text: text)
  }
}
