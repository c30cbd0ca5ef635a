// A tournament of runs: which of them has the next record. One comparison a level, no swaps of winners.
//
// It knows nothing of files: it sees the runs' next numbers. Sort merges its runs with it, the set operations their lists.
// Source: Knuth, The Art of Computer Programming, volume 3, 5.4.1 (tree of losers).

public import BasicContainers

/// The order of records from several runs: by first number, wider first, earlier run first.
@frozen @usableFromInline
package struct LoserTree: ~Copyable {
  @usableFromInline let leaves: Int
  /// At 0 the winner, at 1... the loser of each match, as numbers of runs.
  @usableFromInline var nodes: RigidArray<Int32>
  @usableFromInline var firsts: RigidArray<UInt64>
  @usableFromInline var lasts: RigidArray<UInt64>

  /// Makes a tree for `runs` runs, all of them at their end until `update` says otherwise.
  package init(runs: Int) {
    var leaves = 1
    while leaves < runs { leaves *= 2 }
    self.leaves = leaves
    nodes = RigidArray(repeating: 0, count: max(leaves, 2))
    firsts = RigidArray(repeating: .max, count: leaves)
    lasts = RigidArray(repeating: 0, count: leaves)
  }

  /// The run that has the next record.
  @inlinable package var winner: Int { Int(nodes[0]) }
  /// Whether every run is at its end.
  @inlinable package var isEmpty: Bool { firsts[winner] == .max }

  /// Sets a run's next record before `build`.
  @inlinable
  package mutating func set(_ run: Int, first: UInt64, last: UInt64) {
    firsts[run] = first
    lasts[run] = last
  }

  /// Plays all the matches.
  package mutating func build() {
    var winners = RigidArray<Int32>(repeating: 0, count: 2 * leaves)
    for leaf in 0..<leaves { winners[leaves + leaf] = Int32(leaf) }
    for node in stride(from: leaves - 1, to: 0, by: -1) {
      let left = Int(winners[2 * node])
      let right = Int(winners[2 * node + 1])
      let leftWins = comesBefore(left, right)
      winners[node] = Int32(leftWins ? left : right)
      nodes[node] = Int32(leftWins ? right : left)
    }
    nodes[0] = winners[1]
  }

  /// Gives the winner its run's next record and plays its matches again.
  @inlinable
  package mutating func replaceWinner(first: UInt64, last: UInt64) {
    var run = winner
    firsts[run] = first
    lasts[run] = last
    var node = (leaves + run) / 2
    while node > 0 {
      let rival = Int(nodes[node])
      if comesBefore(rival, run) {
        nodes[node] = Int32(run)
        run = rival
      }
      node /= 2
    }
    nodes[0] = Int32(run)
  }

  @inlinable @inline(__always)
  func comesBefore(_ one: Int, _ other: Int) -> Bool {
    let a = firsts[one]
    let b = firsts[other]
    if a != b { return a < b }
    if lasts[one] != lasts[other] { return lasts[one] > lasts[other] }
    return one < other
  }
}
