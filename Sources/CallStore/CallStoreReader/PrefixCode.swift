// A prefix code, prepared for decoding many labels: a table from the next eleven bits to the labels in them.
//
// Not for: where the codes are in a block (LabelCode).

import CallStoreFormat

/// The codes of one length in a canonical code.
struct CodeLength: BitwiseCopyable {
  /// All codes of the length are below the limit.
  var limit: UInt32
  /// The rank of a code minus the code.
  var toRank: Int32
}

/// A canonical code with its symbols, which are identities of labels.
struct PrefixCode: Sendable {
  /// The length of the longest code.
  private(set) var longest = 0
  /// The length of the shortest code that is not in the table: of the escape, or longer than a window.
  private(set) var lengthMin = windowBits + 1
  /// The limits by code length, from 0 on.
  private(set) var lengths: ContiguousArray<CodeLength> = []
  /// The identities, in the order of their codes.
  private(set) var symbols: ContiguousArray<UInt16> = []
  /// For each window of ``windowBits`` bits, the codes at its start: see ``Step``.
  private(set) var steps: ContiguousArray<UInt64> = []

  /// The number of bits decoded with one access to the table. The table has 16 KiB and stays in the cache.
  static let windowBits = 11

  /// Sets the code from a sequence of symbols. `isSymbol` returns whether an identity is valid, or the escape.
  mutating func set(
    _ bytes: RawSpan, _ keys: SequenceReader, isSymbol: (Int) -> Bool
  ) throws(BlockError) {
    symbols.removeAll(keepingCapacity: true)
    symbols.reserveCapacity(keys.count)
    lengths.removeAll(keepingCapacity: true)
    lengths.append(CodeLength(limit: 0, toRank: 0))
    longest = 0
    lengthMin = Self.windowBits + 1
    var limit = 0
    var walker = SequenceWalker(keys)
    while let key = try walker.next(bytes) {
      let identity = Int(key & (1 << UInt64(LabelLayout.identityWidth) - 1))
      let length = Int(truncatingIfNeeded: key &>> UInt64(LabelLayout.identityWidth))
      guard isSymbol(identity), length <= LabelLayout.codeLengthMax, length > 0 || keys.count == 1 else {
        throw BlockError()
      }
      // Symbols are in the order of their codes' lengths, so all shorter lengths are complete.
      while longest < length {
        limit *= 2
        lengths.append(
          CodeLength(limit: UInt32(truncatingIfNeeded: limit), toRank: Int32(symbols.count - limit)))
        longest += 1
      }
      limit += 1
      guard limit <= 1 << length else { throw BlockError() }
      lengths[length].limit = UInt32(truncatingIfNeeded: limit)
      if identity == LabelLayout.escape { lengthMin = min(lengthMin, length) }
      symbols.append(UInt16(truncatingIfNeeded: identity))
    }
    // The code must be complete: all bits have a meaning.
    guard limit == 1 << longest else { throw BlockError() }
    // Moved out while it is filled, so that its memory is reused.
    var table = steps
    steps = []
    Self.fill(&table, lengths.span, symbols.span, longest)
    steps = table
  }

  private static func fill(
    _ steps: inout ContiguousArray<UInt64>, _ lengths: Span<CodeLength>, _ symbols: Span<UInt16>,
    _ longest: Int
  ) {
    let windows = 1 << windowBits
    steps.removeAll(keepingCapacity: true)
    steps.reserveCapacity(windows)
    var rank = 0
    for length in 0...longest {
      // Longer codes share their windows with others. They are found by their limits.
      guard length <= windowBits else { break }
      let end = Int(lengths[length].limit) + Int(lengths[length].toRank)
      while rank < end {
        let step = Step(first: symbols[rank], length: length).word
        for _ in 0..<(windows >> length) { steps.append(step) }
        rank += 1
      }
    }
    while steps.count < windows { steps.append(0) }
    var all = steps.mutableSpan
    for window in 0..<windows {
      var step = Step(word: all[window])
      if step.count == 0 { continue }
      // Only the first code of other steps is read, so the order of filling does not matter.
      while true {
        let next = Step(word: all[(window << step.skipLength) & (windows - 1)])
        guard next.count > 0, step.skipLength + next.firstLength <= windowBits, step.skipCount < Step.skipMax
        else { break }
        step.append(next)
      }
      all[window] = step.word
    }
  }

  /// The identity whose code is at the start of a window, and the length of the code, which is at least `start`.
  @inline(__always)
  func code(_ window: UInt64, from start: Int) throws(BlockError) -> (identity: Int, length: Int) {
    let lengths = lengths.span
    var length = start
    while length <= longest {
      let code = Bits.top(window, length)
      if code < UInt64(lengths[length].limit) {
        return (Int(symbols[Int(code) &+ Int(lengths[length].toRank)]), length)
      }
      length &+= 1
    }
    throw BlockError()
  }
}

/// The codes at the start of a window, packed into a word: up to three identities of 14 bits, their number and the
/// length of their codes; the length of the first code; and, to skip codes, the number of codes in the window and their
/// length.
///
/// A step has no codes if the first is an escape or longer than the window.
struct Step {
  private(set) var word: UInt64
  /// The maximum number of codes that a step skips.
  static let skipMax = 15

  @inline(__always)
  init(word: UInt64) { self.word = word }

  init(first: UInt16, length: Int) {
    guard first != UInt16(LabelLayout.escape) else {
      word = 0
      return
    }
    let length = UInt64(length)
    word = UInt64(first) | length << 42 | 1 << 46 | length << 48 | length << 52 | 1 << 56
  }

  @inline(__always)
  var first: UInt16 { UInt16(truncatingIfNeeded: word & 0x3FFF) }
  @inline(__always)
  var second: UInt16 { UInt16(truncatingIfNeeded: word &>> 14 & 0x3FFF) }
  @inline(__always)
  var third: UInt16 { UInt16(truncatingIfNeeded: word &>> 28 & 0x3FFF) }
  /// The total length of the identities' codes.
  @inline(__always)
  var length: Int { Int(truncatingIfNeeded: word &>> 42 & 15) }
  /// The number of identities, 0 to 3.
  @inline(__always)
  var count: Int { Int(truncatingIfNeeded: word &>> 46 & 3) }
  /// The length of the first code.
  @inline(__always)
  var firstLength: Int { Int(truncatingIfNeeded: word &>> 48 & 15) }
  /// The total length of the codes that the step skips.
  @inline(__always)
  var skipLength: Int { Int(truncatingIfNeeded: word &>> 52 & 15) }
  /// The number of codes that the step skips, 0 to ``skipMax``.
  @inline(__always)
  var skipCount: Int { Int(truncatingIfNeeded: word &>> 56 & 15) }

  /// Appends another step's first code.
  mutating func append(_ next: Step) {
    let length = UInt64(next.firstLength)
    if count < 3 {
      word |= UInt64(next.first) << UInt64(14 * count)
      word += length << 42 | 1 << 46
    }
    word += length << 52 | 1 << 56
  }
}
