// The encoding that an input probably has if it is read as UTF-8 and is not UTF-8: examined from the first row that is
// not UTF-8 on, so that inputs in UTF-8 cost nothing.
//
// Not for: inputs whose encoding is recognised before they are read (InputDecoder).

import SystemIO

/// Collects a part of an input that is not UTF-8, until its encoding can be recognised.
struct EncodingSuggestion {
  /// The number of bytes that are collected before the encoding is recognised, unless the input ends before.
  private static let bytesMin = 64 * 1024

  /// The number of bytes before the first one outside ASCII that are collected: the word that it may be in.
  private static let contextBytes = 64

  /// Whether the encoding was recognised, or never will be.
  private(set) var isDone = false
  private var bytes: [UInt8] = []
  private var isAtStart = false

  /// Adds the next part of the input, which begins at `offset`; returns the encoding's name once it is recognised.
  mutating func add(_ part: Span<UInt8>, at offset: UInt64, isEnd: Bool) -> String? {
    var start = 0
    if bytes.isEmpty {
      // The bytes before the first one outside ASCII show nothing.
      while start < part.count, part[start] < 0x80 { start += 1 }
      isAtStart = offset == 0 || start > 0
      start = max(0, start - Self.contextBytes)
    }
    let new = part.extracting(start..<part.count)
    bytes.append(copying: new.extracting(first: EncodingGuess.bytesMax - bytes.count))
    guard isEnd || bytes.count >= Self.bytesMin else { return nil }
    let name = EncodingGuess(text: bytes.span, isCut: true, isAtStart: isAtStart).name
    end()
    return name
  }

  /// Ends the collection.
  mutating func end() {
    bytes = []
    isDone = true
  }
}
