// The position of an extension in a text, packed into a few bits. Not for finding it (ExtensionFinder).

/// The position of an extension's digits in a text.
///
/// A text has at most `TextScanner.charactersMax` characters, so offsets fit into ten bits; an extension has at most 20
/// digits of four bytes, so its length fits into seven: 34 bits in all. From the lowest bit: start and length, and the
/// same for digits that precede these because of a phone context: "+123-2" before "34#" results in the extension of
/// "-234#".
struct ExtensionPosition: Sendable, Hashable {
  let bits: UInt64

  /// Creates an empty position: there is no extension.
  @inline(__always)
  init() { bits = 0 }

  init(bits: UInt64) { self.bits = bits }

  init(_ digits: Range<Int>, head: Range<Int> = 0..<0) {
    bits = Self.packed(digits) | Self.packed(head) << 17
  }

  /// Empty if there is none.
  var digits: Range<Int> { Self.range(bits) }
  /// Empty if all digits are adjacent.
  var head: Range<Int> { Self.range(bits >> 17) }

  /// The position in the text from which the bytes in `first` and `second` were concatenated.
  func moved(outOf first: Range<Int>, and second: Range<Int>) -> ExtensionPosition {
    if bits == 0 { return self }
    let inFirst = digits.clamped(to: 0..<first.count)
    let inSecond = digits.clamped(to: first.count..<first.count + second.count)
    let front = first.lowerBound + inFirst.lowerBound..<first.lowerBound + inFirst.upperBound
    let shift = second.lowerBound - first.count
    let back = inSecond.lowerBound + shift..<inSecond.upperBound + shift
    return back.isEmpty ? ExtensionPosition(front) : ExtensionPosition(back, head: front)
  }

  private static func packed(_ range: Range<Int>) -> UInt64 {
    range.isEmpty ? 0 : UInt64(range.lowerBound & 1023) | UInt64(range.count & 127) << 10
  }

  private static func range(_ bits: UInt64) -> Range<Int> {
    let start = Int(bits & 1023)
    return start..<start + Int(bits >> 10 & 127)
  }
}
