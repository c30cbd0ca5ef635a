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
  /// By identity, up to the last that has one: the code, above its length in the lowest 8 bits.
  private var codes: ContiguousArray<UInt32> = []
  /// The same of the escape, which stands for an identity that has no code.
  private(set) var escape: UInt32 = 0

  /// Whether there are no symbols.
  var isEmpty: Bool { keys.isEmpty }

  /// The code of an identity, above its length in the lowest 8 bits; 0 where there is none, or one of no bits.
  @inline(__always)
  subscript(identity: Int) -> UInt32 { identity < codes.count ? codes[identity] : 0 }

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
    var last = -1
    for identity in identities where identity != LabelLayout.escape { last = max(last, identity) }
    codes = ContiguousArray(repeating: 0, count: last + 1)
    var code = 0
    var length = 0
    for key in keys {
      let own = Int(key >> UInt64(LabelLayout.identityWidth))
      code <<= own - length
      length = own
      let identity = Int(key & (1 << UInt64(LabelLayout.identityWidth) - 1))
      if identity == LabelLayout.escape {
        escape = UInt32(code << 8 | length)
      } else {
        codes[identity] = UInt32(code << 8 | length)
      }
      code += 1
    }
  }

  /// The length of an identity's code, or of an escape and the identity; nil where the code has neither.
  @inline(__always)
  func length(of identity: Int) -> Int? {
    let length = Int(self[identity] & 0xFF)
    if length > 0 { return length }
    let escapeLength = Int(escape & 0xFF)
    return escapeLength > 0 ? escapeLength + LabelLayout.identityWidth : nil
  }
}
