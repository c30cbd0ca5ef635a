// What `cdpipe split` prints: parts as lines and as JSON, and notices.

package import Records

/// Formats the parts of a list.
package enum SplitMessages {
  /// The JSON form of a part.
  private struct Part: Encodable {
    var part: Int
    var from: UInt64
    var offset: UInt64
    var bytes: UInt64
    var records: UInt64?
    var first: UInt64?
    var file: String?
  }

  /// Formats a part as a line without its line feed: its number, first byte, number of bytes, first possible number.
  package static func line(_ part: ListPart) -> String {
    "\(part.number)\t\(part.offset)\t\(part.bytes)\t\(part.from)"
  }

  /// Formats a part as a JSON object.
  ///
  /// - Parameter directory: the directory with its file; nil if it was not written.
  package static func json(_ part: ListPart, in directory: String?) -> String {
    JSONLine.text(
      Part(
        part: part.number, from: part.from, offset: part.offset, bytes: part.bytes, records: part.records,
        first: part.first,
        file: directory.map { $0.hasSuffix("/") ? $0 + part.fileName : "\($0)/\(part.fileName)" }))
  }

  /// `1,000 records in 7 parts`
  package static func summary(_ parts: [ListPart]) -> String {
    let records = parts.reduce(0) { $0 + ($1.records ?? 0) }
    return "\(Figures.counted(records, "record")) in \(Figures.counted(UInt64(parts.count), "part"))"
  }

  /// `2 cuts moved out of ranges`
  package static func moved(_ cuts: Int) -> String {
    "\(Figures.counted(UInt64(cuts), "cut")) moved out of \(cuts == 1 ? "a range" : "ranges")"
  }

  /// There are fewer parts than asked for.
  package static func fewerParts(_ count: Int, wanted: Int) -> UserMessage {
    UserMessage(
      "\(Figures.counted(UInt64(count), "part")) instead of \(Figures.grouped(UInt64(wanted))): "
        + "there are not enough numbers outside of ranges")
  }

  /// An output is one of the inputs.
  package static func replacedInput(_ path: String) -> UserMessage {
    UserMessage("'\(path)' is an input, and would be replaced")
  }
}
