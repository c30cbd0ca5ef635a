// Copies a table, JSON lines or a workbook, and adds to each record what is known about its number: one record out for
// each one in.

import BasicContainers
package import InputStages
package import RecordStages
package import Records
package import SystemIO

package struct AnnotateOptions: Sendable {
  /// How the input is read. Only the number's field, format, separator, header, encoding and sheet are used.
  package var parse = ParseOptions()
  package var normalize = NormalizeOptions()
  package var columns = AddedColumns()
  /// The output, whose name is checked; nil for any.
  package var output: String?

  package init() {
    parse.encoding = nil
    parse.ignoresVerdicts = true
  }
}

/// Annotates one input, in bounded memory. A workbook is written at its end.
///
///     var annotator = Annotator(options, input: "list.csv", output: sink)
///     while true {
///       let isEnd = try file.read(into: &chunk) == 0
///       try annotator.read(&chunk, isEnd: isEnd)
///       if isEnd { break }
///     }
///     try annotator.finish()
///
/// The result does not depend on how the input is divided into chunks.
package struct Annotator: ~Copyable {
  private let options: AnnotateOptions
  private let input: String
  private var found = LocatedRecords()
  private var numbers: RowNumbers
  private let sink: any ByteSink
  private var output: AnnotatedOutput
  /// Nil until the input was recognised, and for a workbook.
  private var locator: (any RecordLocator)?
  private var workbook: LocatedWorkbook?
  private var cells: AnnotatedCells?
  private var text: AddedText
  /// If the input is not UTF-8: its decoder, the rest of the text that was decoded, and the copy of the bytes.
  private var encoding: EncodedText?
  private var decoded = RigidArray<UInt8>(capacity: 0)
  private var decodedBytes = 0
  private var copy: EncodedCopy?
  private var markBytes = 0
  /// What the user should look at.
  package private(set) var warnings: [UserMessage] = []

  /// Makes an annotator for an input whose name in messages is `input`.
  package init(_ options: AnnotateOptions, input: String, output sink: any ByteSink) {
    self.options = options
    self.input = input
    numbers = RowNumbers(options.normalize)
    self.sink = sink
    output = AnnotatedOutput(sink)
    text = AddedText(options.columns, .jsonLines)
  }

  /// Whether more bytes may change how the input is read, up to the end of a workbook.
  package var isUndecided: Bool { locator == nil }

  /// Annotates the records that are whole, writes them, and removes them from the chunk. The caller appends the next bytes
  /// to the rest, for which the chunk has capacity afterwards.
  ///
  /// - Parameter isIdle: whether nothing follows for the moment, so that whole records can't wait for what may follow them.
  package mutating func read(
    _ chunk: inout ByteChunk, isEnd: Bool, isIdle: Bool = false
  ) throws(Failure) {
    if locator == nil, workbook == nil, try !open(chunk.span, isEnd: isEnd, isIdle: isIdle) {
      if isEnd {
        try output.put(chunk.span)
        try output.flush()
        chunk.removeAll()
      }
      return Self.grow(&chunk)
    }
    if let workbook { return try read(&chunk, isEnd: isEnd, workbook) }
    guard let locator else { return }
    var used = 0
    if encoding == nil {
      used = min(markBytes, chunk.count)
      try output.put(chunk.span.extracting(0..<used))
      markBytes -= used
      while used < chunk.count {
        let window = chunk.span.extracting(used..<chunk.count)
        let count = try locator.locate(window, isEnd: isEnd, into: &found)
        if count == 0 { break }
        try write(window, count)
        used += count
      }
    } else {
      used = try readEncoded(chunk.span, isEnd: isEnd, locator)
    }
    if isEnd { try output.put(chunk.span.extracting(used..<chunk.count)) }
    chunk.bytes.removeSubrange(0..<(isEnd ? chunk.count : used))
    try output.flush()
    Self.grow(&chunk)
  }

  private mutating func read(
    _ chunk: inout ByteChunk, isEnd: Bool, _ workbook: LocatedWorkbook
  ) throws(Failure) {
    try workbook.read(chunk.span, isEnd: isEnd)
    chunk.removeAll()
    guard isEnd else { return }
    try check(workbook.names)
    warnings = workbook.warnings
    try workbook.copy(to: sink)
  }

  /// Makes the output complete.
  package consuming func finish() throws(Failure) {
    try output.finish()
  }

  /// The number of lines that can't be added to. Call it before ``finish()``.
  package var unusableLines: UInt64 { locator?.unusableLines ?? 0 }

  /// The warning that the numbers need a region; nil if one was chosen, or if any number is valid. Call it before
  /// ``finish()``.
  package var regionWarning: UserMessage? {
    guard options.normalize.region == nil, cells?.hasOnlyNationalNumbers ?? text.hasOnlyNationalNumbers else {
      return nil
    }
    return UserMessage(
      "\(InputName.quoted(input)): no row has a valid number with a country code",
      hint: "name the country of the other numbers with \(option: "region", "CC")")
  }

  private static func grow(_ chunk: inout ByteChunk) {
    if chunk.freeCapacity == 0 { chunk.bytes.reallocate(capacity: 2 * chunk.bytes.capacity) }
  }

  /// Recognises the input by its start; returns false if more bytes are needed.
  private mutating func open(_ bytes: Span<UInt8>, isEnd: Bool, isIdle: Bool) throws(Failure) -> Bool {
    let startBytesMax = LocatedInput.startBytesMax
    // Whether the input is longer than its start must not depend on the chunks.
    let isKnown = isEnd || bytes.count > startBytesMax
    let mayDecide = isIdle || options.parse.leavesNothingToRecognise
    guard isKnown || mayDecide && LineScan.lineFeed(in: bytes, from: 0) < bytes.count else { return false }
    let isWorkbook = LocatedWorkbook.begins(bytes, options.parse)
    try options.checkOutput(of: input, isWorkbook: isWorkbook)
    if isWorkbook {
      let cells = AnnotatedCells(options)
      self.cells = cells
      workbook = try LocatedWorkbook(options.parse, input: input, cells)
      return true
    }
    if isEnd, bytes.isEmpty || !options.parse.leavesNothingToRecognise && Self.isBlank(bytes) {
      warnings = [UserMessage("\(InputName.quoted(input)) has no rows")]
      return false
    }
    let start = bytes.extracting(0..<min(bytes.count, startBytesMax))
    guard
      let opened = try LocatedInput.open(
        start, isWhole: isEnd && bytes.count <= startBytesMax, options.parse, input: input,
        encoding: &encoding)
    else { return false }
    try check(opened.names)
    text = AddedText(options.columns, opened.form)
    warnings = opened.warnings
    markBytes = opened.markBytes
    locator = opened.locator
    if let opened = encoding.take() {
      copy = EncodedCopy(opened)
      encoding = consume opened
    }
    return true
  }

  private static func isBlank(_ bytes: Span<UInt8>) -> Bool {
    for index in bytes.indices where !" \t\r\n".utf8.contains(bytes[index]) { return false }
    return true
  }

  /// Throws if a column of the input has the name of an added one.
  private func check(_ names: [String]) throws(Failure) {
    guard let item = options.columns.items.first(where: { names.contains($0.name) }) else { return }
    let column = item.column.rawValue
    throw Failure(
      nil, .badData, "column-exists", "\(InputName.quoted(input)) has a column '\(item.name)'",
      hint: "give the new one another name: --columns \(column)=\(column)_2,…")
  }

  // MARK: UTF-8

  /// Normalizes the numbers of the records that were located, and writes the records.
  private mutating func write(_ window: Span<UInt8>, _ count: Int) throws(Failure) {
    numbers.read(found.texts)
    try Self.write(window.extracting(0..<count), found, numbers, &text, &output)
    found.removeAll()
  }

  private static func write(
    _ window: Span<UInt8>, _ found: borrowing LocatedRecords, _ numbers: borrowing RowNumbers,
    _ text: inout AddedText, _ output: inout AnnotatedOutput
  ) throws(Failure) {
    let records = found.records.span
    let results = numbers.results.span
    var row = 0
    var copied = 0
    for index in records.indices {
      let record = records[index]
      let end = Int(record.end)
      try output.put(window.extracting(copied..<end))
      copied = end
      switch record.kind {
      case .number:
        let result = results[row]
        row += 1
        if result < RowNumbers.reasonMin, record.missing == 0 {
          try text.put(result, to: &output)
        } else {
          try output.put(text.text(of: record, result, found, numbers).span)
        }
      case .reject, .header: try output.put(text.text(of: record, 0, found, numbers).span)
      case .other: break
      }
    }
    try output.put(window.extracting(copied..<window.count))
  }

  // MARK: Other encodings

  private mutating func readEncoded(
    _ bytes: Span<UInt8>, isEnd: Bool, _ locator: any RecordLocator
  ) throws(Failure) -> Int {
    guard var encoding = encoding.take(), var copy = copy.take() else { return 0 }
    var decoded = RigidArray<UInt8>(capacity: 0)
    swap(&decoded, &self.decoded)
    encoding.decode(bytes.extracting(decodedBytes..<bytes.count), isEnd: isEnd, into: &decoded)
    if markBytes > 0 {
      decoded.removeSubrange(0..<min(markBytes, decoded.count))
      markBytes = 0
    }
    copy.beginWindow()
    var used = 0
    while used < decoded.count {
      let window = decoded.span.extracting(used..<decoded.count)
      let count = try locator.locate(window, isEnd: isEnd, into: &found)
      if count == 0 { break }
      numbers.read(found.texts)
      try Self.write(
        bytes, window, isEnd: isEnd, found, numbers, &text, &copy, &output)
      found.removeAll()
      used += count
    }
    decoded.removeSubrange(0..<used)
    swap(&decoded, &self.decoded)
    decodedBytes = bytes.count - copy.used
    let copied = copy.used
    self.encoding = consume encoding
    self.copy = consume copy
    return copied
  }

  private static func write(
    _ bytes: Span<UInt8>, _ window: Span<UInt8>, isEnd: Bool, _ found: borrowing LocatedRecords,
    _ numbers: borrowing RowNumbers, _ text: inout AddedText, _ copy: inout EncodedCopy,
    _ output: inout AnnotatedOutput
  ) throws(Failure) {
    var row = 0
    var start = 0
    for index in 0..<found.records.count {
      let record = found.records[index]
      let (end, next) = (Int(record.end), Int(record.next))
      if next == start { continue }
      var lineFeeds = 0
      for index in start..<next where window[index] == Byte.lineFeed { lineFeeds += 1 }
      let endsLine = next > 0 && window[next - 1] == Byte.lineFeed
      start = next
      if record.kind == .other {
        if endsLine {
          try copy.copyText(bytes, lineFeeds: lineFeeds, hasReturn: false, to: &output)
          try copy.copyLineEnd(bytes, to: &output)
        } else if !isEnd || next < window.count {
          try copy.copyPart(bytes, to: &output)
        }
        continue
      }
      let hasReturn = end < next && window[end] == Byte.carriageReturn
      try copy.copyText(bytes, lineFeeds: endsLine ? lineFeeds : 0, hasReturn: hasReturn, to: &output)
      let result = record.kind == .number ? numbers.results[row] : 0
      if record.kind == .number { row += 1 }
      try copy.add(text.text(of: record, result, found, numbers).span, to: &output)
      try copy.copyLineEnd(bytes, to: &output)
    }
  }
}

extension AddedText {
  /// The text that is added to a record, with the cells that it lacks before.
  mutating func text(
    of record: LocatedRecords.Record, _ result: UInt64, _ found: borrowing LocatedRecords,
    _ numbers: borrowing RowNumbers
  ) -> ContiguousArray<UInt8> {
    let added: ContiguousArray<UInt8>
    switch record.kind {
    case .other: return []
    case .header: added = header
    case .reject: added = text(reason: found.reasons[Int(record.reason)])
    case .number where result >= RowNumbers.reasonMin:
      added = text(reason: numbers.reasons[Int(UInt64.max - result)])
    case .number: added = text(of: result)
    }
    guard record.missing > 0 else { return added }
    switch form {
    case .table(let separator, _):
      return ContiguousArray(repeating: separator, count: Int(record.missing)) + added
    // The first member has no comma before it.
    case .jsonLines: return ContiguousArray(added.dropFirst())
    }
  }
}
