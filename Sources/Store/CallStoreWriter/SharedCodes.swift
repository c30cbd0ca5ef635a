// The label codes that blocks share: learnt from the blocks so far, and made anew when there is much more to learn from.
//
// A list with thousands of labels pays for a block's own code in each block, and its look-ups find no table made ready.
// Not for: the code of one block (LabelCoder).

import CallStoreFormat

struct SharedCodes {
  /// What was seen of one kind, and the code that its blocks may use.
  struct Tally {
    /// By identity of the table.
    fileprivate var counts = ContiguousArray<Int>(repeating: 0, count: StoreLimits.tableLabelsMax)
    fileprivate var blocks = 0
    /// After so many blocks there is another code to try.
    fileprivate var due = 1
    fileprivate(set) var code = CanonicalCode()
    /// The number of the code in the store.
    fileprivate(set) var number: Int?
  }

  /// So many times as many blocks are worth another code.
  private static let growth = 8

  private(set) var blocking = Tally()
  private(set) var identification = Tally()
  private var written = Written()

  /// The codes as they stand in the store.
  private struct Written {
    var count = 0
    var bytes: ContiguousArray<UInt8> = []
  }

  /// The number of codes.
  var count: Int { written.count }
  /// The codes as they stand in the store.
  var bytes: ContiguousArray<UInt8> { written.bytes }

  func tally(_ kind: StoreKind) -> Tally { kind == .blocking ? blocking : identification }

  /// Learns from a block: which identities it has, how often, and which of them is coded as runs, if one is.
  mutating func learn(
    _ kind: StoreKind, _ seen: ContiguousArray<Int>, _ frequencies: ContiguousArray<Int>, dominant: Int?,
    _ sequences: inout SequenceWriter
  ) {
    if kind == .blocking {
      Self.learn(&blocking, &written, seen, frequencies, dominant, &sequences)
    } else {
      Self.learn(&identification, &written, seen, frequencies, dominant, &sequences)
    }
  }

  private static func learn(
    _ tally: inout Tally, _ written: inout Written, _ seen: ContiguousArray<Int>,
    _ frequencies: ContiguousArray<Int>, _ dominant: Int?, _ sequences: inout SequenceWriter
  ) {
    tally.blocks += 1
    var hasOwn = false
    for identity in seen {
      if identity < StoreLimits.tableLabelsMax {
        tally.counts[identity] += frequencies[identity]
      } else {
        hasOwn = true
      }
    }
    guard tally.blocks >= tally.due, written.count < StoreLimits.codesMax else { return }
    tally.due = tally.blocks * Self.growth
    let code = Self.code(tally.counts, besides: dominant, hasOwn: hasOwn)
    guard code.keys.count > 1, let cost = Self.cost(seen, frequencies, besides: dominant, code) else {
      return
    }
    if tally.number != nil, let known = Self.cost(seen, frequencies, besides: dominant, tally.code),
      cost + cost >> 7 >= known
    {
      return
    }
    append(code, &written, &sequences)
    tally.code = code
    tally.number = written.count - 1
  }

  /// The best code for labels with these counts, with an escape where labels are to be expected that are not there yet.
  private static func code(
    _ counts: ContiguousArray<Int>, besides dominant: Int?, hasOwn: Bool
  ) -> CanonicalCode {
    var identities: ContiguousArray<Int> = []
    var once = 0
    for identity in 0..<counts.count where counts[identity] > 0 && identity != dominant {
      identities.append(identity)
      if counts[identity] == 1 { once += 1 }
    }
    // As many labels came once as will come that are new (I. J. Good 1953).
    let escape = hasOwn || once > 0 ? max(1, once) : 0
    if escape > 0 { identities.append(LabelLayout.escape) }
    func weight(_ identity: Int) -> Int { identity == LabelLayout.escape ? escape : counts[identity] }
    identities.sort { weight($0) != weight($1) ? weight($0) < weight($1) : $0 < $1 }
    return CanonicalCode(identities, ascending: ContiguousArray(identities.map(weight)))
  }

  /// The bits that labels take, or nil when the code can't say one of them.
  static func cost(
    _ seen: ContiguousArray<Int>, _ frequencies: ContiguousArray<Int>, besides dominant: Int?,
    _ code: CanonicalCode
  ) -> Int? {
    guard !code.isEmpty else { return nil }
    var cost = 0
    for identity in seen where identity != dominant {
      guard let length = code.length(of: identity) else { return nil }
      cost += frequencies[identity] * length
    }
    return cost
  }

  private static func append(
    _ code: CanonicalCode, _ written: inout Written, _ sequences: inout SequenceWriter
  ) {
    var symbols: ContiguousArray<UInt8> = []
    sequences.append(code.keys.span, to: &symbols)
    written.bytes.append(littleEndian: UInt16(code.keys.count))
    written.bytes.append(littleEndian: UInt16(0))
    written.bytes.append(littleEndian: UInt32(symbols.count))
    written.bytes.append(contentsOf: symbols)
    written.count += 1
  }
}
