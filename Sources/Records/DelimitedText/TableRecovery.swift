// Where records may span lines after a broken one.
//
// A broken record is one reject. Reading resumes at the line after the record's first line: most likely its quote is
// the error, and what seemed to be inside the quotes are records. If many bytes were examined for the broken record, no
// record that starts within those bytes may span several lines, so that no byte is examined many times.

/// Limits where records may span lines, so that broken records cost linear time.
@usableFromInline
package struct TableRecovery {
  /// If more than this many bytes were examined for a broken record, records that start within them may not span lines.
  @usableFromInline static let freeLookaheadBytesMax: UInt64 = 256

  /// Records that start before this offset may not span lines.
  @usableFromInline var oneLineBefore: UInt64 = 0

  /// Creates the state at the start of an input.
  @inlinable package init() {}

  /// Whether a record that starts at this offset of the input may span lines.
  @inlinable
  package func mayHaveLines(at offset: UInt64) -> Bool { offset >= oneLineBefore }

  /// Notes that the bytes from `start` to `end` were examined for a record that is rejected.
  package mutating func noteReject(from start: UInt64, examinedTo end: UInt64) {
    if end - start > Self.freeLookaheadBytesMax { oneLineBefore = max(oneLineBefore, end) }
  }
}
