// The formats that `parse` reads. To add one, write its file, with a FormatReader and a FormatDescription, and add its row
// here.

package import Records
import SystemIO

/// The formats that a parser reads.
package struct FormatTable: Sendable {
  /// The formats in the order in which `auto` tries them.
  fileprivate let rows: [FormatDescription]
  /// The formats in the order of the table.
  let names: [ParseOptions.Format]

  /// All formats. The order is that of lists of accepted values.
  package static let all = FormatTable([
    .json, .csv, .tsv, .lines, .propertyList, .phoneBook, .vCard, .saracroche, .phoneBlock, .sqlite,
    .asterisk, .dataSlice, .xlsx, .callLog,
    .yaml,
  ])

  init(_ rows: [FormatDescription]) {
    names = rows.map(\.format)
    self.rows = [.first, .normal, .last].flatMap { turn in rows.filter { $0.turn == turn } }
  }

  /// The formats in the order in which `auto` tries them.
  var formats: [ParseOptions.Format] { rows.map(\.format) }

  /// The description of a format; nil for `auto`, and for a format that is not in the table.
  func description(of format: ParseOptions.Format) -> FormatDescription? {
    rows.first { $0.format == format }
  }

  /// The number of bytes that are needed to recognise contents that are not text.
  package var signatureBytesMax: Int {
    rows.compactMap(\.signature?.bytes).reduce(BinaryContent.bytesMax, max)
  }

  /// The format of an input that is not text, by its signature; nil for any other input.
  package func binaryFormat(_ start: Span<UInt8>) -> ParseOptions.Format? {
    rows.first { $0.signature?.matches(start) ?? false }?.format
  }

  /// The content of an input that is neither text nor in one of the formats; nil for any other input.
  package func unreadableContent(_ start: Span<UInt8>) -> BinaryContent? {
    binaryFormat(start) == nil ? BinaryContent(start) : nil
  }

  /// Returns the chosen format, or the first that an input with this start may be in; nil if there is none.
  func description(for options: ParseOptions, start: Span<UInt8>) -> FormatDescription? {
    if options.format != .auto { return description(of: options.format) }
    var row = rows.first { $0.matches(start) }
    // Strict JSON is not read as a table or a list because of its errors.
    if options.isStrict, row?.isTableOrList ?? false, Detection.beginsJSON(start) { row = .json }
    // A chosen separator restricts the formats to tables and lists.
    if let separator = options.separator, row?.isTableOrList ?? true {
      if let table = TableGuess.table(start, separator: separator) {
        row = table.isTabbed ? .tsv : .csv
      } else {
        row = Detection.isLines(start, separator: separator) ? .lines : nil
      }
    }
    // A field that was chosen by name requires a format with names. Unless the input is certainly in another such
    // format, it is read as a table, which either has that column or reports the columns that it has.
    guard let name = options.firstName, row == nil || row?.format.isLines ?? false, !Detection.isBinary(start)
    else {
      return row
    }
    return options.separator == nil && TableGuess.isTabbed(start, name) ? .tsv : .csv
  }
}

package enum FormatText {
  /// What `cdpipe parse --formats` prints: one line per format, in the order of detection. If the lines are longer than
  /// a width in columns, there is a paragraph per format instead.
  package static func table(width: Int? = nil) -> String {
    TextTable.lines(
      [["format", "what it is", "recognised by", "options"]]
        + FormatTable.all.rows.map { [$0.format.rawValue, $0.what, $0.recognised, $0.options] }, width: width)
  }

  /// The JSON form of a format.
  private struct FormatDocument: Encodable {
    var format: String
    var description: String
    var recognisedBy: String
    var options: [String]
  }

  /// The formats as JSON, one object per line, in the order of detection.
  package static func json() -> String {
    FormatTable.all.rows.map { row in
      JSONLine.text(
        FormatDocument(
          format: row.format.rawValue, description: row.what, recognisedBy: row.recognised,
          options: row.options.split(separator: " ").map(String.init))) + "\n"
    }.joined()
  }
}

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
  /// Whether it stopped before other line ends than line feeds, which it can't read.
  var hasOtherLineEnds: Bool { get }
  /// What to report at the input's end.
  var endFindings: [InputNotice.Finding] { get }
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
  var brackets: [UInt8] = []
  /// Whether the last record was one of several in the innermost bracket.
  var isInRun = false
  /// The depth of the array in which a row was last seen; 0 for none.
  var rowsInArrayDepth = 0
}

extension FormatReader {
  var hasOtherLineEnds: Bool { false }
  var endFindings: [InputNotice.Finding] { [] }
  var position: ReaderPosition? { nil }
  func resume(at position: ReaderPosition) -> Bool { false }

  func begin(_ start: InputStart) throws(Failure) {}
  func reset() {}
  func checkEnd(input: String) throws(Failure) {}
}

/// The start of an input: its first bytes in UTF-8, without a byte order mark.
struct InputStart {
  /// The first ``ParseLimits/startBytesMax`` bytes, or the whole input if it is shorter.
  var bytes: ContiguousArray<UInt8>
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
  enum FieldNames {
    /// The format's own, or common ones.
    case own
    /// Those that the user chooses.
    case chosen
    /// Those of a header, if there is one.
    case header
    case columns
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

  static let fieldOptions = "--number --label --source --score"

  var format: ParseOptions.Format
  var what: String
  var recognised: String
  var options = fieldOptions
  var fieldNames = FieldNames.own
  var turn = Turn.normal
  var isJSON = false
  /// Whether an input with this start may be in the format; `auto` selects the first format that matches.
  var matches: @Sendable (_ start: Span<UInt8>) -> Bool
  var makeReader: @Sendable (ReaderConfiguration) -> any FormatReader
  /// Whether the reader examines the input's start before it reads, even when the format was named.
  var needsStart = false
  /// Whether the format consists of lines, which other line ends than line feeds may end.
  var hasLines = false
  /// Recognises inputs in the format that are not text; nil if all are text.
  var signature: Signature?

  var isTableOrList: Bool { turn == .last && !isJSON }
}

// Inputs that can't be read from front to back, such as databases: their bytes are first written to an unnamed temporary
// file.

struct InputSpool: ~Copyable {
  /// The file, which is deleted when the spool ends.
  private(set) var file: TemporaryFile
  private let context: StageContext

  /// Makes an empty file in the directory for temporary files.
  init(_ context: StageContext) throws(Failure) {
    let file = try asFailure(context.stage) { () throws(SystemError) in
      try TemporaryFile(in: TemporaryFile.defaultDirectory, calls: context.calls)
    }
    self.file = file
    self.context = context
  }

  mutating func append(_ bytes: Span<UInt8>) throws(Failure) {
    if bytes.isEmpty { return }
    try asFailure(context.stage) { () throws(SystemError) in try file.append(bytes) }
    context.meter.bytesSpilled.add(bytes.count)
  }
}
