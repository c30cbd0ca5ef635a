// Reads the messages of one input in order and rejects invalid ones with their location.

package import Records
import SystemIO

/// Reads the messages of one input.
package struct MessageReader {
  /// The maximum length of a record in bytes; a long message has a few thousand.
  package static let recordBytesMax = 1 << 20

  /// The format of the input; nil to recognise it.
  package let format: MessageFormat?
  /// The field that contains the expected action; nil to not read one.
  package let expected: ExpectedActions?
  /// The name of the input; `-` for standard input.
  package let input: String
  /// The context for counters and rejects.
  package let context: StageContext

  /// Creates a reader of one input.
  package init(format: MessageFormat?, expected: ExpectedActions?, input: String, context: StageContext) {
    self.format = format
    self.expected = expected
    self.input = input
    self.context = context
  }

  /// Calls `begin` with the input's format, then `body` with every valid message and its row number. Rejected rows are
  /// numbered, too. Throws a ``MessageInputError`` if the header is invalid, or the first line of another format.
  package func read(
    _ begin: (MessageFormat) throws(Failure) -> Void = { _ in },
    _ body: (MessageRow, UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    var file = try asFailure(.classify) { () throws(SystemError) in
      try InputFile(input, calls: context.calls)
    }
    var chunk = ByteChunk()
    var window: ContiguousArray<UInt8> = []
    var isEnd = false
    while !isEnd, !hasFirstLine(window.span) { isEnd = try append(to: &window, &chunk, &file) }
    let format = try recognise(window.span)
    try begin(format)
    var scanner = RecordScanner(format)
    var columns: MessageColumns?
    while true {
      while let record = scanner.next(in: window.span, isEnd: isEnd) {
        if record.bytes.isEmpty { continue }
        let text = window.span.extracting(record.bytes)
        if let reason = record.reject {
          try reject(record, text, reason)
        } else if format == .json {
          try process(JSONMessage.read(text, expected: expected?.field), of: record, text, body)
        } else if let columns {
          try process(columns.row(scanner.fields, window.span), of: record, text, body)
        } else {
          let (found, isHeader) = try header(scanner.fields, window.span, format)
          columns = found
          if !isHeader { try process(found.row(scanner.fields, window.span), of: record, text, body) }
        }
      }
      if isEnd { return }
      window.removeSubrange(0..<scanner.dropUsed())
      while window.count < scanner.needed, !isEnd { isEnd = try append(to: &window, &chunk, &file) }
    }
  }

  // MARK: The format

  /// Whether a window has all that is compared to recognise the format: a line that is not empty, or enough bytes.
  private func hasFirstLine(_ window: Span<UInt8>) -> Bool {
    if window.count >= MessageFormat.recognisedBytesMax { return true }
    var start = 0
    while start < window.count, window[start] <= 0x20 { start += 1 }
    return LineScan.lineFeed(in: window, from: start) < window.count
  }

  private func recognise(_ window: Span<UInt8>) throws(Failure) -> MessageFormat {
    let start = window.extracting(0..<min(window.count, MessageFormat.recognisedBytesMax))
    let named = MessageFormat(fileName: input)
    let found = MessageFormat(firstBytes: start)
    if let chosen = format ?? named, let found, found != chosen {
      throw Failure(
        .classify,
        MessageInputError(
          input: input, reason: .otherFormat(found, chosen: chosen, byName: format == nil)))
    }
    return format ?? named ?? found ?? .json
  }

  /// Appends the next bytes of the input to the window, and returns whether there are no more.
  private func append(
    to window: inout ContiguousArray<UInt8>, _ chunk: inout ByteChunk, _ file: inout InputFile
  ) throws(Failure) -> Bool {
    chunk.removeAll()
    let isEnd = try read(&file, into: &chunk) == 0
    window.append(copying: chunk.span)
    return isEnd
  }

  private func read(_ file: inout InputFile, into chunk: inout ByteChunk) throws(Failure) -> Int {
    do throws(SystemError) {
      let count = try file.read(into: &chunk)
      context.meter.bytesIn.add(count)
      return count
    } catch {
      throw Failure(.classify, error)
    }
  }

  // MARK: Records

  /// The columns by the first record of a table, and whether it is a header.
  private func header(
    _ fields: [TableField], _ bytes: Span<UInt8>, _ format: MessageFormat
  ) throws(Failure) -> (columns: MessageColumns, isHeader: Bool) {
    let names = fields.map { $0.text(bytes) }
    let isHeader = format == .csv || MessageColumns.isHeader(names)
    func endsLine(_ name: String) -> Bool {
      name.utf8.contains(Byte.carriageReturn) && !name.utf8.contains(Byte.lineFeed)
    }
    if isHeader, names.contains(where: endsLine) {
      throw Failure(.classify, MessageInputError(input: input, reason: .carriageReturns))
    }
    let columns =
      isHeader
      ? MessageColumns.find(names, expected: expected?.field)
      : MessageColumns.headless(expected: expected?.field)
    switch columns {
    case .success(let columns): return (columns, isHeader)
    case .failure(let reason):
      throw Failure(.classify, MessageInputError(input: input, reason: .header(reason)))
    }
  }

  private func process(
    _ result: Result<MessageRow, MessageReject>, of record: MessageRecord, _ text: Span<UInt8>,
    _ body: (MessageRow, UInt64) throws(Failure) -> Void
  ) throws(Failure) {
    switch result {
    case .failure(let reason): try reject(record, text, reason)
    case .success(var row):
      row.line = record.line
      // An empty column counts as absent.
      if let country = row.country, !country.isEmpty, !CountryName.isOne(country) {
        return try reject(record, text, .unknownCountry(country))
      }
      if let label = row.label {
        guard let actions = expected?.actions(of: label) else {
          return try reject(record, text, .unknownAction(label))
        }
        row.expected = actions
      }
      context.meter.rowsIn.add(1)
      try body(row, context.meter.rowsIn.value)
    }
  }

  private func reject(
    _ record: MessageRecord, _ text: Span<UInt8>, _ reason: MessageReject
  ) throws(Failure) {
    context.meter.rowsIn.add(1)
    try context.reject(.line(record.line, byte: record.byte, input: input), reason, text: text)
  }
}
