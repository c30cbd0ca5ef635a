// The numbers that an operation keeps of its first list: for `subtract` those that are in no other list, for
// `intersect` those that are in every other list. They come as ascending runs, each as long as possible.

import BasicContainers
import Records

/// The numbers that a set operation keeps, one run at a time.
struct KeptRuns: ~Copyable {
  /// For `subtract` one for all lists together, for `intersect` one per list.
  private var coverages: RigidArray<Coverage>
  private let isComplement: Bool
  /// The lowest number that has not been decided yet.
  private var undecided: UInt64 = 0
  /// The first number of the run at the front; `.max` after the last run.
  private(set) var first: UInt64 = 0
  /// The last number of the run at the front; `.max` after the last run.
  private(set) var last: UInt64 = 0

  /// Keeps all numbers except those of the lists.
  init(without lists: consuming RigidArray<SortedList>) {
    coverages = RigidArray(capacity: 1)
    isComplement = true
    coverages.append(Coverage(lists))
  }

  /// Keeps the numbers that are in every list.
  init(inEachOf lists: consuming RigidArray<SortedList>) {
    var lists = lists
    coverages = RigidArray(capacity: lists.count)
    isComplement = false
    while !lists.isEmpty {
      var one = RigidArray<SortedList>(capacity: 1)
      one.append(lists.removeLast())
      coverages.append(Coverage(one))
    }
  }

  /// Reads the lists up to the first run.
  mutating func start() throws(Failure) {
    for index in 0..<coverages.count { try coverages[index].start() }
    try advance()
  }

  /// Advances to the next run.
  mutating func advance() throws(Failure) {
    if isComplement { try advanceToGap() } else { try advanceToCommon() }
  }

  private mutating func advanceToGap() throws(Failure) {
    // Two runs of a coverage never touch, so only the first run can lack a gap before it.
    while undecided != .max {
      let gap = undecided
      let next = coverages[0].first
      undecided = next == .max ? .max : coverages[0].last &+ 1
      if next != .max { try coverages[0].advance() }
      if next > gap {
        first = gap
        last = next &- 1
        return
      }
    }
    end()
  }

  private mutating func advanceToCommon() throws(Failure) {
    var low = undecided
    var high = UInt64.max
    var agreed = 0
    var index = 0
    // Advance list after list until all agree on the next common number.
    while agreed < coverages.count {
      while coverages[index].last < low { try coverages[index].advance() }
      if coverages[index].first == .max { return end() }
      if coverages[index].first > low {
        low = coverages[index].first
        agreed = 0
      }
      agreed += 1
      index = index + 1 == coverages.count ? 0 : index + 1
    }
    for index in 0..<coverages.count { high = min(high, coverages[index].last) }
    first = low
    last = high
    undecided = high &+ 1
  }

  private mutating func end() {
    first = .max
    last = .max
  }
}
