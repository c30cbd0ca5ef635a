// The parse stage: bytes in, raw rows out.
//
// A reader looks at the bytes where they lie in the chunk. Only a record that a chunk's end cuts is copied,
// into `held`, until it is whole; `held` grows no further than one record of the largest size allowed.
//
// Not for: what a row looks like (the readers), or how a number is read (normalize).

import BasicContainers
import CallRecord
public import PipeStage
public import SystemIO

/// Finds the raw rows in a stream of bytes.
///
///     let parser = RowParser(options: ParseOptions(), input: "list.json", context: context, downstream: next)
///     try parser.receive(&chunk)      // as often as there are bytes
///     try parser.nextInput(name: "more.json")
///     try parser.receive(&chunk)
///     try parser.finish()             // also ends `next`
///
/// Where the input is cut into chunks changes nothing. `rowsIn == rowsOut + rejects` holds on the meter
/// after `finish`.
///
/// - Complexity: O(bytes); memory for one batch and one record.
public final class RowParser: ByteSink {
  private let options: ParseOptions
  private let context: StageContext
  private var rows: RowWriter
  private var reader: (any FormatReader)?
  private var validator: JSONValidator?

  /// The beginning of a record that a chunk's end cut.
  private var held: RigidArray<UInt8>
  /// Look at `held` again when it has so many bytes.
  private var heldEnough = 0
  private let heldMax: Int
  private let heldStep: Int
  private var isChecked = false
  private var isAtStart = true

  /// So many bytes are added to a cut record at least before it is looked at again: a pipe that gives a byte
  /// at a time must not cost a look a byte.
  private static let heldStepUsual = 1024

  /// Makes a parser for the input that messages call `name`.
  public convenience init(
    options: ParseOptions, input name: String, context: StageContext, downstream: any RawRowSink
  ) {
    self.init(
      options: options, input: name, context: context, downstream: downstream, heldStep: Self.heldStepUsual)
  }

  /// Tests look at a cut record after every few bytes.
  init(
    options: ParseOptions, input name: String, context: StageContext, downstream: any RawRowSink,
    heldStep: Int
  ) {
    var options = options
    options.recordBytesMax = min(max(options.recordBytesMax, 1), Int(Int32.max))
    self.options = options
    self.context = context
    self.heldStep = max(heldStep, 1)
    heldMax = ParseLimits.heldBytes(recordBytesMax: options.recordBytesMax)
    rows = RowWriter(options: options, input: name, context: context, downstream: downstream)
    held = RigidArray(capacity: ParseLimits.heldBytesMin)
    if options.isStrict { validator = JSONValidator() }
  }

  /// Takes bytes and hands on the rows that became whole.
  public func receive(_ chunk: inout ByteChunk) throws(PipeFailure) {
    let span = chunk.span
    context.meter.bytesIn.add(span.count)
    try validate(span)
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

  /// The room that a cut record has at present.
  var heldCapacity: Int { held.capacity }

  /// Ends the input, hands on the last rows, and ends the stages behind.
  public func finish() throws(PipeFailure) {
    try endInput()
    try rows.finish()
  }

  /// Ends the input and begins another one, which messages call `name`. The rows count on.
  public func nextInput(name: String) throws(PipeFailure) {
    try endInput()
    rows.begin(name)
    reader?.reset()
    // `auto` looks at each input anew.
    if options.format == .auto { reader = nil }
    isAtStart = true
    if options.isStrict { validator = JSONValidator() }
  }

  // MARK: Windows

  /// Adds some of the chunk's bytes to the cut record and looks at it; returns how many of the chunk's bytes
  /// need not be looked at again.
  private func lookAtCut(_ span: Span<UInt8>, _ start: Int) throws(PipeFailure) -> Int {
    let step = min(span.count - start, max(heldEnough - held.count, 1))
    append(span.extracting(start..<start + step))
    let used = start + step
    if held.count < heldEnough { return used }
    let bytes = take()
    let done = try look(bytes.span, isEnd: false)
    let left = bytes.count - done
    // What is left came with this chunk: go on where it lies there.
    if done > 0, left <= step { return used - left }
    hold(bytes.span.extracting(done..<bytes.count))
    return used
  }

  /// Takes the held bytes out, so that a reader can look at them while `self` is free.
  private func take() -> RigidArray<UInt8> {
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

  private func endInput() throws(PipeFailure) {
    if !isChecked { try checkOptions() }
    let bytes = take()
    _ = try look(bytes.span, isEnd: true)
    if let failure = validator?.finish(input: rows.input) { throw PipeFailure(context.stage, failure) }
    heldEnough = 0
  }

  /// Lets the reader look at a window; returns how many of its bytes it has done with.
  private func look(_ window: Span<UInt8>, isEnd: Bool) throws(PipeFailure) -> Int {
    var start = 0
    if isAtStart {
      if window.count < ByteOrderMark.bytesMax, !isEnd { return 0 }
      if let encoding = ByteOrderMark.encoding(window) {
        throw PipeFailure(context.stage, ParseFailure.unsupportedEncoding(encoding, input: rows.input))
      }
      if Self.isPacked(window) { throw PipeFailure(context.stage, ParseFailure.packed(input: rows.input)) }
      isAtStart = false
      start = ByteOrderMark.utf8Length(window)
      rows.advance(window, by: start)
      if reader == nil {
        reader = FormatRow.reader(
          for: ReaderSetting(options: options, context: context),
          start: window.extracting(start..<window.count))
      }
    }
    guard let reader else { return start }
    let rest = window.extracting(start..<window.count)
    let done = try reader.read(rest, isEnd: isEnd, into: &rows)
    rows.advance(rest, by: done)
    return start + done
  }

  /// Whether the input begins as a zip archive or a gzip stream does, and no text does.
  private static func isPacked(_ start: Span<UInt8>) -> Bool {
    guard start.count >= 4 else { return false }
    return (start[0] == 0x1F && start[1] == 0x8B)
      || (start[0] == UInt8(ascii: "P") && start[1] == UInt8(ascii: "K") && start[2] == 3 && start[3] == 4)
  }

  private func validate(_ span: Span<UInt8>) throws(PipeFailure) {
    if !isChecked { try checkOptions() }
    if let failure = validator?.check(span, input: rows.input) { throw PipeFailure(context.stage, failure) }
  }

  private func checkOptions() throws(PipeFailure) {
    isChecked = true
    do throws(ParseFailure) {
      try options.check()
    } catch {
      throw PipeFailure(context.stage, error)
    }
  }
}

/// The byte order marks at the start of an input.
///
/// Source: The Unicode Standard, section 23.8.
enum ByteOrderMark {
  static let bytesMax = 4

  /// The encoding that the first bytes name, if it is not UTF-8.
  static func encoding(_ start: Span<UInt8>) -> ParseFailure.Encoding? {
    guard start.count >= 2 else { return nil }
    let hasZeros = start.count >= 4 && start[2] == 0 && start[3] == 0
    switch (start[0], start[1]) {
    case (0xFF, 0xFE): return hasZeros ? .utf32LittleEndian : .utf16LittleEndian
    case (0xFE, 0xFF): return .utf16BigEndian
    case (0, 0): return start.count >= 4 && start[2] == 0xFE && start[3] == 0xFF ? .utf32BigEndian : nil
    default: return nil
    }
  }

  /// The length of a UTF-8 byte order mark: 3, or 0 when there is none.
  static func utf8Length(_ start: Span<UInt8>) -> Int {
    start.count >= 3 && start[0] == 0xEF && start[1] == 0xBB && start[2] == 0xBF ? 3 : 0
  }
}
