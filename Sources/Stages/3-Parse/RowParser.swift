// The parse stage: text in, raw rows out.
//
// A reader looks at the bytes where they lie in the chunk. Only a record that a chunk's end cuts is copied,
// into `held`, until it is whole; `held` grows no further than one record of the largest size allowed.
//
// Not for: encodings other than UTF-8 (InputDecoder), what a row looks like (the readers), or what a number is
// (normalize).

import BasicContainers
import CallRecord
public import PipeStage
public import SystemIO

/// Finds the raw rows in a stream of bytes in UTF-8. Where inputs may be in other encodings, ``InputDecoder`` goes in
/// front.
///
/// Where the input is cut into chunks changes nothing. `rowsIn == rowsOut + rejects` holds on the meter
/// after `finish`.
///
/// - Complexity: O(bytes); memory for one batch and one record.
public final class RowParser: ByteSink {
  let options: ParseOptions
  let formats: FormatTable
  let context: StageContext
  /// How the present input was written before it came here.
  var encoding = InputEncoding()
  private var rows: RowWriter
  private var reader: (any FormatReader)?
  private var validator: JSONValidator?

  /// The beginning of a record that a chunk's end cut.
  private var held: RigidArray<UInt8>
  /// The count of `held` from which it is read again.
  private var heldEnough = 0
  private let heldMax: Int
  private let heldStep: Int
  /// How much of an input is examined to recognise its format.
  private let startBytesMax: Int
  private var isChecked = false
  /// Whether no reader has read any of the input yet.
  private var isAtStart = true
  /// Whether carriage returns alone end the input's lines; the reader gets line feeds instead.
  private var endsLinesWithReturns = false
  /// How many bytes of the window are validated already.
  private var validated = 0

  /// Whether the reader was made for bytes that were converted.
  private var isReaderConverted = false

  /// How many bytes are added to a cut record before it is read again: the record must not be read again for each
  /// byte of a pipe that delivers single bytes.
  private static let defaultHeldStep = 1024

  /// Makes a parser for an input; `name` is its name in messages.
  public convenience init(
    options: ParseOptions, formats: FormatTable, input name: String, context: StageContext,
    downstream: any RawRowSink
  ) {
    self.init(
      options: options, formats: formats, input: name, context: context, downstream: downstream,
      heldStep: Self.defaultHeldStep, startBytes: ParseLimits.startBytesMax)
  }

  /// For tests and fuzzers, which read a cut record again after few bytes, and examine a shorter start of the input.
  package init(
    options: ParseOptions, formats: FormatTable, input name: String, context: StageContext,
    downstream: any RawRowSink, heldStep: Int, startBytes: Int
  ) {
    self.formats = formats
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

  /// Parses bytes and passes on the rows that are complete.
  public func receive(_ chunk: inout ByteChunk) throws(StageError) {
    let span = chunk.span
    context.meter.bytesIn.add(span.count)
    try checkOptions()
    try take(span)
  }

  /// The capacity for a cut record at present.
  var heldCapacity: Int { held.capacity }

  /// The input's name in messages.
  var input: String { rows.input }

  /// Ends the input, passes on the last rows, and ends the following stages.
  public func finish() throws(StageError) {
    try endInput()
    try rows.finish()
  }

  /// Passes on the rows that were found so far: they are good also when the input can't be read to its end.
  public func flush() throws(StageError) {
    try rows.flush()
  }

  /// Ends the input and begins another one; `name` is its name in messages. The rows are counted on.
  public func nextInput(name: String) throws(StageError) {
    try endInput()
    rows.begin(name)
    reader?.reset()
    // `auto` looks at each input again.
    if options.format == .auto { reader = nil }
    isAtStart = true
    validator = nil
    endsLinesWithReturns = false
    validated = 0
    encoding = InputEncoding()
  }

  // MARK: Windows

  /// Parses bytes in UTF-8, which are counted already.
  func take(_ span: Span<UInt8>) throws(StageError) {
    var used = 0
    while used < span.count {
      if held.isEmpty {
        let rest = span.extracting(used..<span.count)
        let done = try look(rest, isEnd: false)
        hold(rest.extracting(done..<rest.count))
        return
      }
      used = try lookAtCut(span, used)
    }
  }

  /// Adds some of the chunk's bytes to the cut record and reads it; returns how many of the chunk's bytes need not be
  /// read again.
  private func lookAtCut(_ span: Span<UInt8>, _ start: Int) throws(StageError) -> Int {
    let step = min(span.count - start, max(heldEnough - held.count, 1))
    append(span.extracting(start..<start + step))
    let used = start + step
    if held.count < heldEnough { return used }
    let bytes = takeHeld()
    let done = try look(bytes.span, isEnd: false)
    let left = bytes.count - done
    // What is left came with this chunk: go on where it lies there.
    if done > 0, left <= step { return used - left }
    hold(bytes.span.extracting(done..<bytes.count))
    return used
  }

  /// Removes the held bytes from `self`, so that a reader can read them while `self` changes.
  private func takeHeld() -> RigidArray<UInt8> {
    var taken = RigidArray<UInt8>(capacity: 0)
    swap(&taken, &held)
    return taken
  }

  private func hold(_ rest: Span<UInt8>) {
    append(rest)
    heldEnough = min(max(held.count + max(heldStep, held.count / 2), 1), max(heldMax, held.count + 1))
  }

  private func append(_ bytes: Span<UInt8>) {
    if bytes.isEmpty { return }
    let needed = held.count + bytes.count
    if needed > held.capacity {
      held.reallocate(capacity: max(needed, min(2 * held.capacity, heldMax), ParseLimits.heldBytesMin))
    }
    held.append(copying: bytes)
  }

  private func endInput() throws(StageError) {
    try checkOptions()
    let bytes = takeHeld()
    _ = try look(bytes.span, isEnd: true)
    if let failure = validator?.finish(input: rows.input) { throw StageError(context.stage, failure) }
    heldEnough = 0
  }

  /// Passes a window to the reader; returns how many of its bytes are used.
  private func look(_ window: Span<UInt8>, isEnd: Bool) throws(StageError) -> Int {
    var start = 0
    if isAtStart {
      guard let markBytes = try begin(window, isEnd: isEnd) else { return 0 }
      start = markBytes
    }
    validated = max(validated, start)
    try validate(window)
    if start > 0 { rows.advance(window, by: start) }
    guard let reader else { return start }
    let rest = window.extracting(start..<window.count)
    let done: Int
    if endsLinesWithReturns {
      let text = LineTerminator.withLineFeeds(rest)
      done = try reader.read(text.span, isEnd: isEnd, into: &rows)
      rows.advance(text.span, by: done)
    } else {
      done = try reader.read(rest, isEnd: isEnd, into: &rows)
      rows.advance(rest, by: done)
    }
    validated = window.count - start - done
    return start + done
  }

  /// Finds the format and its reader by the input's start; returns the length of the byte order mark, or nil if more
  /// bytes are needed.
  private func begin(_ window: Span<UInt8>, isEnd: Bool) throws(StageError) -> Int? {
    let named = formats.description(of: options.format)
    let enough = ByteOrderMark.bytesMax + (named?.needsStart ?? true ? startBytesMax : 0)
    if window.count < enough, !isEnd { return nil }
    let mark = ByteOrderMark.utf8Length(window)
    let end = min(window.count, mark + startBytesMax)
    // For any format: a table would read a page of one line as a header without rows. Strict JSON reports it itself.
    if !(options.isStrict && named?.format == .json) {
      switch Detection.isWebPage(window.extracting(mark..<end)) {
      case true?: throw StageError(context.stage, ParseError.webPage(input: rows.input))
      case nil where !isEnd && end < mark + startBytesMax: return nil
      default: break
      }
    }
    let hasReturns = (named?.hasLines ?? true) && LineTerminator.isReturn(window.extracting(mark..<end))
    let lines = hasReturns ? LineTerminator.withLineFeeds(window.extracting(mark..<end)) : []
    let start = hasReturns ? lines.span : window.extracting(mark..<end)
    guard let row = formats.description(for: options, start: start) else {
      throw StageError(
        context.stage,
        ParseError.unknownFormat(input: rows.input, isBinary: Detection.isBinary(start)))
    }
    endsLinesWithReturns = hasReturns && row.hasLines
    isAtStart = false
    // A reader is made for converted bytes or not, which may differ from input to input.
    if reader == nil || isReaderConverted != encoding.isConverted {
      isReaderConverted = encoding.isConverted
      do throws(ParseError) {
        try options.check(row.format)
      } catch {
        throw StageError(context.stage, error)
      }
      reader = row.makeReader(
        ReaderConfiguration(options: options, context: context, isConverted: isReaderConverted))
    }
    if options.isStrict, row.format == .json {
      if let marked = encoding.marked, options.encoding == nil {
        throw StageError(
          context.stage, ParseError.notJSON(line: 1, byte: 0, input: rows.input, .otherEncoding(marked)))
      }
      validator = JSONValidator(skipping: mark)
    }
    if row.needsStart {
      var bytes = ContiguousArray<UInt8>()
      bytes.reserveCapacity(start.count)
      for index in 0..<start.count { bytes.append(start[index]) }
      try reader?.begin(InputStart(bytes: bytes, isWhole: isEnd && end == window.count, input: rows.input))
    }
    return mark
  }

  private func validate(_ window: Span<UInt8>) throws(StageError) {
    if let failure = validator?.check(window.extracting(validated..<window.count), input: rows.input) {
      throw StageError(context.stage, failure)
    }
  }

  /// Checks the options, once.
  func checkOptions() throws(StageError) {
    if isChecked { return }
    isChecked = true
    do throws(ParseError) {
      try options.check()
    } catch {
      throw StageError(context.stage, error)
    }
  }
}
