// Which keyword conditions hold whenever another one does, because each keyword of the one contains a keyword of the
// other. Keywords are compared as they are folded in the compiled rules.
//
// Not for: other conditions (TestImplications).

import CallStoreFormat
import MessageRules

/// The groups of keywords that a message has whenever it has another group.
struct KeywordImplications {
  /// The maximum number of pairs of a keyword and a keyword in it, and of their groups, that are examined: about a
  /// second. Beyond it, only some implications are found.
  private static let stepsMax = 20_000_000

  /// For each group, the groups that it implies, itself included, in ascending order.
  private(set) var implied: [[Int]]
  /// For each group, the groups that imply it.
  private(set) var implying: [[Int]]

  /// A keyword that occurs in another one.
  private struct Occurrence {
    var keyword: Int
    var isPrefix: Bool
    var isWhole: Bool
  }

  /// Compares all keywords.
  init(_ rules: borrowing CompiledRules) {
    let groupCount = rules.count(of: .groups)
    implied = (0..<groupCount).map { [$0] }
    implying = implied
    var stepsLeft = Self.stepsMax
    let occurrences = Self.occurrences(rules, &stepsLeft)
    let groups = rules.bytes(of: .groups)
    let modes = (0..<groupCount).map { groups.u32(4 * $0) }
    let groupsOfKeyword = Self.groups(rules)
    var keywords = [[Int]](repeating: [], count: groupCount)
    for (keyword, groups) in groupsOfKeyword.enumerated() {
      for group in groups { keywords[group].append(keyword) }
    }
    for group in 0..<groupCount {
      // The number of the group's keywords that contain a keyword of the other group.
      var counts: [Int: (count: Int, last: Int)] = [:]
      for keyword in keywords[group] {
        for occurrence in occurrences[keyword] {
          for other in groupsOfKeyword[occurrence.keyword] {
            stepsLeft -= 1
            guard Self.fits(occurrence, modes[group], modes[other]), counts[other]?.last != keyword else {
              continue
            }
            counts[other] = ((counts[other]?.count ?? 0) + 1, keyword)
          }
        }
        guard stepsLeft > 0 else { return }
      }
      for (other, found) in counts where found.count == keywords[group].count && other != group {
        implied[group].append(other)
        implying[other].append(group)
      }
      implied[group].sort()
    }
  }

  /// Whether a text that has a keyword in one way has the keyword in it in another way.
  private static func fits(_ occurrence: Occurrence, _ mode: UInt32, _ other: UInt32) -> Bool {
    guard let mode = MessageTest.Keywords(rawValue: UInt8(truncatingIfNeeded: mode)),
      let other = MessageTest.Keywords(rawValue: UInt8(truncatingIfNeeded: other))
    else { return false }
    switch (mode, other) {
    case (.bodyContains, .bodyContains): return true
    case (.bodyContains, _), (_, .bodyContains): return false
    case (_, .senderContains): return true
    case (.senderPrefix, .senderPrefix), (.senderIs, .senderPrefix): return occurrence.isPrefix
    case (.senderIs, .senderIs): return occurrence.isWhole
    default: return false
    }
  }

  /// The groups of each keyword.
  private static func groups(_ rules: borrowing CompiledRules) -> [[Int]] {
    let keywords = rules.bytes(of: .keywords)
    let groups = rules.bytes(of: .keywordGroups)
    return (0..<rules.count(of: .keywords)).map { keyword in
      let first = Int(keywords.u32(16 * keyword + 8))
      return (first..<first + keywords.u16(16 * keyword + 2)).map { Int(groups.u32(4 * $0)) }
    }
  }

  // MARK: The automaton

  /// The keywords that occur in each keyword, itself included.
  private static func occurrences(
    _ rules: borrowing CompiledRules, _ stepsLeft: inout Int
  ) -> [[Occurrence]] {
    let nodes = rules.bytes(of: .nodes)
    let ends = rules.bytes(of: .nodeKeywords)
    let keywords = rules.bytes(of: .keywords)
    var found = [[Occurrence]](repeating: [], count: rules.count(of: .keywords))
    for index in 0..<rules.count(of: .nodes) {
      let node = KeywordNode(word: nodes.u64(8 * index))
      guard node.isEnd, stepsLeft > 0 else { continue }
      let keyword = Int(ends.u32(4 * index))
      // A node where a shorter keyword ends is not that of the keyword.
      let length = keywords.u16(16 * keyword)
      guard let symbols = symbols(to: index, length, nodes) else { continue }
      search(rules, symbols, &stepsLeft) { other, end in
        let otherLength = keywords.u16(16 * other)
        found[keyword].append(
          Occurrence(keyword: other, isPrefix: end == otherLength, isWhole: otherLength == length))
      }
    }
    return found
  }

  /// The symbols on the way from the root to a node; nil if there are more or fewer than `length`.
  private static func symbols(to index: Int, _ length: Int, _ nodes: RawSpan) -> [Int]? {
    var symbols: [Int] = []
    var at = index
    while at != 0 {
      let parent = KeywordNode(word: nodes.u64(8 * at)).from
      guard symbols.count < length, 8 * parent < nodes.byteCount else { return nil }
      symbols.append(at - KeywordNode(word: nodes.u64(8 * parent)).base)
      at = parent
    }
    return symbols.count == length ? symbols.reversed() : nil
  }

  /// Finds all keywords in a text, with the position after each.
  private static func search(
    _ rules: borrowing CompiledRules, _ symbols: [Int], _ stepsLeft: inout Int,
    _ found: (_ keyword: Int, _ end: Int) -> Void
  ) {
    let nodes = rules.bytes(of: .nodes)
    let ends = rules.bytes(of: .nodeKeywords)
    let keywords = rules.bytes(of: .keywords)
    var state = 0
    for (index, symbol) in symbols.enumerated() {
      while stepsLeft > 0 {
        stepsLeft -= 1
        let node = KeywordNode(word: nodes.u64(8 * state))
        let target = node.base + symbol
        if 8 * target < nodes.byteCount, KeywordNode(word: nodes.u64(8 * target)).from == state {
          state = target
          break
        }
        if state == 0 { break }
        state = node.fail
      }
      guard KeywordNode(word: nodes.u64(8 * state)).isEnd else { continue }
      var keyword = ends.u32(4 * state)
      while keyword != UInt32.max {
        stepsLeft -= 1
        found(Int(keyword), index + 1)
        keyword = keywords.u32(16 * Int(keyword) + 4)
      }
    }
  }
}
