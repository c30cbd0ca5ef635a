// A tournament tree that finds the run with the next record: one comparison per level, without swapping winners.
//
// It compares numbers only. Sort merges its runs with it, the set operations their lists. Not for: reading the runs.
// Source: Knuth, The Art of Computer Programming, volume 3, 5.4.1 (tree of losers).

public import BasicContainers

// This is the first file of the program that does not compile without the package trait.
#if !canImport(BasicContainers)
  #error("The program needs a package trait: run `make build`, or `swift build --traits Tool`")
#endif

/// Orders records from several runs: by first number, then wider ranges first, then earlier runs first.
@usableFromInline
package struct LoserTree: ~Copyable {
  @usableFromInline let leaves: Int
  /// The winner at index 0, and from index 1 on the loser of each match, as indices of runs.
  @usableFromInline var nodes: RigidArray<Int32>
  @usableFromInline var firsts: RigidArray<UInt64>
  @usableFromInline var lasts: RigidArray<UInt64>

  /// Creates a tree for a number of runs. All are at their end until `set` adds a record.
  package init(runs: Int) {
    var leaves = 1
    while leaves < runs { leaves *= 2 }
    self.leaves = leaves
    nodes = RigidArray(repeating: 0, count: max(leaves, 2))
    firsts = RigidArray(repeating: .max, count: leaves)
    lasts = RigidArray(repeating: 0, count: leaves)
  }

  /// The run with the next record.
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

  /// Sets the next record of the winner's run and replays its matches.
  @inlinable
  package mutating func replaceWinner(first: UInt64, last: UInt64) {
    var run = winner
    firsts[run] = first
    lasts[run] = last
    var node = (leaves + run) / 2
    while node > 0 {
      let opponent = Int(nodes[node])
      if comesBefore(opponent, run) {
        nodes[node] = Int32(run)
        run = opponent
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
