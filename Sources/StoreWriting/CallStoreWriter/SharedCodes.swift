// The label codes that blocks share: made from the blocks so far, and made again when there are many more blocks.
//
// Without them, a list with thousands of labels stores a code in each block, and lookups have no decoding table.
// Not for: the code of one block (LabelCoder).

import CallStoreFormat

/// The shared codes of a store that is being written.
struct SharedCodes {
  /// The label counts of one kind, and the code that its blocks may use.
  struct Tally {
    /// The number of records by the identity of their label in the store's table.
    fileprivate var counts = ContiguousArray<Int>(repeating: 0, count: StoreLimits.tableLabelsMax)
    fileprivate var blocks = 0
    /// The number of blocks after which to try another code.
    fileprivate var due = 1
    fileprivate(set) var code = CanonicalCode()
    /// The number of the code in the store.
    fileprivate(set) var number: Int?
  }

  /// Another code is tried when the number of blocks has grown by this factor.
  private static let growth = 8

  private(set) var blocking = Tally()
  private(set) var identification = Tally()
  private var written = Written()

  /// The codes in their form in the store.
  private struct Written {
    var count = 0
    var bytes: ContiguousArray<UInt8> = []
  }

  /// The number of codes.
  var count: Int { written.count }
  /// The codes in their form in the store.
  var bytes: ContiguousArray<UInt8> { written.bytes }

  func tally(_ kind: StoreKind) -> Tally { kind == .blocking ? blocking : identification }

  /// Adds the identities of a block, with their frequencies. `dominant` is the one coded as runs, if any.
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

  /// The best code for labels with these counts. It has an escape if new labels are to be expected.
  private static func code(
    _ counts: ContiguousArray<Int>, besides dominant: Int?, hasOwn: Bool
  ) -> CanonicalCode {
    var identities: ContiguousArray<Int> = []
    var once = 0
    for identity in 0..<counts.count where counts[identity] > 0 && identity != dominant {
      identities.append(identity)
      if counts[identity] == 1 { once += 1 }
    }
    // The number of labels that occurred once estimates the number of new labels (I. J. Good 1953).
    let escape = hasOwn || once > 0 ? max(1, once) : 0
    if escape > 0 { identities.append(LabelLayout.escape) }
    func weight(_ identity: Int) -> Int { identity == LabelLayout.escape ? escape : counts[identity] }
    identities.sort { weight($0) != weight($1) ? weight($0) < weight($1) : $0 < $1 }
    return CanonicalCode(identities, ascending: ContiguousArray(identities.map(weight)))
  }

  /// The size of a block's labels in bits; nil if the code can't express one of them.
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
