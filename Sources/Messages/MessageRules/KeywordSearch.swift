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

  /// Starts another message.
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
