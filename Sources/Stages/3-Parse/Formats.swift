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
  func read(_ window: Span<UInt8>, isEnd: Bool, into rows: inout RowWriter) throws(PipeFailure) -> Int
  /// Forgets the input; another one begins.
  func reset()
}

/// What a reader is made with.
struct ReaderSetting {
  /// What the user chose.
  var options: ParseOptions
  /// The stage's surroundings: temporary files for a format that can't be read in one pass.
  var context: StageContext
}

/// One row of the table of formats.
struct FormatRow: Sendable {
  /// The format.
  var format: ParseOptions.Format
  /// Whether an input that starts so may be in the format; `auto` takes the first row that says yes.
  var looksLikeIt: @Sendable (_ start: Span<UInt8>) -> Bool
  /// Makes a reader.
  var makeReader: @Sendable (ReaderSetting) -> any FormatReader

  /// All formats, in the order in which `auto` asks them; the last one takes whatever the others don't.
  static let all: [FormatRow] = [.json]

  /// The reader for an input that starts with `start`.
  static func reader(for setting: ReaderSetting, start: Span<UInt8>) -> any FormatReader {
    let format = setting.options.format
    for row in all where row.format == format || (format == .auto && row.looksLikeIt(start)) {
      return row.makeReader(setting)
    }
    return JSONReader(setting.options)
  }
}

/// The limits of parsing, with their reasons.
enum ParseLimits {
  /// The deepest nesting. Real lists have three levels; 512 is what other parsers allow.
  static let depthMax = 512
  /// The deepest nesting in which rows are looked for in objects around them. Each level costs a look at all
  /// that is inside; answers of web services have two or three.
  static let wrapperDepthMax = 32
  /// The most white space that is looked through to see what follows a row.
  static let lookaheadBytesMax = 64
  /// What a record's window holds beyond the longest record: twice the look-ahead and the bytes around it.
  static let lookaheadRoom = 2 * lookaheadBytesMax + 16
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
