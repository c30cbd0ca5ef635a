// The formats as a table: adding one is one folder with a FormatReader and its FormatRow,
// and that row's name in `all`.

import CallRecord
import PipeStage

/// Takes the windows of one input and finds the rows in them.
///
/// A reader gets a window of bytes, uses what it can, and returns how many bytes it has done with; it gets the
/// rest again with more bytes behind them. A rest of ``ParseLimits/heldBytes(recordBytesMax:)`` bytes is
/// never refused: the reader must then get on. At the end it must do with all.
protocol FormatReader: AnyObject {
  /// Finds rows, and returns the number of bytes that need not come again.
  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(StageError) -> Int
  /// Forgets the input; another one begins.
  func reset()
  /// Looks at the input's start before its first window, if the format's row asks for that.
  func begin(_ start: InputStart) throws(StageError)
}

extension FormatReader {
  func begin(_ start: InputStart) throws(StageError) {}
}

/// How an input starts: its first bytes in UTF-8, without a byte order mark.
struct InputStart {
  /// The first ``ParseLimits/startBytesMax`` bytes, or all of the input if that is shorter.
  var bytes: ContiguousArray<UInt8>
  /// Whether that is all of it.
  var isWhole: Bool
  /// What messages call the input.
  var input: String
}

/// What a reader is made with.
struct ReaderSetting {
  /// What the user chose.
  var options: ParseOptions
  /// The stage's surroundings: temporary files for a format that can't be read in one pass.
  var context: StageContext
  /// Whether the bytes were converted to UTF-8: then what the input itself says of its encoding is void.
  var isConverted = false
}

/// One row of the table of formats.
struct FormatRow: Sendable {
  /// The format.
  var format: ParseOptions.Format
  /// Whether an input that starts so may be in the format; `auto` takes the first row that says yes.
  var looksLikeIt: @Sendable (_ start: Span<UInt8>) -> Bool
  /// Makes a reader.
  var makeReader: @Sendable (ReaderSetting) -> any FormatReader

  /// Whether the reader looks at the input's start before it reads, also when the format was named.
  var wantsStart = false
  /// Whether the format is made of lines, which carriage returns alone may end.
  var hasLines = false

  /// All formats, in the order in which `auto` asks them.
  static let all: [FormatRow] = [
    .sqlite, .propertyList, .phoneBook, .vCard, .saracroche, .phoneBlock, .json, .csv, .tsv, .lines,
  ]

  /// The format that was chosen, or the first that an input which starts so may be in; nil if there is none.
  static func row(for options: ParseOptions, start: Span<UInt8>) -> FormatRow? {
    if options.format != .auto { return all.first { $0.format == options.format } }
    var row = all.first { $0.looksLikeIt(start) }
    // A separator that was chosen is what makes a table or a list of it.
    if let separator = options.separator, row.map({ [.csv, .tsv, .lines].contains($0.format) }) ?? true {
      if let table = TableGuess.table(start, separator: separator) {
        row = table.isTabbed ? .tsv : .csv
      } else {
        row = Detection.isLines(start, separator: separator) ? .lines : nil
      }
    }
    // Only tables have names, other than formats that are surely told: with a name chosen, whatever else this may be
    // is read as a table, which has that column or says what it has.
    guard let name = options.firstName, row == nil || row?.format == .lines, !Detection.isBinary(start) else {
      return row
    }
    return options.separator == nil && TableGuess.isTabbed(start, name) ? .tsv : .csv
  }
}

extension ParseOptions.Format {
  /// The formats in the order in which `auto` asks whether an input may be in them.
  public static var inOrderOfDetection: [ParseOptions.Format] { FormatRow.all.map(\.format) }
}

/// The limits of parsing, with their reasons.
enum ParseLimits {
  /// So much of an input is looked at to tell its format: hundreds of rows, and a read of a pipe.
  static let startBytesMax = 64 * 1024
  /// The deepest nesting. Real lists have three levels; 512 is what other parsers allow.
  static let depthMax = 512
  /// The deepest nesting in which rows are looked for in objects around them. Each level costs a look at all
  /// that is inside; answers of web services have two or three.
  static let wrapperDepthMax = 32
  /// The most white space that is looked through to see what follows a row.
  static let lookaheadBytesMax = 64
  /// What a record's window holds beyond the longest record: twice the look-ahead and the bytes around it.
  static let lookaheadRoom = 2 * lookaheadBytesMax + 16
  /// How often reading resumes inside a broken row before a good one comes: each time costs a look at all of it.
  static let resumedInsideMax = 8
  /// The longest comment that is seen as one piece; of a longer one each line is. Where comments begin and do not
  /// end, each costs a look this far.
  static let commentBytesMax = 1024
  /// The least room for an unfinished record, enough for a reject's text.
  static let heldBytesMin = 1024

  /// The most bytes that are held of an unfinished record.
  static func heldBytes(recordBytesMax: Int) -> Int {
    max(recordBytesMax + lookaheadRoom, heldBytesMin)
  }
}
