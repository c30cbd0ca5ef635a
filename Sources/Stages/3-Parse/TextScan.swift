// Finds special bytes in a word of eight bytes with integer arithmetic.
//
// In each mask only the lowest set bit is exact; higher ones may be wrong, because a borrow propagates upwards. So only
// the lowest one is used.

/// Finds special bytes in little-endian words.
enum WordScan {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highs: UInt64 = 0x8080_8080_8080_8080

  /// The word at `offset`. Checked: traps unless the span contains all eight bytes.
  @inline(__always)
  static func word(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
    // Any eight bytes are a valid UInt64.
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }

  /// The four bytes at `offset`.
  @inline(__always)
  static func half(_ bytes: RawSpan, _ offset: Int) -> UInt32 {
    unsafe UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// The word at `offset`. Unchecked: the caller guarantees that all eight bytes are in the span.
  @unsafe
  @inline(__always)
  static func uncheckedWord(_ bytes: RawSpan, _ offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
  }

  /// The four bytes at `offset`. Unchecked: the caller guarantees that they are in the span.
  @unsafe
  @inline(__always)
  static func uncheckedHalf(_ bytes: RawSpan, _ offset: Int) -> UInt32 {
    unsafe UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self))
  }

  /// Marks bytes that are not ASCII digits by bits in the upper half of the byte.
  @inline(__always)
  static func nonDigits(_ word: UInt64) -> UInt64 {
    let digits = word ^ (ones &* 0x30)
    // A value above 9 has a bit in its upper half, or gets one when 6 is added.
    return (digits | (digits &+ ones &* 6)) & (ones &* 0xF0)
  }

  /// Marks the bytes that end a plain part of a string: quotes, backslashes, control characters.
  @inline(__always)
  static func stringStops(_ word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    return
      (((quote &- ones) & ~quote) | ((backslash &- ones) & ~backslash)
      | ((word &- (ones &* 0x20)) & ~word)) & highs
  }

  /// Whether a byte occurs from `start` on.
  static func contains(_ byte: UInt8, _ bytes: Span<UInt8>, from start: Int) -> Bool {
    let raw = unsafe bytes.bytes
    var index = start
    while index + 8 <= bytes.count {
      let other = word(raw, index) ^ (ones &* UInt64(byte))
      if (other &- ones) & ~other & highs != 0 { return true }
      index += 8
    }
    while index < bytes.count {
      if bytes[index] == byte { return true }
      index += 1
    }
    return false
  }

  /// The index of the first marked byte.
  @inline(__always)
  static func first(_ mask: UInt64) -> Int { mask.trailingZeroBitCount >> 3 }

  /// The number of line feeds in `bytes` from `start` to `end`.
  static func lineFeeds(_ bytes: Span<UInt8>, from start: Int, to end: Int) -> Int {
    let raw = unsafe bytes.bytes
    var count = 0
    var index = start
    while index + 8 <= end {
      // Eight counters of one byte, which are summed before one can overflow.
      var counters: UInt64 = 0
      let blockEnd = min(end - 7, index + 255 * 8)
      while index < blockEnd {
        let other = word(raw, index) ^ (ones &* 0x0A)
        // Unlike the masks above, this one is exact in every byte: no carry leaves its byte.
        let same = ~(((other & ~highs) &+ ~highs) | other) & highs
        counters &+= same >> 7
        index += 8
      }
      // Adds the counters in pairs of two bytes, so that none overflows, and then all four pairs.
      let pairs = (counters & 0x00FF_00FF_00FF_00FF) &+ ((counters >> 8) & 0x00FF_00FF_00FF_00FF)
      count += Int((pairs &* 0x0001_0001_0001_0001) >> 48)
    }
    while index < end {
      if bytes[index] == 0x0A { count += 1 }
      index += 1
    }
    return count
  }
}

// MARK: - ASCIIText

extension Span where Element == UInt8 {
  /// Whether the bytes equal those of `other`.
  package func equals(_ other: borrowing ContiguousArray<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }

  package func equals(_ word: StaticString) -> Bool {
    guard count == word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { letters in
      for index in 0..<letters.count where unsafe letters[index] != self[index] { return false }
      return true
    }
  }

  /// Whether the bytes from `start` on equal a word in ASCII capitals, ignoring their case.
  func startsIgnoringCase(_ word: StaticString, at start: Int = 0) -> Bool {
    guard count - start >= word.utf8CodeUnitCount else { return false }
    return word.withUTF8Buffer { letters in
      for index in 0..<letters.count where unsafe letters[index] != self[start + index].asciiCapital {
        return false
      }
      return true
    }
  }

  /// Whether the bytes equal a word in ASCII capitals, ignoring their case.
  func equalsIgnoringCase(_ word: StaticString) -> Bool {
    count == word.utf8CodeUnitCount && startsIgnoringCase(word)
  }

  /// Whether the bytes equal those of `other`, ignoring the case of ASCII letters.
  func equalsIgnoringCase(_ other: borrowing ContiguousArray<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count where self[index].asciiCapital != other[index].asciiCapital { return false }
    return true
  }

  /// The index of the first byte from `start` to `end` that is not white space, or the end.
  func skippingSpace(from start: Int = 0, to end: Int = .max) -> Int {
    let end = Swift.min(end, count)
    var index = start
    while index < end, self[index].isASCIISpace { index += 1 }
    return index
  }

  /// The index after the marks of text that spreadsheets and tables write before a number: an apostrophe, a quote.
  func skippingMarks(from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, "'\"`".utf8.contains(self[index]) { index += 1 }
    return index
  }

  /// The index of the first byte from `start` to `end` that is not a digit, or `end`.
  func skippingDigits(from start: Int, to end: Int) -> Int {
    var index = start
    while index < end, self[index] &- 0x30 < 10 { index += 1 }
    return index
  }

  /// The end of the bytes from `start` to `end` without the white space after them.
  func trimmedEnd(from start: Int, to end: Int) -> Int {
    var end = end
    while end > start, self[end - 1].isASCIISpace { end -= 1 }
    return end
  }

  /// The bytes without the white space around them.
  var trimmed: Span<UInt8> {
    @_lifetime(copy self)
    get {
      let start = skippingSpace()
      return extracting(start..<trimmedEnd(from: start, to: count))
    }
  }

  /// The index of the first occurrence of a word from `start` on; nil if there is none.
  func firstIndex(of word: StaticString, from start: Int = 0) -> Int? {
    word.withUTF8Buffer { letters in
      var index = start
      while index + letters.count <= count {
        var length = 0
        while length < letters.count, unsafe letters[length] == self[index + length] { length += 1 }
        if length == letters.count { return index }
        index += 1
      }
      return nil
    }
  }
}

extension UInt8 {
  var asciiCapital: UInt8 { self &- 0x61 < 26 ? self - 0x20 : self }

  @inline(__always)
  var isASCIISpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

/// Words in ASCII capitals, and in other letters as they are.
struct WordList: Sendable {
  private let words: [StaticString]
  /// For each first byte the sizes of the words that begin with it: most words are in no list.
  private var sizes: [UInt32] = Array(repeating: 0, count: 256)

  init(_ words: [StaticString]) {
    self.words = words
    for word in words {
      word.withUTF8Buffer { unsafe sizes[Int($0[0])] |= Self.bit($0.count) }
    }
  }

  /// Whether a word is one of these, ignoring the case of ASCII letters.
  func contains(_ word: Span<UInt8>) -> Bool {
    word.count > 0 && sizes[Int(word[0].asciiCapital)] & Self.bit(word.count) != 0
      && words.contains { word.equalsIgnoringCase($0) }
  }

  private static func bit(_ size: Int) -> UInt32 { 1 << UInt32(min(size, 31)) }
}
