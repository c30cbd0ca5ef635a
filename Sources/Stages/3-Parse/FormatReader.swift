// What a format provides: a reader that finds rows, and a description of how its inputs start.
//
// Not for: which formats there are (FormatTable).

import Records

/// Finds the rows in the windows of an input.
///
/// A reader receives a window of bytes, uses as many as it can, and returns the number that it no longer needs; it
/// receives the rest again with more bytes after them. A rest of ``ParseLimits/heldBytes(recordBytesMax:)`` bytes does
/// not grow: the reader must then use some of it. At the end of the input it must use all bytes.
protocol FormatReader: AnyObject {
  /// Finds rows, and returns the number of bytes that are no longer needed.
  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(Failure) -> Int
  /// Checks that the input is complete, after it was read to its end.
  func checkEnd(input: String) throws(Failure)
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
struct ReaderPosition: Equatable, Sendable {
  /// Whether something before it was broken.
  var isAfterReject = false
  /// The open brackets.
  var brackets: [UInt8] = []
  /// Whether the last record was one of several in the innermost bracket.
  var isInRun = false
  /// The depth of the array in which a row was last seen; 0 for none.
  var rowsInArrayDepth = 0
}

extension FormatReader {
  var endFinding: InputNotice.Finding? { nil }
  var position: ReaderPosition? { nil }
  func resume(at position: ReaderPosition) -> Bool { false }

  func begin(_ start: InputStart) throws(Failure) {}
  func checkEnd(input: String) throws(Failure) {}
}

/// The start of an input: its first bytes in UTF-8, without a byte order mark.
struct InputStart {
  /// The first ``ParseLimits/startBytesMax`` bytes, or the whole input if it is shorter.
  var bytes: ContiguousArray<UInt8>
  /// Whether it is the whole input.
  var isWhole: Bool
  /// The input's name in messages.
  var input: String
}

/// The arguments for making a reader.
struct ReaderConfiguration {
  /// The options that the user chose.
  var options: ParseOptions
  /// The stage's context: temporary files for a format that can't be read in one pass.
  var context: StageContext
  /// Whether the bytes were converted to UTF-8, so that the encoding declared in the input is ignored.
  var isConverted = false
}

/// A format: what users read about it, how it is recognised, and how it is read.
struct FormatDescription: Sendable {
  /// The names of the fields of its rows.
  enum FieldNames {
    /// The format's own, or common ones.
    case own
    /// Those that the user chooses.
    case chosen
    /// Those of a header, if there is one.
    case header
    /// Those of columns.
    case columns
    /// There are none.
    case none
  }

  /// When `auto` tries a format.
  enum Turn {
    /// Before all others: by a signature.
    case first
    case normal
    /// After all others: a general format.
    case last
  }

  /// Contents that are not text, and so have no encoding and are only readable as a whole.
  struct Signature: Sendable {
    /// What such an input is, in a message.
    var kind: String
    /// The number of bytes that ``matches`` needs.
    var bytes: Int
    /// Whether the format has no other form, which is text.
    var isOnlyForm = true
    /// Whether any zip archive may be read in the format, if it is named.
    var isZip = false
    var matches: @Sendable (_ start: Span<UInt8>) -> Bool
  }

  /// The options for the fields of a row, which nearly all formats have.
  static let fieldOptions = "--number --label --source --score"

  var format: ParseOptions.Format
  /// What it is, how it is recognised, and its options, for the list of formats.
  var what: String
  var recognised: String
  var options = fieldOptions
  var fieldNames = FieldNames.own
  var turn = Turn.normal
  /// Whether its inputs are JSON.
  var isJSON = false
  /// Whether an input with this start may be in the format; `auto` selects the first format that matches.
  var matches: @Sendable (_ start: Span<UInt8>) -> Bool
  var makeReader: @Sendable (ReaderConfiguration) -> any FormatReader
  /// Whether the reader examines the input's start before it reads, even when the format was named.
  var needsStart = false
  /// Whether the format consists of lines, which carriage returns alone may end.
  var hasLines = false
  /// Recognises inputs in the format that are not text; nil if all are text.
  var signature: Signature?

  /// Whether it is a general format of tables or lists.
  var isTableOrList: Bool { turn == .last && !isJSON }
}
