// A canonical prefix code: which identity has which bits.
//
// Not for: choosing among codes (LabelCoder, SharedCodes).

import CallStoreFormat

/// The best prefix code for identities of known weights.
struct CanonicalCode {
  /// The length of the longest code.
  private(set) var longest = 0
  /// By rank: code length above identity, ascending.
  private(set) var keys: ContiguousArray<UInt64> = []
  /// By code length, from 0 on.
  private(set) var counts: ContiguousArray<Int> = []
  /// By identity: the code, below its length in the lowest 8 bits; 0 for what has no code, or one of no bits.
  private(set) var codes: ContiguousArray<UInt32> = []

  /// A code without symbols.
  init() {}

  /// The code of identities with weights that ascend; codes are no longer than ``LabelLayout/codeLengthMax``.
  init(_ identities: ContiguousArray<Int>, ascending weights: ContiguousArray<Int>) {
    var weights = weights
    var lengths = HuffmanLengths.lengths(ascending: weights)
    // Weights that are nearer to each other have a tree that is less deep; all equal, it is 14 at most.
    while let most = lengths.max(), most > LabelLayout.codeLengthMax {
      for index in 0..<weights.count { weights[index] = (weights[index] + 1) / 2 }
      lengths = HuffmanLengths.lengths(ascending: weights)
    }
    longest = lengths.max() ?? 0
    counts = ContiguousArray(repeating: 0, count: longest + 1)
    keys.reserveCapacity(identities.count)
    for (index, identity) in identities.enumerated() {
      keys.append(UInt64(lengths[index]) << UInt64(LabelLayout.identityWidth) | UInt64(identity))
      counts[lengths[index]] += 1
    }
    keys.sort()
    codes = ContiguousArray(repeating: 0, count: 1 << LabelLayout.identityWidth)
    var code = 0
    var length = 0
    for key in keys {
      let own = Int(key >> UInt64(LabelLayout.identityWidth))
      code <<= own - length
      length = own
      codes[Int(key & (1 << UInt64(LabelLayout.identityWidth) - 1))] = UInt32(code << 8 | length)
      code += 1
    }
  }

  /// The length of an identity's code, or of an escape and the identity; nil where the code has neither.
  @inline(__always)
  func length(of identity: Int) -> Int? {
    let length = Int(codes[identity] & 0xFF)
    if length > 0 { return length }
    let escape = Int(codes[LabelLayout.escape] & 0xFF)
    return escape > 0 ? escape + LabelLayout.identityWidth : nil
  }
}
