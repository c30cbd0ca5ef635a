// What a format provides: a reader that finds rows, and a description of how inputs in it start.
//
// Not for: which formats there are (FormatTable).

package import PipeStage

/// Finds the rows in the windows of an input.
///
/// A reader gets a window of bytes, uses what it can, and returns how many bytes it is done with; it gets the
/// rest again with more bytes after them. A rest of ``ParseLimits/heldBytes(recordBytesMax:)`` bytes does not
/// grow: the reader must then use some of it. At the end of the input it must use all.
package protocol FormatReader: AnyObject {
  /// Finds rows, and returns the number of bytes that are not needed again.
  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(StageError) -> Int
  /// Forgets the input; another one begins.
  func reset()
  /// Looks at the input's start before its first window, if ``FormatDescription/needsStart`` is set.
  func begin(_ start: InputStart) throws(StageError)
}

extension FormatReader {
  package func begin(_ start: InputStart) throws(StageError) {}
}

/// The start of an input: its first bytes in UTF-8, without a byte order mark.
package struct InputStart {
  /// The first ``ParseLimits/startBytesMax`` bytes, or the whole input if it is shorter.
  package var bytes: ContiguousArray<UInt8>
  /// Whether that is the whole input.
  package var isWhole: Bool
  /// The input's name in messages.
  package var input: String
}

/// What a reader is made with.
package struct ReaderConfiguration {
  /// What the user chose.
  package var options: ParseOptions
  /// The stage's surroundings: temporary files for a format that can't be read in one pass.
  package var context: StageContext
  /// Whether the bytes were converted to UTF-8: then the encoding that the input itself declares does not hold.
  package var isConverted = false
}

/// One format: how it is recognised, and how it is read.
package struct FormatDescription: Sendable {
  /// The format.
  package var format: ParseOptions.Format
  /// Whether an input with this start may be in the format; `auto` selects the first format that matches.
  package var matches: @Sendable (_ start: Span<UInt8>) -> Bool
  /// Makes a reader.
  package var makeReader: @Sendable (ReaderConfiguration) -> any FormatReader

  /// Whether the reader looks at the input's start before it reads, also when the format was named.
  package var needsStart: Bool
  /// Whether the format consists of lines, which carriage returns alone may end.
  package var hasLines: Bool
  /// For a format that is not text: how many bytes ``matches`` needs. Such an input has no encoding. 0: text.
  package var signatureBytes: Int

  package init(
    format: ParseOptions.Format, matches: @escaping @Sendable (_ start: Span<UInt8>) -> Bool,
    makeReader: @escaping @Sendable (ReaderConfiguration) -> any FormatReader, needsStart: Bool = false,
    hasLines: Bool = false, signatureBytes: Int = 0
  ) {
    self.format = format
    self.matches = matches
    self.makeReader = makeReader
    self.needsStart = needsStart
    self.hasLines = hasLines
    self.signatureBytes = signatureBytes
  }
}
