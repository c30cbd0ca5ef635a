// What a format provides: a reader that finds rows, and a description of how its inputs start.
//
// Not for: which formats there are (FormatTable).

package import Records

/// Finds the rows in the windows of an input.
///
/// A reader receives a window of bytes, uses as many as it can, and returns the number that it no longer needs; it
/// receives the rest again with more bytes after them. A rest of ``ParseLimits/heldBytes(recordBytesMax:)`` bytes does
/// not grow: the reader must then use some of it. At the end of the input it must use all bytes.
package protocol FormatReader: AnyObject {
  /// Finds rows, and returns the number of bytes that are no longer needed.
  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int
  /// Checks that the input is complete, after it was read to its end.
  func checkEnd(input: String) throws(ParseError)
  /// Discards the state of the input; another one starts.
  func reset()
  /// Examines the input's start before its first window, if ``FormatDescription/needsStart`` is set.
  func begin(_ start: InputStart) throws(Failure)
  /// The input's fields, for a preview. Called after ``read(_:isEnd:into:)``; empty if they are not known yet.
  func layout(of start: InputStart) -> InputLayout
  /// What to report at the input's end; nil for nothing.
  var endFinding: InputNotice.Finding? { get }
  /// The position in the structure of the input that has been reached; nil if what follows can't be read with it and the
  /// input's head alone. A format whose rows depend on all that precedes them can't be divided.
  var position: ReaderPosition? { get }
  /// Continues at such a position elsewhere in the input whose head was read. Returns false if the head was too short.
  func resume(at position: ReaderPosition) -> Bool
}

/// A position between two records, as far as it affects the meaning of what follows.
package struct ReaderPosition: Equatable, Sendable {
  /// Whether something before it was broken.
  package var isAfterReject = false
  /// The open brackets.
  package var brackets: [UInt8] = []
  /// Whether the last record was one of several in the innermost bracket.
  package var isInRun = false
  /// The depth of the array in which a row was last seen; 0 for none.
  package var rowsInArrayDepth = 0
}

extension FormatReader {
  package var endFinding: InputNotice.Finding? { nil }
  package var position: ReaderPosition? { nil }
  package func resume(at position: ReaderPosition) -> Bool { false }

  package func begin(_ start: InputStart) throws(Failure) {}
  package func checkEnd(input: String) throws(ParseError) {}
}

/// The start of an input: its first bytes in UTF-8, without a byte order mark.
package struct InputStart {
  /// The first ``ParseLimits/startBytesMax`` bytes, or the whole input if it is shorter.
  package var bytes: ContiguousArray<UInt8>
  /// Whether it is the whole input.
  package var isWhole: Bool
  /// The input's name in messages.
  package var input: String

  /// Makes the start of an input that is named `input` in messages.
  package init(bytes: ContiguousArray<UInt8>, isWhole: Bool, input: String) {
    self.bytes = bytes
    self.isWhole = isWhole
    self.input = input
  }
}

/// The arguments for making a reader.
package struct ReaderConfiguration {
  /// The options that the user chose.
  package var options: ParseOptions
  /// The stage's context: temporary files for a format that can't be read in one pass.
  package var context: StageContext
  /// Whether the bytes were converted to UTF-8, so that the encoding declared in the input is ignored.
  package var isConverted = false
}

/// A format: how to recognise and how to read it.
package struct FormatDescription: Sendable {
  /// The format.
  package var format: ParseOptions.Format
  /// Whether an input with this start may be in the format; `auto` selects the first format that matches.
  package var matches: @Sendable (_ start: Span<UInt8>) -> Bool
  /// Makes a reader.
  package var makeReader: @Sendable (ReaderConfiguration) -> any FormatReader

  /// Whether the reader examines the input's start before it reads, even when the format was named.
  package var needsStart: Bool
  /// Whether the format consists of lines, which carriage returns alone may end.
  package var hasLines: Bool
  /// Recognises inputs in the format that are not text, and so have no encoding and are only readable as a whole; nil if
  /// all are text.
  package var isBinary: (@Sendable (_ start: Span<UInt8>) -> Bool)?
  /// The number of bytes that ``isBinary`` needs.
  package var signatureBytes: Int

  package init(
    format: ParseOptions.Format, matches: @escaping @Sendable (_ start: Span<UInt8>) -> Bool,
    makeReader: @escaping @Sendable (ReaderConfiguration) -> any FormatReader, needsStart: Bool = false,
    hasLines: Bool = false, isBinary: (@Sendable (_ start: Span<UInt8>) -> Bool)? = nil,
    signatureBytes: Int = 0
  ) {
    self.format = format
    self.matches = matches
    self.makeReader = makeReader
    self.needsStart = needsStart
    self.hasLines = hasLines
    self.isBinary = isBinary
    self.signatureBytes = signatureBytes
  }
}
