// A canonical prefix code: the bits of each identity.
//
// Not for: choosing among codes (LabelCoder, SharedCodes).

import CallStoreFormat

/// The best prefix code for identities of known weights.
struct CanonicalCode {
  /// The length of the longest code.
  private(set) var longest = 0
  /// The symbols by rank, ascending: the code length above the identity.
  private(set) var keys: ContiguousArray<UInt64> = []
  /// The number of codes by code length, from 0 on.
  private(set) var counts: ContiguousArray<Int> = []
  /// The codes by identity, up to the last identity with a code: the code above its length in the lowest 8 bits.
  private var codes: ContiguousArray<UInt32> = []
  /// The code of the escape, in the same form. The escape precedes an identity without a code.
  private(set) var escape: UInt32 = 0

  /// Whether there are no symbols.
  var isEmpty: Bool { keys.isEmpty }

  /// The code of an identity, above its length in the lowest 8 bits; 0 if the identity has no code, or a code of 0
  /// bits.
  @inline(__always)
  subscript(identity: Int) -> UInt32 { identity < codes.count ? codes[identity] : 0 }

  /// A code without symbols.
  init() {}

  /// Makes the code of identities with ascending weights. Codes are at most ``LabelLayout/codeLengthMax`` bits long.
  init(_ identities: ContiguousArray<Int>, ascending weights: ContiguousArray<Int>) {
    var weights = weights
    var lengths = HuffmanLengths.lengths(ascending: weights)
    // Halving brings the weights closer together, which makes the tree less deep; if all are equal, it is at most 14
    // deep.
    while let longest = lengths.max(), longest > LabelLayout.codeLengthMax {
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

  /// The length of an identity's code, or of the escape and the identity; nil if the code has neither.
  @inline(__always)
  func length(of identity: Int) -> Int? {
    let length = Int(self[identity] & 0xFF)
    if length > 0 { return length }
    let escapeLength = Int(escape & 0xFF)
    return escapeLength > 0 ? escapeLength + LabelLayout.identityWidth : nil
  }
}
