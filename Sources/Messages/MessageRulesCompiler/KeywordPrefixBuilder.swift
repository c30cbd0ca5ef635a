// Builds the sets of keyword prefixes. Not for: searching with them (KeywordPrefixes).

import MessageRules

/// The prefixes of some keywords.
struct KeywordPrefixBuilder {
  /// The sets, one after the other.
  private(set) var words: [UInt64]
  private let bits: Int
  private let shift: UInt64

  /// Makes the sets; nil if a keyword is too short to have a prefix, or if there are no keywords.
  init?(_ keywords: [[UInt16]]) {
    guard !keywords.isEmpty, keywords.allSatisfy({ $0.count >= 2 }) else { return nil }
    bits = KeywordPrefixes.bits(forKeywords: keywords.count)
    shift = KeywordPrefixes.shift(bits)
    words = Array(repeating: 0, count: KeywordPrefixes.setCount * bits / 64)
    for keyword in keywords {
      if keyword.count <= KeywordPrefixes.shortMax { addShort(keyword) } else { addLong(keyword) }
    }
  }

  private mutating func addShort(_ keyword: [UInt16]) {
    let two = UInt32(keyword[0]) | UInt32(keyword[1]) << 16
    insert(KeywordPrefixes.bitIndex(ofTwo: two, shift), toSet: 0)
  }

  private mutating func addLong(_ keyword: [UInt16]) {
    for start in 0..<2 {
      let four = keyword[start..<start + 4].reversed().reduce(UInt64(0)) { $0 << 16 | UInt64($1) }
      insert(KeywordPrefixes.bitIndex(ofFour: four, andFifth: keyword[start + 4], shift), toSet: 1)
    }
  }

  private mutating func insert(_ place: Int, toSet set: Int) {
    words[set * bits / 64 + place / 64] |= 1 << UInt64(place % 64)
  }
}
