// The alphabet of a rule file: the characters that are distinguished, and the table that folds texts into it.
//
// Each character of a keyword has its own symbol, the lowest ones. Other characters share a symbol if the same classes
// of regular expressions contain them, and those that no rule contains are symbol 0.

import MessageRules

/// The alphabet, and the sections of the fold table.
struct SymbolTable {
  private static let pageBits: UInt32 = 7

  /// The number of symbols.
  private(set) var symbolCount: Int
  /// The number of symbols that occur in keywords.
  let keywordSymbolCount: Int
  let zeroSymbol: UInt16
  let oneSymbol: UInt16

  private var explicit: [UInt32: UInt16] = [:]
  /// The start of each run of characters with the same symbol, and its symbol.
  private var starts: [UInt32] = [0]
  private var symbols: [UInt16] = [0]
  /// The symbols of each set, without those of single characters.
  private var setSymbols: [[UInt16]]
  private let sets: [ScalarSet]

  private(set) var pages: [UInt16] = []
  private(set) var blocks: [UInt32] = []
  private(set) var expansionStarts: [UInt32] = [0]
  private(set) var expansions: [UInt32] = []

  /// Makes the alphabet for the folded characters of keywords and for folded sets; nil if that exceeds the maximum
  /// number of symbols.
  init?(keywords: [UInt32], sets: [ScalarSet], map: FoldMap) {
    var explicit: [UInt32: UInt16] = [:]
    // Look-alikes, and the digits that they become, must always be distinguished.
    let digits: [UInt32] = map.options.digits ? Array(0x30...0x39) + FoldMap.lookAlikes.flatMap(map.fold) : []
    for scalar in keywords + digits.sorted() where explicit[scalar] == nil {
      guard explicit.count < MessageRulesLimits.symbolsMax else { return nil }
      explicit[scalar] = UInt16(explicit.count + 1)
    }
    self.explicit = explicit
    self.sets = sets
    keywordSymbolCount = explicit.count
    symbolCount = explicit.count + 1
    zeroSymbol = explicit[0x30] ?? 0
    oneSymbol = explicit[0x31] ?? 0
    setSymbols = Array(repeating: [], count: sets.count)
    guard divide() else { return nil }
    guard makeTable(map) else { return nil }
  }

  /// The symbol of a folded character.
  func symbol(of scalar: UInt32) -> UInt16 {
    if let symbol = explicit[scalar] { return symbol }
    return symbols[place(of: scalar)]
  }

  /// The symbols of a set.
  func symbols(ofSet index: Int) -> [UInt16] {
    setSymbols[index] + explicit.filter { sets[index].contains($0.key) }.map(\.value)
  }

  private func place(of scalar: UInt32) -> Int {
    var low = 0
    var high = starts.count - 1
    while low < high {
      let middle = (low + high + 1) / 2
      if starts[middle] <= scalar { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// Divides all characters into runs that belong to the same sets.
  private mutating func divide() -> Bool {
    var changes: [(at: UInt32, set: Int, enters: Bool)] = []
    for (index, set) in sets.enumerated() {
      for range in set.ranges {
        changes.append((range.lowerBound, index, true))
        changes.append((range.upperBound + 1, index, false))
      }
    }
    changes.sort { $0.at < $1.at }
    var inside: Set<Int> = []
    var known: [[Int]: UInt16] = [[]: 0]
    var index = 0
    while index < changes.count {
      let at = changes[index].at
      while index < changes.count, changes[index].at == at {
        if changes[index].enters {
          inside.insert(changes[index].set)
        } else {
          inside.remove(changes[index].set)
        }
        index += 1
      }
      guard at < 0x110000 else { break }
      let key = inside.sorted()
      if known[key] == nil {
        guard symbolCount <= MessageRulesLimits.symbolsMax else { return false }
        known[key] = UInt16(symbolCount)
        for set in key { setSymbols[set].append(UInt16(symbolCount)) }
        symbolCount += 1
      }
      if starts.last == at { starts.removeLast(); symbols.removeLast() }
      starts.append(at)
      symbols.append(known[key] ?? 0)
    }
    return true
  }

  // MARK: The table

  /// Makes pages and blocks. Pages whose characters all have the same entry share a block.
  private mutating func makeTable(_ map: FoldMap) -> Bool {
    var busy: Set<UInt32> = []
    for scalar in map.special.keys { busy.insert(scalar >> Self.pageBits) }
    for scalar in explicit.keys { busy.insert(scalar >> Self.pageBits) }
    for scalar in starts where scalar & 127 != 0 { busy.insert(scalar >> Self.pageBits) }
    for run in CharacterTables.runs where run.start & 127 != 0 { busy.insert(run.start >> Self.pageBits) }
    busy.formUnion([0x3002 >> Self.pageBits, 0xFF61 >> Self.pageBits])
    for scalar in FoldMap.lookAlikes { busy.insert(scalar >> Self.pageBits) }
    var uniform: [UInt32: UInt16] = [:]
    pages.reserveCapacity(0x110000 >> 7)
    for page in 0..<UInt32(0x110000 >> 7) {
      let first = page << Self.pageBits
      if busy.contains(page) {
        pages.append(UInt16(blocks.count / 128))
        for scalar in first..<first + 128 {
          guard let entry = entry(of: scalar, map) else { return false }
          blocks.append(entry)
        }
      } else {
        guard let entry = entry(of: first, map) else { return false }
        if uniform[entry] == nil {
          uniform[entry] = UInt16(blocks.count / 128)
          blocks += Array(repeating: entry, count: 128)
        }
        pages.append(uniform[entry] ?? 0)
      }
    }
    return true
  }

  /// A character's entry. An expansion with a single part is a mark that only counts after a character that it can
  /// voice.
  private mutating func entry(of scalar: UInt32, _ map: FoldMap) -> UInt32? {
    let parts = map.fold(scalar)
    if parts.isEmpty { return FoldEntry(symbol: 0, kind: .skip, script: 0, ascii: 0).bits }
    if parts.count == 1, !map.isVoicingMark(parts) {
      return map.entry(raw: scalar, folded: parts[0], symbol: symbol(of: parts[0])).bits
    }
    guard expansionStarts.count <= MessageRulesLimits.symbolsMax else { return nil }
    let index = UInt16(expansionStarts.count - 1)
    for part in parts {
      expansions.append(map.entry(raw: part, folded: part, symbol: symbol(of: part)).bits)
    }
    expansionStarts.append(UInt32(expansions.count))
    return FoldEntry(symbol: index, kind: .expansion, script: 0, ascii: 0).bits
  }
}
