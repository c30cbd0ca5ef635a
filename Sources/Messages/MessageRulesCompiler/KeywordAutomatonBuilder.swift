// Builds an automaton from keywords (A. V. Aho, M. J. Corasick, 1975), packed as a double array (J. Aoe, 1989): the
// children of a node are at its base plus their symbols, in slots that other nodes don't use.

import MessageRules

struct KeywordAutomatonBuilder {
  private struct TrieNode {
    var symbol: UInt16
    var keyword = UInt32.max
    var firstChild: Int32 = -1
    var lastChild: Int32 = -1
    var sibling: Int32 = -1
    var fail: Int32 = 0
    var slot: Int32 = 0
  }

  private(set) var nodes: [UInt64] = []
  private(set) var ends: [UInt32] = []
  /// For each keyword, the longest other keyword that is its suffix; all ones for none.
  private(set) var suffixes: [UInt32]

  private var trie: ContiguousArray<TrieNode> = [TrieNode(symbol: 0)]

  /// Builds the automaton; nil when it would have too many nodes.
  ///
  /// - Parameters:
  ///   - keywords: the symbols of the keywords, which are not empty and all different.
  ///   - symbolCount: the highest symbol; the symbols start at 1.
  /// - Complexity: O(symbols) for the automaton, plus the packing.
  init?(_ keywords: [[UInt16]], symbolCount: Int) {
    suffixes = Array(repeating: UInt32.max, count: keywords.count)
    let order = keywords.indices.sorted { keywords[$0].lexicographicallyPrecedes(keywords[$1]) }
    for index in order {
      insert(keywords[index], UInt32(index))
      guard trie.count < MessageRulesLimits.nodesMax / 2 else { return nil }
    }
    link()
    guard pack(symbolCount) else { return nil }
  }

  /// Adds a keyword. Keywords are added in ascending order, so that a node's next child is always its last one.
  private mutating func insert(_ keyword: [UInt16], _ index: UInt32) {
    var node = 0
    for symbol in keyword {
      let last = Int(trie[node].lastChild)
      if last >= 0, trie[last].symbol == symbol {
        node = last
        continue
      }
      let child = trie.count
      trie.append(TrieNode(symbol: symbol))
      if last >= 0 { trie[last].sibling = Int32(child) } else { trie[node].firstChild = Int32(child) }
      trie[node].lastChild = Int32(child)
      node = child
    }
    trie[node].keyword = index
  }

  private func forEachChild(of node: Int, _ body: (Int) -> Void) {
    var child = Int(trie[node].firstChild)
    while child >= 0 {
      body(child)
      child = Int(trie[child].sibling)
    }
  }

  /// Determines the node with which each node continues when no child matches: the longest suffix of its path that is
  /// also a path.
  private mutating func link() {
    var targets: [UInt64: Int32] = [:]
    targets.reserveCapacity(trie.count)
    func key(_ node: Int, _ symbol: UInt16) -> UInt64 { UInt64(node) << 16 | UInt64(symbol) }
    for node in trie.indices { forEachChild(of: node) { targets[key(node, trie[$0].symbol)] = Int32($0) } }
    for node in breadthFirst() {
      var child = Int(trie[node].firstChild)
      while child >= 0 {
        let symbol = trie[child].symbol
        var fail = Int(trie[node].fail)
        if node != 0 {
          while fail != 0, targets[key(fail, symbol)] == nil { fail = Int(trie[fail].fail) }
          trie[child].fail = targets[key(fail, symbol)] ?? 0
        }
        let suffix = trie[Int(trie[child].fail)].keyword
        if trie[child].keyword == UInt32.max {
          trie[child].keyword = suffix
        } else {
          suffixes[Int(trie[child].keyword)] = suffix
        }
        child = Int(trie[child].sibling)
      }
    }
  }

  private func breadthFirst() -> [Int] {
    var order = [0]
    order.reserveCapacity(trie.count)
    var at = 0
    while at < order.count {
      forEachChild(of: order[at]) { order.append($0) }
      at += 1
    }
    return order
  }

  // MARK: Packing

  /// The free slots, as a ring in ascending order.
  private struct FreeSlots {
    private var next: [Int32] = [0]
    private var previous: [Int32] = [0]
    private var used: [Bool] = [true]

    var count: Int { used.count }

    mutating func grow(to size: Int) {
      while used.count < size {
        let slot = Int32(used.count)
        let last = previous[0]
        used.append(false)
        next.append(0)
        previous.append(last)
        next[Int(last)] = slot
        previous[0] = slot
      }
    }

    func isFree(_ slot: Int) -> Bool { slot >= used.count || !used[slot] }

    /// The next free slot after one, or 0.
    func free(after slot: Int) -> Int { Int(next[slot]) }

    mutating func markUsed(_ slot: Int) {
      grow(to: slot + 1)
      used[slot] = true
      next[Int(previous[slot])] = next[slot]
      previous[Int(next[slot])] = previous[slot]
    }
  }

  /// The number of bases that are tried for a node with several children before it is placed at the end.
  private static let triesMax = 512

  private mutating func pack(_ symbolCount: Int) -> Bool {
    var free = FreeSlots()
    var bases = [Int32](repeating: 0, count: trie.count)
    let order = breadthFirst()
    var largest = 0
    for node in order where trie[node].firstChild >= 0 {
      var symbols: [Int] = []
      forEachChild(of: node) { symbols.append(Int(trie[$0].symbol)) }
      let base = node == 0 ? 0 : Self.base(for: symbols, &free)
      largest = max(largest, base)
      guard base + symbolCount < MessageRulesLimits.nodesMax else { return false }
      bases[node] = Int32(base)
      var child = Int(trie[node].firstChild)
      while child >= 0 {
        let slot = base + Int(trie[child].symbol)
        free.markUsed(slot)
        trie[child].slot = Int32(slot)
        child = Int(trie[child].sibling)
      }
    }
    // Every base is followed by a whole alphabet, so that the reader need not check it.
    let size = max(free.count, largest + symbolCount + 1)
    var nodes = [UInt64](repeating: KeywordNode.free.word, count: size)
    ends = Array(repeating: UInt32.max, count: size)
    for node in order {
      let slot = Int(trie[node].slot)
      if node == 0 {
        nodes[0] = KeywordNode(from: Int(KeywordNode.mask), base: 0, fail: 0, isEnd: false).word
      } else {
        let parent = KeywordNode(word: nodes[slot]).from
        nodes[slot] = self.node(node, from: parent, base: bases[node]).word
        ends[slot] = trie[node].keyword
      }
      // Children are placed later, but get their parent now.
      forEachChild(of: node) { child in
        nodes[Int(trie[child].slot)] = KeywordNode(from: slot, base: 0, fail: 0, isEnd: false).word
      }
    }
    self.nodes = nodes
    return true
  }

  private func node(_ index: Int, from: Int, base: Int32) -> KeywordNode {
    KeywordNode(
      from: from, base: Int(base), fail: Int(trie[Int(trie[index].fail)].slot),
      isEnd: trie[index].keyword != UInt32.max)
  }

  /// A base from which all symbols lead to free slots; the symbols ascend.
  private static func base(for symbols: [Int], _ free: inout FreeSlots) -> Int {
    let first = symbols[0]
    var slot = free.free(after: 0)
    var tries = 0
    while slot != 0, tries < triesMax {
      if slot >= first {
        let base = slot - first
        if symbols.allSatisfy({ free.isFree(base + $0) }) { return base }
        tries += 1
      }
      slot = free.free(after: slot)
    }
    return max(free.count - first, 0)
  }
}

struct KeywordPrefixBuilder {
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
