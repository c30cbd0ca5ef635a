// The limits of reading formats in one pass, with their reasons.
//
// Not for: the limits of one format (its reader's), or of a record (ParseOptions).

/// The limits of parsing, with their reasons.
package enum ParseLimits {
  /// So much of an input is looked at to tell its format: hundreds of rows, and a read of a pipe.
  package static let startBytesMax = 64 * 1024
  /// The deepest nesting. Real lists have three levels; 512 is what other parsers allow.
  package static let depthMax = 512
  /// The deepest nesting in which rows are looked for in objects around them. Each level costs a look at all
  /// that is inside; answers of web services have two or three.
  package static let wrapperDepthMax = 32
  /// The most white space that is looked through to see what follows a row.
  package static let lookaheadBytesMax = 64
  /// What a record's window holds beyond the longest record: twice the look-ahead and the bytes around it.
  package static let lookaheadRoom = 2 * lookaheadBytesMax + 16
  /// How often reading resumes inside a broken row before a good one comes: each time costs a look at all of it.
  package static let resumedInsideMax = 8
  /// The longest comment that is seen as one piece; of a longer one each line is. Where comments begin and do not
  /// end, each costs a look this far.
  package static let commentBytesMax = 1024
  /// The least room for an unfinished record, enough for a reject's text.
  package static let heldBytesMin = 1024

  /// The most bytes that are held of an unfinished record.
  package static func heldBytes(recordBytesMax: Int) -> Int {
    max(recordBytesMax + lookaheadRoom, heldBytesMin)
  }
}
