// The limits of reading formats in one pass, with their reasons.
//
// Not for: the limits of one format (its reader's), or of a record (ParseOptions).

/// The limits of parsing, with their reasons.
enum ParseLimits {
  /// The number of bytes of an input that are examined to recognise its format: hundreds of rows, and one read from a
  /// pipe.
  static let startBytesMax = 64 * 1024
  /// The deepest nesting. Real lists have three levels; 512 is what other parsers allow.
  package static let depthMax = 512
  /// The deepest nesting of objects that are searched for rows. Their contents are read once more for each level; the
  /// responses of web services have two or three levels.
  static let wrapperDepthMax = 32
  /// The maximum number of bytes of white space that are skipped to find what follows a row.
  static let lookaheadBytesMax = 64
  /// The bytes that a window holds beyond the longest record: twice the look-ahead and the bytes around it.
  static let lookaheadCapacity = 2 * lookaheadBytesMax + 16
  /// The maximum number of times that reading resumes inside a broken row before a whole row is found: the row is read
  /// again each time.
  static let resumedInsideMax = 8
  /// The maximum size of a comment that is one reject, in bytes; each line of a longer one is a reject. A comment that
  /// does not end is read up to this size.
  static let commentBytesMax = 1024
  /// The minimum capacity for an unfinished record, enough for a reject's text.
  static let heldBytesMin = 1024

  /// The maximum number of bytes of an unfinished record that are buffered.
  static func heldBytes(recordBytesMax: Int) -> Int {
    max(recordBytesMax + lookaheadCapacity, heldBytesMin)
  }
}
