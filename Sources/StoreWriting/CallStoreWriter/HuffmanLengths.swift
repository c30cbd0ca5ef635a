// The code lengths of an optimal prefix code (D. A. Huffman 1952, with the two queues of J. van Leeuwen 1976).

/// Code lengths for frequencies that ascend; each is at least 1.
enum HuffmanLengths {
  /// The length of each code. A single frequency has a code of 0 bits.
  static func lengths(ascending frequencies: ContiguousArray<Int>) -> ContiguousArray<Int> {
    let leaves = frequencies.count
    guard leaves > 1 else { return ContiguousArray(repeating: 0, count: leaves) }
    var weights = frequencies
    weights.reserveCapacity(2 * leaves)
    var parents = ContiguousArray<Int>(repeating: 0, count: 2 * leaves - 1)
    var leaf = 0
    var inner = leaves
    // Among equal weights, leaves come first: this makes the tree as shallow as possible.
    func lighter() -> Int {
      if leaf < leaves, inner >= weights.count || weights[leaf] <= weights[inner] {
        leaf += 1
        return leaf - 1
      }
      inner += 1
      return inner - 1
    }
    while weights.count < 2 * leaves - 1 {
      let one = lighter()
      let other = lighter()
      parents[one] = weights.count
      parents[other] = weights.count
      weights.append(weights[one] + weights[other])
    }
    var lengths = ContiguousArray<Int>(repeating: 0, count: 2 * leaves - 1)
    for node in (0..<(2 * leaves - 2)).reversed() { lengths[node] = lengths[parents[node]] + 1 }
    lengths.removeLast(leaves - 1)
    return lengths
  }
}
