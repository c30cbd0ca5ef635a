// The parse stage: text in, raw rows out.
//
// A reader reads the bytes in place, in the chunk. Only a record that crosses the end of a chunk is copied into `held`,
// until it is complete; `held` never grows beyond the largest record allowed.

import BasicContainers
package import Records
package import SystemIO

/// Finds the raw rows in a stream of UTF-8 bytes. For inputs in other encodings, put an ``InputDecoder`` before it.
///
/// The chunks' boundaries don't affect the result. After `finish`, the meter satisfies `rowsIn == rowsOut + rejects`.
///
/// - Complexity: O(bytes); memory for one batch and one record.
package final class RowParser: ByteSink {
  let options: ParseOptions
  let context: StageContext
  /// The encoding of the current input before it was converted.
  var encoding = InputEncoding()
  var rows: RowWriter
  var reader: (any FormatReader)?
  var validator: JSONValidator?

  /// The start of a record that crosses the end of a chunk.
  var held: RigidArray<UInt8>
  /// The size of `held` at which it is read again.
  private var heldReadSize = 0
  private let heldMax: Int
  private let heldStep: Int
  /// The number of bytes of an input that are examined to recognise its format.
  private let startBytesMax: Int
  private var isChecked = false
  /// Whether no reader has read any part of the input yet.
  private var isAtStart = true
  /// Whether the input's start has been skipped, because it is white space.
  private var isBlankSoFar = false
  /// Whether other line ends than line feeds are converted to these for the reader.
  var convertsLineEnds = false
  /// Whether this parser reads parts of an input for another one, which has to read those with other line ends.
  private var readsParts = false
  /// The number of bytes of the window that have been validated.
  private var validated = 0

  private var isReaderConverted = false
  /// The format in which the input is read.
  private var inputFormat = ParseOptions.Format.auto

  /// Receives the recognised properties of each input; nil if they are not needed.
  var observe: (@Sendable (InputLayout) -> Void)?
  /// Receives notices; nil if they are not needed.
  var notify: (@Sendable (any StageNotice) -> Void)?
  /// Receives what is recognised, as text; nil if nobody wants to see it.
  var noteDetail: (@Sendable (String) -> Void)?
  /// The input's start and its format, until they are reported.
  private var unreported: (start: InputStart, format: ParseOptions.Format)?
  private var hasUsedBytes = false
  /// Whether a run whose only input has no rows and no rejects is an error.
  var refusesNothing = false
  /// Whether the input is more than white space.
  private var hasText = false
  /// The number of rows of any outcome before the input.
  private var counted: UInt64 = 0
  /// The encoding of an input that is read as UTF-8 and is not UTF-8.
  private var suggestion = EncodingSuggestion()

  /// The number of bytes that are added to an incomplete record before it is read again: it must not be read again for
  /// every byte of a pipe that delivers single bytes.
  private static let defaultHeldStep = 1024

  /// Makes a parser for an input whose name in messages is `name`.
  package convenience init(
    options: ParseOptions, input name: String, context: StageContext,
    downstream: any RawRowSink
  ) {
    self.init(
      options: options, input: name, context: context, downstream: downstream,
      heldStep: Self.defaultHeldStep, startBytes: ParseLimits.startBytesMax)
  }

  /// Creates a parser for tests and fuzzers, which read an incomplete record again after a few bytes, and examine a
  /// shorter start of the input.
  package init(
    options: ParseOptions, input name: String, context: StageContext,
    downstream: any RawRowSink, heldStep: Int, startBytes: Int
  ) {
    var options = options
    options.recordBytesMax = min(max(options.recordBytesMax, 1), Int(Int32.max))
    self.options = options
    self.context = context
    self.heldStep = max(heldStep, 1)
    startBytesMax = startBytes
    heldMax = max(
      ParseLimits.heldBytes(recordBytesMax: options.recordBytesMax),
      startBytes + ByteOrderMark.bytesMax)
    rows = RowWriter(options: options, input: name, context: context, downstream: downstream)
    held = RigidArray(capacity: ParseLimits.heldBytesMin)
  }

  /// Parses bytes, and sends the complete rows downstream.
  package func receive(_ chunk: inout ByteChunk) throws(Failure) {
    let span = chunk.span
    context.meter.bytesIn.add(span.count)
    try checkOptions()
    try parse(span)
  }

  /// The current capacity for an incomplete record.
  var heldCapacity: Int { held.capacity }

  /// The input's name in messages.
  var input: String { rows.input }

  /// Ends the input, sends the last rows downstream, and finishes the following stages.
  package func finish() throws(Failure) {
    try endInput()
    if isNothingRead {
      // Another source of the run, or another input, may have rows.
      if refusesNothing, context.origin.source.isEmpty, handled == 0 {
        throw .noRows(input: rows.input, inputFormat)
      }
      report(.noRows(inputFormat))
    }
    let leftOut = context.meter.leftOutByReason
    let undated = context.meter.undated.value
    if !leftOut.isEmpty || undated > 0 {
      report(
        .byDate(
          tooOld: leftOut[RowDates.tooOld] ?? 0, tooNew: leftOut[RowDates.tooNew] ?? 0, undated: undated))
    }
    try rows.finish()
  }

  /// Whether the input has text, and no row of any outcome.
  private var isNothingRead: Bool { hasText && counted == handled }

  /// The number of rows so far: those that are passed on, rejected or left out.
  private var handled: UInt64 {
    rows.count + context.meter.rejects.value + context.meter.leftOut.value
  }

  /// Sends the rows found so far downstream: they are valid even if the input can't be read to its end.
  package func flush() throws(Failure) {
    try rows.flush()
  }

  /// Ends the input and starts another one, whose name in messages is `name`. The numbering of rows continues.
  package func nextInput(name: String) throws(Failure) {
    try endInput()
    if isNothingRead { report(.noRows(inputFormat)) }
    hasText = false
    counted = handled
    rows.begin(name)
    reader?.reset()
    // `auto` detects the format of each input separately.
    if options.format == .auto { reader = nil }
    isAtStart = true
    isBlankSoFar = false
    validator = nil
    convertsLineEnds = false
    validated = 0
    encoding = InputEncoding()
    suggestion = EncodingSuggestion()
    unreported = nil
  }

  // MARK: Windows

  /// Parses UTF-8 bytes that the meter has already counted.
  func parse(_ span: Span<UInt8>) throws(Failure) {
    var used = 0
    while used < span.count {
      if held.isEmpty {
        let rest = span.extracting(used..<span.count)
        let done = try readWindow(rest, isEnd: false)
        hold(rest.extracting(done..<rest.count))
        return
      }
      used = try readHeld(span, used)
    }
  }

  /// Adds some of the chunk's bytes to the incomplete record and reads it; returns the index of the first byte of the
  /// chunk that must be read again.
  private func readHeld(_ span: Span<UInt8>, _ start: Int) throws(Failure) -> Int {
    let step = min(span.count - start, max(heldReadSize - held.count, 1))
    append(span.extracting(start..<start + step))
    let used = start + step
    if held.count < heldReadSize { return used }
    let bytes = takeHeld()
    let done = try readWindow(bytes.span, isEnd: false)
    let left = bytes.count - done
    // The remaining bytes came with this chunk, so they are read in place.
    if done > 0, left <= step { return used - left }
    hold(bytes.span.extracting(done..<bytes.count))
    return used
  }

  /// Removes the held bytes from `self`, so that a reader can read them while `self` changes.
  func takeHeld() -> RigidArray<UInt8> {
    var bytes = RigidArray<UInt8>(capacity: 0)
    swap(&bytes, &held)
    return bytes
  }

  private func hold(_ rest: Span<UInt8>) {
    append(rest)
    heldReadSize = min(max(held.count + max(heldStep, held.count / 2), 1), max(heldMax, held.count + 1))
  }

  private func append(_ bytes: Span<UInt8>) {
    if bytes.isEmpty { return }
    let needed = held.count + bytes.count
    if needed > held.capacity {
      held.reallocate(capacity: max(needed, min(2 * held.capacity, heldMax), ParseLimits.heldBytesMin))
    }
    held.append(copying: bytes)
  }

  private func endInput() throws(Failure) {
    try checkOptions()
    let bytes = takeHeld()
    _ = try readWindow(bytes.span, isEnd: true)
    for finding in reader?.endFindings ?? [] { report(finding) }
    if let failure = validator?.finish(input: rows.input) { throw failure }
    do throws(Failure) {
      try reader?.checkEnd(input: rows.input)
      try rows.dates.checkEnd(field: options.dateField?.text ?? "", input: rows.input)
    } catch {
      // The rows before the end are valid.
      try rows.flush()
      throw error
    }
    heldReadSize = 0
  }

  /// Passes a window to the reader; returns the number of bytes used.
  func readWindow(_ window: Span<UInt8>, isEnd: Bool) throws(Failure) -> Int {
    var start = 0
    if isAtStart, options.format == .auto, !options.isStrict {
      // If the start is blank, the format is recognised by what follows.
      let blank = window.skippingSpace()
      if blank >= (isBlankSoFar ? 1 : startBytesMax) {
        guard blank == window.count, isEnd else {
          isBlankSoFar = true
          rows.advance(window, by: blank)
          return blank
        }
      }
    }
    if isAtStart {
      guard let markBytes = try begin(window, isEnd: isEnd) else { return 0 }
      start = markBytes
      noteFormat()
    }
    validated = max(validated, start)
    try validate(window)
    if start > 0 { rows.advance(window, by: start) }
    let rest = window.extracting(start..<window.count)
    if !hasText { hasText = rest.skippingSpace() < rest.count }
    let offset = rows.windowStart
    noteStart(rest, isEnd)
    let done: Int
    do throws(Failure) {
      done = try readRows(rest, isEnd)
    } catch {
      suggestEncoding(rest, at: offset, isEnd: true)
      reportLayout()
      throw error
    }
    suggestEncoding(rest.extracting(0..<done), at: offset, isEnd: isEnd)
    if done > 0 { hasUsedBytes = true }
    if done > 0 || isEnd { reportLayout() }
    validated = window.count - start - done
    return start + done
  }

  /// Finds rows, and returns the number of bytes that are no longer needed.
  private func readRows(_ bytes: Span<UInt8>, _ isEnd: Bool) throws(Failure) -> Int {
    guard let reader else { return 0 }
    if convertsLineEnds { return try readConverted(reader, bytes, isEnd) }
    let done = try reader.read(bytes, isEnd: isEnd, into: &rows)
    rows.advance(bytes, by: done)
    guard reader.hasOtherLineEnds, !readsParts else { return done }
    convertsLineEnds = true
    return done + (try readConverted(reader, bytes.extracting(done..<bytes.count), isEnd))
  }

  private func readConverted(
    _ reader: any FormatReader, _ bytes: Span<UInt8>, _ isEnd: Bool
  ) throws(Failure) -> Int {
    let text = LineTerminators.withLineFeeds(bytes, isEnd: isEnd, isList: inputFormat.isLines)
    let done = try reader.read(text.span, isEnd: isEnd, into: &rows)
    rows.advance(text.span, by: done)
    return done
  }

  /// Detects the format from the input's start and makes its reader; returns the length of the byte order mark, or nil
  /// if more bytes are needed.
  private func begin(_ window: Span<UInt8>, isEnd: Bool) throws(Failure) -> Int? {
    let named = options.format.row
    let needsStart = named?.needsStart ?? true || rows.dates.needsProbe
    let bytesNeeded = ByteOrderMark.bytesMax + (needsStart ? startBytesMax : 0)
    if window.count < bytesNeeded, !isEnd { return nil }
    let mark = ByteOrderMark.utf8Length(window)
    let end = min(window.count, mark + startBytesMax)
    let isKnown = isEnd || end == mark + startBytesMax
    if try mayBePage(window.extracting(mark..<end), named, isKnown: isKnown) { return nil }
    let isWhole = isEnd && end == window.count
    let text = window.extracting(mark..<end)
    let lineEnds = named?.hasLines ?? true ? LineTerminators(text) : nil
    let lines =
      lineEnds?.haveReturns ?? false
      ? LineTerminators.withLineFeeds(text, isEnd: isWhole, isList: false) : []
    let start = lines.isEmpty ? text : lines.span
    let row = try description(start)
    if mark > 0 || encoding.name != nil { suggestion.end() }
    if row.signature?.matches(start) != true, let name = wideEncoding(start) {
      suggestion.end()
      report(.otherEncoding(name))
    }
    if encoding.name == nil, row.isJSON || row.hasLines, !isUTF8(start, isWhole: isWhole) {
      rows.noteInvalidText()
    }
    convertsLineEnds =
      row.hasLines && (row.isTableOrList ? lineEnds?.haveReturns : lineEnds?.areReturns) ?? false
    isAtStart = false
    hasUsedBytes = false
    inputFormat = row.format
    // A reader is made for either converted or unconverted bytes, and inputs may differ in that.
    if reader == nil || isReaderConverted != encoding.isConverted {
      isReaderConverted = encoding.isConverted
      try options.check(row)
      reader = row.makeReader(
        ReaderConfiguration(options: options, context: context, isConverted: isReaderConverted))
    }
    if options.isStrict, row.isJSON {
      if let marked = encoding.marked, options.encoding == nil {
        throw .notUTF8JSON(input: rows.input, marked)
      }
      validator = JSONValidator(skipping: mark)
    }
    let needsDates = rows.dates.needsProbe && (row.hasLines || row.isJSON)
    rows.dates.begin(nil, isExamined: needsDates)
    if row.needsStart || observe != nil || notify != nil || needsDates {
      let copy = InputStart(
        bytes: ContiguousArray(copying: start), isWhole: isWhole, input: rows.input)
      if row.needsStart { try reader?.begin(copy) }
      if needsDates { rows.dates.begin(try dateFormat(copy), isExamined: true) }
      if observe != nil || notify != nil { unreported = (copy, row.format) }
    }
    return mark
  }

  /// Whether more bytes decide if the input is a web page, whose numbers are not a list in any format; throws if it is one.
  /// Strict JSON reports it itself.
  private func mayBePage(_ start: Span<UInt8>, _ named: FormatDescription?, isKnown: Bool) throws(Failure)
    -> Bool
  {
    if options.isStrict, named?.isJSON == true { return false }
    switch ServerPage.find(in: start, isWhole: isKnown) {
    case .found(let page): throw .serverPage(page, input: rows.input)
    case .unclear: return true
    case .none: return false
    }
  }

  /// How the dates of an input are written, by the rows of its start; nil if each of them shows it.
  private func dateFormat(_ start: InputStart) throws(Failure) -> DateFormat? {
    let bytes = start.bytes.span
    var end = bytes.count
    // The last row may be cut.
    while !start.isWhole, end > 0, bytes[end - 1] != Byte.lineFeed { end -= 1 }
    let parser = RowParser(
      options: options, input: input, context: try WorkerContext(of: context).context,
      downstream: UnusedRows())
    parser.rows.dates.beginProbe()
    do throws(Failure) {
      try parser.parse(bytes.extracting(0..<end))
      let rest = parser.takeHeld()
      _ = try parser.readWindow(rest.span, isEnd: true)
    } catch {
      // The input's parser finds the same fault.
    }
    return try parser.rows.dates.probe?.format(field: options.dateField?.text ?? "", input: input)
  }

  /// The format of an input with this start; throws for one that is in none, or in one that is not a list's.
  private func description(_ start: Span<UInt8>) throws(Failure) -> FormatDescription {
    if BinaryContent(start) == .tar { throw .binaryInput(context.stage, rows.input, .tar) }
    let found = FormatTable.all.description(for: options, start: start)
    if options.format == .auto {
      if Detection.isManifest(start) { throw .manifest(input: rows.input) }
      if found.map({ $0.turn == .last }) ?? true {
        if let root = XMLStart.document(start) { throw .unknownXML(root, input: rows.input) }
        if YAMLStart.isPipeline(start) { throw .pipelineFile(input: rows.input) }
        if found == nil || OtherText.isWikiTable(start), let text = OtherText(start) {
          throw .otherText(text, input: rows.input)
        }
      }
    }
    guard let found else {
      throw .unknownFormat(
        input: rows.input, isBinary: Detection.isBinary(start), encoding: wideEncoding(start))
    }
    return found
  }

  // MARK: Findings

  func report(_ finding: InputNotice.Finding) {
    notify?(InputNotice(finding, input: rows.input, source: context.origin.source))
  }

  /// Replaces the input's start by a longer one, as long as no reader has used any of it: a format that was named is
  /// read from the first bytes on.
  private func noteStart(_ bytes: Span<UInt8>, _ isEnd: Bool) {
    guard let unreported, !unreported.start.isWhole, !hasUsedBytes, !convertsLineEnds,
      unreported.start.bytes.count < startBytesMax
    else { return }
    self.unreported?.start.bytes = ContiguousArray(copying: bytes.extracting(first: startBytesMax))
    self.unreported?.start.isWhole = isEnd && bytes.count <= startBytesMax
  }

  /// Reports the format and the encoding of the input.
  private func noteFormat() {
    guard let noteDetail else { return }
    let isText = inputFormat.row.map { $0.isJSON || $0.hasLines } ?? false
    let parts = [inputFormat.rawValue, encoding.name ?? (isText ? "UTF-8" : nil)].compactMap(\.self)
    noteDetail("\(InputName.quoted(PrintableText.line(rows.input))): \(parts.joined(separator: ", "))")
  }

  /// Reports the recognised properties of the input once its fields are known.
  private func reportLayout() {
    guard let (start, format) = unreported, var layout = reader?.layout(of: start) else { return }
    layout.format = format
    layout.encoding = encoding.name
    observe?(layout)
    guard !layout.fields.isEmpty || layout.rowsArePairs || !layout.otherSheets.isEmpty else { return }
    unreported = nil
    report(.layout(layout))
  }

  /// The name of UTF-16 or ISO-2022-JP if the input, read as UTF-8, is probably that; otherwise nil.
  private func wideEncoding(_ start: Span<UInt8>) -> String? {
    encoding.name == nil ? EncodingGuess.wide(start) ?? EncodingGuess.escaped(start) : nil
  }

  /// Whether the start of an input is UTF-8: field names are, and what is not read.
  private func isUTF8(_ start: Span<UInt8>, isWhole: Bool) -> Bool {
    var end = start.count
    // The last character may be cut.
    while !isWhole, end > 0, start.count - end < 4, start[end - 1] >= 0x80 { end -= 1 }
    return end == 0 || start[0] == UInt8(ascii: "<") || UTF8Check.isValid(start.extracting(0..<end))
  }

  /// Reports the encoding that the input probably has, if a row is not UTF-8.
  private func suggestEncoding(_ bytes: Span<UInt8>, at offset: UInt64, isEnd: Bool) {
    guard needsAllBytes else { return }
    if let name = suggestion.add(bytes, at: offset, isEnd: isEnd) { report(.otherEncoding(name)) }
  }

  /// Whether bytes are examined for the encoding that they probably have.
  var needsAllBytes: Bool { rows.hasInvalidText && !suggestion.isDone && notify != nil }

  private func validate(_ window: Span<UInt8>) throws(Failure) {
    if let failure = validator?.check(window.extracting(validated..<window.count), input: rows.input) {
      throw failure
    }
  }

  func checkOptions() throws(Failure) {
    if isChecked { return }
    isChecked = true
    try options.check()
  }
}

extension Failure {
  /// The input is in none of the formats. `encoding` is the encoding in which it is probably text, if it is not read in it.
  static func unknownFormat(input: String, isBinary: Bool, encoding: String? = nil) -> Failure {
    let input = InputName.quoted(input)
    if let encoding {
      return parse(
        "unknown-format", "\(input) looks like \(encoding) without a byte order mark",
        hint: "try \(option: "encoding", encoding)")
    }
    return parse(
      "unknown-format", "\(input) does not look like \(isBinary ? "text" : "any known format")",
      hint: "set the format with \(option: "format", "NAME") (list: 'cdpipe parse --formats')"
        + (isBinary ? ", the encoding with \(option: "encoding", "NAME")" : ""))
  }

  static func manifest(input: String) -> Failure {
    parse(
      "manifest", "\(InputName.quoted(input)) is the manifest of stores",
      hint: "read their records with: cdpipe cat \(input == "-" ? "FILE" : ShellQuoting.quoted(input)) | …")
  }

  static func pipelineFile(input: String) -> Failure {
    parse(
      "pipeline-file", "\(InputName.quoted(input)) is a pipeline file, not a list",
      hint: "run it with: cdpipe run \(input == "-" ? "FILE" : ShellQuoting.quoted(input))")
  }

  static func noRows(input: String, _ format: ParseOptions.Format) -> Failure {
    parse(
      "no-rows", "\(InputName.quoted(input)) has no rows with a number (read as \(format))",
      hint: "check that it is a list in this format; set another one with \(option: "format", "NAME")")
  }
}

private final class UnusedRows: RawRowSink {
  func receive(_ batch: inout RawRowBatch) { batch.removeAll() }
  func finish() {}
}

// MARK: - Parts of an input
// How several threads parse parts of an input: each assumes the position where its part starts, and the parser accepts the
// result if the parts before it have ended there. Otherwise it reads the part itself, so nothing depends on the parts.

/// Where a part of an input has ended, for a parser that did not read it.
struct PartEnd: Sendable {
  var position: ReaderPosition
  /// The number of its line feeds.
  var lines: UInt64
}

extension RowParser {
  /// The position that has been reached, if what follows may be read by other threads.
  var position: ReaderPosition? {
    guard held.isEmpty, validator == nil, !convertsLineEnds, !needsAllBytes else { return nil }
    return reader?.position
  }

  /// Reads the head of an input whose parts this parser will read. Its rows are not those of a part: the caller drops
  /// them. Returns false if the head does not suffice.
  func readHead(_ head: DividedHead) throws(Failure) -> Bool {
    readsParts = true
    encoding = head.encoding
    let bytes = head.bytes
    try parse(bytes.span)
    let last = takeHeld()
    _ = try readWindow(last.span, isEnd: false)
    return reader?.resume(at: ReaderPosition()) ?? false
  }

  /// Reads a part that starts at a byte of the input, at an assumed position. Lines are counted from 1. Returns nil if the
  /// part does not end between two records, or if the parser that reads the other parts must see it.
  func readPart(
    _ bytes: Span<UInt8>, at byte: UInt64, from position: ReaderPosition
  ) throws(Failure) -> PartEnd? {
    guard let reader, reader.resume(at: position) else { return nil }
    rows.enter(atByte: byte)
    guard try readWindow(bytes, isEnd: false) == bytes.count, !rows.hasInvalidText,
      let end = reader.position
    else { return nil }
    try rows.flush()
    return PartEnd(position: end, lines: rows.windowLine - 1)
  }

  /// Accepts a part that another thread has read, if it started where this parser is, or else reads it.
  func add(_ part: inout InputPart) throws(Failure) {
    guard let end = part.end, let position, position == part.start, let reader,
      reader.resume(at: end.position)
    else {
      part.discard()
      return try parse(part.bytes.span)
    }
    try rows.flush()
    let lines = rows.windowLine - 1
    for index in part.result.rejects.indices {
      guard case .line(let line, let byte, let input) = part.result.rejects[index].place else { continue }
      part.result.rejects[index].place = .line(lines + line, byte: byte, input: input)
    }
    try part.result.pass(to: context)
    try part.rows.pass(to: &rows)
    rows.skip(bytes: part.bytes.count, lines: end.lines)
  }
}
