// Finds all keywords in one pass over a folded text (A. V. Aho, M. J. Corasick, 1975), with a double array (J. Aoe,
// 1989): one word per node, and on average at most two lookups per symbol.

import CallStoreFormat

/// The groups of keywords that a message has, and the first keyword of each.
struct GroupMarks {
  /// For each group, the number of the last message that had it.
  private var stamps: ContiguousArray<UInt32>
  private var found: ContiguousArray<UInt32>
  private var message: UInt32 = 0

  init(count: Int) {
    stamps = ContiguousArray(repeating: 0, count: count)
    found = ContiguousArray(repeating: UInt32.max, count: count)
  }

  mutating func begin() {
    message &+= 1
    if message == 0 {
      for index in stamps.indices { stamps[index] = 0 }
      message = 1
    }
  }

  mutating func mark(_ group: Int, by keyword: UInt32) {
    if stamps[group] != message {
      stamps[group] = message
      found[group] = keyword
    }
  }

  func isMarked(_ group: Int) -> Bool { stamps[group] == message }

  /// The keyword that marked a group first.
  func keyword(of group: Int) -> UInt32? { isMarked(group) ? found[group] : nil }
}

extension CompiledRules {
  /// Marks the groups of all keywords that a folded text contains.
  ///
  /// Positions where no keyword can start are skipped without the automaton. If that costs more than it saves, because
  /// the text contains many prefixes, the automaton processes the rest of the text alone.
  ///
  /// - Complexity: O(symbols + keywords found).
  borrowing func findKeywords(
    in buffer: borrowing SymbolBuffer, as field: MessageField, _ marks: inout GroupMarks
  ) {
    let start = prefixBits == 0 ? 0 : searchPrefixes(buffer, field, &marks)
    if start < buffer.count { search(buffer, from: start, field, &marks) }
  }

  /// Follows keywords from the positions where they may start; returns the position from which the automaton must
  /// continue.
  ///
  /// A long keyword is found at its first or its second symbol, whichever is examined.
  private borrowing func searchPrefixes(
    _ buffer: borrowing SymbolBuffer, _ field: MessageField, _ marks: inout GroupMarks
  ) -> Int {
    let prefixes = unsafe KeywordPrefixes(pointer(to: .keywordPrefixes), bits: prefixBits)
    let symbols = unsafe buffer.pointer
    let count = buffer.count
    // A few steps per symbol are cheaper than the automaton, many are not.
    var stepsLeft = 2 &* count &+ 64
    var at = 0
    while true {
      at = unsafe prefixes.next(in: symbols, from: at, to: count)
      if at >= count { return count }
      if unsafe prefixes.hasLong(symbols, at) {
        if at > 0 { stepsLeft &-= follow(buffer, from: at &- 1, field, &marks) }
        stepsLeft &-= follow(buffer, from: at, field, &marks)
      } else if unsafe prefixes.hasShort(symbols, at) {
        stepsLeft &-= follow(buffer, from: at, field, &marks)
      }
      if at &+ 1 < count, unsafe prefixes.hasShort(symbols, at &+ 1) {
        stepsLeft &-= follow(buffer, from: at &+ 1, field, &marks)
      }
      if stepsLeft < 0 { return at &+ 1 }
      at &+= 2
    }
  }

  /// Follows the keywords that start at a position, and returns the number of steps.
  private borrowing func follow(
    _ buffer: borrowing SymbolBuffer, from start: Int, _ field: MessageField, _ marks: inout GroupMarks
  ) -> Int {
    // Unchecked: a base is followed by a whole alphabet, which was checked when the file was opened.
    let nodes = unsafe pointer(to: .nodes).assumingMemoryBound(to: UInt64.self)
    let symbols = unsafe buffer.pointer
    let count = buffer.count
    let limit = UInt16(truncatingIfNeeded: header.keywordSymbolCount)
    var state = 0
    var node = unsafe KeywordNode(word: UInt64(littleEndian: nodes[0]))
    var at = start
    while at < count {
      let symbol = unsafe symbols[at]
      guard symbol &- 1 < limit else { break }
      let target = node.base &+ Int(symbol)
      let next = unsafe KeywordNode(word: UInt64(littleEndian: nodes[target]))
      guard next.from == state else { break }
      state = target
      node = next
      at &+= 1
      if node.isEnd { mark(state, end: at, isEnd: at == count && !buffer.isCut, field, &marks) }
    }
    return at &- start
  }

  /// Runs the automaton from a position to the end.
  private borrowing func search(
    _ buffer: borrowing SymbolBuffer, from start: Int, _ field: MessageField, _ marks: inout GroupMarks
  ) {
    let nodes = bytes(of: .nodes)
    let symbols = buffer.symbols
    let root = KeywordNode(word: nodes.u64(0))
    let limit = UInt16(truncatingIfNeeded: header.keywordSymbolCount)
    var state = 0
    var node = root
    // There are never more steps back than steps forward, unless a malicious file makes the automaton cycle.
    var stepsBack = symbols.count
    for index in start..<symbols.count {
      let symbol = symbols[index]
      if symbol &- 1 >= limit {
        state = 0
        node = root
        continue
      }
      while true {
        let target = node.base &+ Int(symbol)
        let next = KeywordNode(word: nodes.u64(8 &* target))
        if next.from == state {
          state = target
          node = next
          break
        }
        if state == 0 { break }
        stepsBack &-= 1
        if stepsBack < 0 { return }
        state = node.fail
        node = KeywordNode(word: nodes.u64(8 &* state))
      }
      if node.isEnd {
        mark(state, end: index + 1, isEnd: index + 1 == symbols.count && !buffer.isCut, field, &marks)
      }
    }
  }

  /// Marks the groups of the keywords that end in a node.
  @inline(never)
  private borrowing func mark(
    _ state: Int, end: Int, isEnd: Bool, _ field: MessageField, _ marks: inout GroupMarks
  ) {
    let keywords = bytes(of: .keywords)
    let keywordGroups = bytes(of: .keywordGroups)
    let groups = bytes(of: .groups)
    var keyword = bytes(of: .nodeKeywords).u32(4 * state)
    while keyword != UInt32.max {
      let at = 16 * Int(keyword)
      let length = keywords.u16(at)
      let first = Int(keywords.u32(at + 8))
      for index in first..<first + keywords.u16(at + 2) {
        let group = Int(keywordGroups.u32(4 * index))
        // Checked when the rules were opened.
        let mode = MessageTest.Keywords(rawValue: UInt8(truncatingIfNeeded: groups.u32(4 * group)))
        let fits =
          switch mode {
          case .bodyContains: field == .body
          case .senderContains: field == .sender
          case .senderPrefix: field == .sender && end == length
          case .senderIs: field == .sender && end == length && isEnd
          case nil: false
          }
        if fits { marks.mark(group, by: keyword) }
      }
      keyword = keywords.u32(at + 4)
    }
  }

  /// A keyword as it is written in the rule file.
  borrowing func text(ofKeyword index: Int) -> String {
    let start = Int(bytes(of: .keywords).u32(16 * index + 12))
    let texts = bytes(of: .texts)
    let text = texts.extracting(start + 2..<start + 2 + texts.u16(start))
    return unsafe text.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

// The prefixes of keywords: sets of hashed prefixes, which show for most positions in a text that no keyword starts
// there.
//
// A long keyword has two prefixes of five symbols, one from its first symbol and one from its second, so that examining
// every other position of a text is enough to find it. A short one is found by its first two symbols.

/// The sets of keyword prefixes. A test has false positives, but no false negatives.
@safe
package struct KeywordPrefixes {
  /// The number of sets: one for the first two symbols of short keywords, one for five symbols of long ones.
  package static let setCount = 2
  /// The minimum number of bits in a set: one word.
  package static let bitsMin = 64
  /// The maximum number of bits in a set: 128 KiB, so that both sets fit into a second-level cache.
  package static let bitsMax = 1 << 20
  /// The bits per keyword: at most one in sixteen of the examined positions is a false positive.
  private static let bitsEach = 32
  /// The maximum number of symbols of a short keyword: a longer one has two prefixes.
  package static let shortMax = symbols
  /// The number of symbols that are examined at a position of a text.
  package static let symbols = 5

  /// The number of bits in a set for this many keywords.
  package static func bits(forKeywords count: Int) -> Int {
    var bits = bitsMin
    while bits < bitsMax, bits < bitsEach * count { bits *= 2 }
    return bits
  }

  /// Whether a set can have this number of bits.
  static func isValidBitCount(_ bits: Int) -> Bool {
    bits >= bitsMin && bits <= bitsMax && bits & (bits - 1) == 0
  }

  private let pairs: UnsafePointer<UInt64>
  private let longs: UnsafePointer<UInt64>
  private let shift: UInt64

  /// Uses the sets in place; they must stay in memory as long as this value exists.
  ///
  /// Unchecked: there are two sets of this size, for which ``isValidBitCount(_:)`` is true.
  init(_ start: UnsafeRawPointer, bits: Int) {
    unsafe pairs = start.assumingMemoryBound(to: UInt64.self)
    unsafe longs = pairs + bits / 64
    shift = Self.shift(bits)
  }

  /// The first position, among every other one from `start` on, where a keyword may start, or one before or after it;
  /// at least `end` if there is none.
  ///
  /// All sets are tested at every position and the results combined, because a branch on each result would be
  /// mispredicted: a misprediction costs more than all of the tests. Unchecked: a set has a bit for every hash, and the
  /// symbols are followed by padding.
  func next(in symbols: UnsafePointer<UInt16>, from start: Int, to end: Int) -> Int {
    var at = start
    while at < end {
      let four = unsafe Self.four(symbols, at)
      let long = unsafe Self.bit(
        of: longs, Self.bitIndex(ofFour: four, andFifth: symbols[at &+ Self.symbols &- 1], shift))
      let first = UInt32(truncatingIfNeeded: four)
      let second = UInt32(truncatingIfNeeded: four >> 16)
      let short = unsafe Self.bit(of: pairs, Self.bitIndex(ofTwo: first, shift))
      let other = unsafe Self.bit(of: pairs, Self.bitIndex(ofTwo: second, shift))
      if (long | short | other) & 1 != 0 { return at }
      at &+= 2
    }
    return at
  }

  /// Whether a long keyword may start at a position or at the one before it.
  func hasLong(_ symbols: UnsafePointer<UInt16>, _ at: Int) -> Bool {
    unsafe Self.bit(
      of: longs,
      Self.bitIndex(ofFour: Self.four(symbols, at), andFifth: symbols[at &+ Self.symbols &- 1], shift)) & 1
      != 0
  }

  /// Whether a short keyword may start at a position.
  func hasShort(_ symbols: UnsafePointer<UInt16>, _ at: Int) -> Bool {
    let two = unsafe UInt32(symbols[at]) | UInt32(symbols[at &+ 1]) << 16
    return unsafe Self.bit(of: pairs, Self.bitIndex(ofTwo: two, shift)) & 1 != 0
  }

  /// The bit at an index, in the lowest bit of the result.
  @inline(__always)
  private static func bit(of set: UnsafePointer<UInt64>, _ place: Int) -> UInt64 {
    unsafe UInt64(littleEndian: set[place &>> 6]) &>> UInt64(truncatingIfNeeded: place)
  }

  /// Four symbols from a position on, the first one in the lowest bits.
  @inline(__always)
  private static func four(_ symbols: UnsafePointer<UInt16>, _ at: Int) -> UInt64 {
    #if _endian(little)
      unsafe UnsafeRawPointer(symbols + at).loadUnaligned(as: UInt64.self)
    #else
      unsafe UInt64(symbols[at]) | UInt64(symbols[at &+ 1]) << 16 | UInt64(symbols[at &+ 2]) << 32
        | UInt64(symbols[at &+ 3]) << 48
    #endif
  }

  // MARK: Places

  // The factors are odd and without a pattern; the first is 2^64 divided by the golden ratio (Knuth, The Art of
  // Computer Programming, volume 3, section 6.4), the second a prime of xxHash (Y. Collet).
  private static let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
  private static let otherFactor: UInt64 = 0xC2B2_AE3D_27D4_EB4F

  /// The shift of hashes for sets of this many bits: their upper bits are the bit index.
  @inline(__always)
  package static func shift(_ bits: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: bits.leadingZeroBitCount &+ 1)
  }

  /// The bit index of two symbols, the first one in the lower half.
  @inline(__always)
  package static func bitIndex(ofTwo symbols: UInt32, _ shift: UInt64) -> Int {
    Int(truncatingIfNeeded: (UInt64(symbols) &* factor) &>> shift)
  }

  /// The bit index of five symbols, the first one in the lowest bits.
  @inline(__always)
  package static func bitIndex(ofFour symbols: UInt64, andFifth symbol: UInt16, _ shift: UInt64) -> Int {
    Int(truncatingIfNeeded: (symbols &* factor &+ UInt64(symbol) &* otherFactor) &>> shift)
  }
}
