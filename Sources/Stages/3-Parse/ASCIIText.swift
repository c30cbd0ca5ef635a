// Comparison of bytes as ASCII text, for the readers of all formats.

extension Span where Element == UInt8 {
  /// Whether the bytes equal those of `other`.
  package func equals(_ other: borrowing ContiguousArray<UInt8>) -> Bool {
    guard count == other.count else { return false }
    for index in 0..<count where self[index] != other[index] { return false }
    return true
  }

  /// Whether the bytes equal those of a word.
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

  /// The index of the first byte from `start` on that is not white space, or the count.
  func skippingSpace(from start: Int = 0) -> Int {
    var index = start
    while index < count, self[index].isASCIISpace { index += 1 }
    return index
  }
}

extension UInt8 {
  var asciiCapital: UInt8 { self &- 0x61 < 26 ? self - 0x20 : self }
  var isASCIISpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
