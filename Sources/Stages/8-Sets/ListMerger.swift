// `union` and `sort --merge`: merge the records of any number of sorted lists. A following dedupe resolves
// overlaps.

import BasicContainers
package import Records
import SystemIO
import SystemPackage

/// Merges sorted lists: by first number, then the wider range first, then in the order of the lists.
///
/// The lists may overlap each other and themselves. At most ``SetOptions/fanIn`` lists are read at a time; if there are
/// more, groups of them are merged to spill files first, before anything is output.
///
/// Memory: a read buffer and a batch for each list that is read at a time. Work: O(log *k*) per record, for *k* lists.
package final class ListMerger: RecordSink {
  private let levels: MergeLevels
  /// The merge whose records are output; nil before the groups of lists have been merged.
  private var merge: ListMerge?
  private var output: RecordOutput

  /// Creates a stage that passes records to `downstream`. It opens the lists if all are read at a time: `fanIn` lists, at
  /// least three. If a list is fed by the previous stage, its records arrive through `receive`; otherwise `finish` does
  /// all the work.
  package init(
    options: SetOptions, fanIn: Int? = nil, context: StageContext, downstream: any RecordSink
  ) throws(Failure) {
    try options.checkPipes(context)
    let levels = MergeLevels(options, fanIn: fanIn ?? options.fanIn, context)
    var opened: ListMerge?
    if levels.isSingle { opened = ListMerge(try levels.opened()) } else { try levels.check() }
    self.levels = levels
    merge = opened
    output = RecordOutput(context, downstream)
  }

  /// Merges a batch from the previous stage.
  package func receive(_ batch: inout RecordBatch) throws(Failure) {
    if batch.isEmpty { return }
    try mergeGroups()
    try merge?.feed(&batch)
    try merge?.run(into: &output)
  }

  /// Merges what remains and ends the stream.
  package func finish() throws(Failure) {
    try mergeGroups()
    merge?.endFeeding()
    try merge?.run(into: &output)
    try output.finish()
  }

  private func mergeGroups() throws(Failure) {
    if merge == nil { merge = ListMerge(try levels.opened()) }
  }
}

// MARK: - One merge of sorted lists

/// Merges open lists: by first number, then the wider range first, then in the order of the lists.
///
/// A list may have a wider range after a narrower one that starts at the same number. It waits until the narrower one
/// was output. So the result does not depend on how consecutive lists are grouped, if groups of them are merged first.
///
/// Memory: that of the lists. Work: O(log *k*) per record, for *k* lists.
struct ListMerge: ~Copyable {
  private var lists: RigidArray<SortedList>
  private var tree: LoserTree
  /// The index of the list that the previous stage feeds.
  private let fed: Int?
  private var isStarted = false

  init(_ lists: consuming RigidArray<SortedList>) {
    var fed: Int?
    for index in 0..<lists.count where lists[index].isFed { fed = index }
    self.fed = fed
    tree = LoserTree(runs: lists.count)
    self.lists = lists
  }

  /// Adds the next batch of the previous stage. Call `run` before the next batch.
  mutating func feed(_ batch: inout RecordBatch) throws(Failure) {
    if let fed { try lists[fed].feed(&batch) }
  }

  /// Ends the list that the previous stage feeds, if there is one.
  mutating func endFeeding() {
    if let fed { lists[fed].endFeeding() }
  }

  /// Merges until all lists are at their end, or the fed list runs out of records. Between calls, that list is the
  /// tree's winner.
  mutating func run(into output: inout RecordOutput) throws(Failure) {
    if isStarted {
      if let fed { tree.replaceWinner(first: lists[fed].first, last: lists[fed].last) }
    } else {
      isStarted = true
      for index in 0..<lists.count {
        if index != fed { try lists[index].advance() }
        tree.set(index, first: lists[index].first, last: lists[index].last)
      }
      tree.build()
    }
    while !tree.isEmpty {
      let winner = tree.winner
      try lists[winner].send(to: &output)
      try lists[winner].advance()
      if lists[winner].isDry { return }
      tree.replaceWinner(first: lists[winner].first, last: lists[winner].last)
    }
  }
}

// Merges of more lists than are read at a time: consecutive lists are merged into spill files, and these with
// the rest.
//
// Goals: the same records in the same order as one merge of all lists; a bounded number of buffers and
// descriptors; as little as possible is written to disk.

/// The lists of a merge, divided into consecutive groups. A group of several lists becomes one spill file; if it has
/// more lists than are read at a time, it is divided as well.
///
/// At most ``fanIn`` lists are open at a time. Besides, each level has less than ``fanIn`` spill files that wait for
/// the last group of their level: with 64 lists at a time, 262,144 lists have three levels and need less than 200
/// descriptors.
struct MergeLevels {
  private let options: SetOptions
  private let fanIn: Int
  private let context: StageContext

  init(_ options: SetOptions, fanIn: Int, _ context: StageContext) {
    self.options = options
    self.fanIn = fanIn
    self.context = context
  }

  /// Whether all lists can be read at a time.
  var isSingle: Bool { options.lists.count <= fanIn }

  /// Looks up all lists, so that a missing one is an error before the others are read.
  func check() throws(Failure) {
    for (index, name) in options.lists.enumerated() where name != SetOptions.standardInput {
      do throws(Errno) {
        let status = try context.calls.status(FilePath(name), followsLinks: true)
        if status.type == .regular { context.meter.bytesExpected.add(Int(clamping: status.size)) }
      } catch {
        // Opening the list throws the error that it throws in a merge of few lists.
        _ = try options.openedForMerge(index, context)
      }
    }
  }

  /// The lists of the last merge, after all groups have been merged. Call it once.
  func opened() throws(Failure) -> RigidArray<SortedList> {
    try opened(Self.groups(of: options.lists.count, fed: options.fed, fanIn: fanIn))
  }

  private func opened(_ groups: [Range<Int>]) throws(Failure) -> RigidArray<SortedList> {
    // All groups are merged before the first list is opened, so that the buffers of only one merge exist at a time.
    var spools: [Int: SpooledText] = [:]
    for group in groups where group.count > 1 { spools[group.lowerBound] = try spooled(group) }
    var lists = RigidArray<SortedList>(capacity: groups.count)
    for group in groups {
      if let spool = spools[group.lowerBound] {
        lists.append(SortedList(spool, context))
      } else {
        lists.append(try options.openedForMerge(group.lowerBound, context, expectsSize: isSingle))
      }
    }
    return lists
  }

  /// Merges a group of lists into a spill file.
  private func spooled(_ group: Range<Int>) throws(Failure) -> SpooledText {
    let sizes = Self.groupSizes(of: group.count, slots: fanIn, fanIn: fanIn)
    var merge = ListMerge(try opened(Self.ranges(sizes, from: group.lowerBound)))
    let spool = try SpooledText(options.temporaryDirectory, context)
    // These records are not the stage's output yet.
    var unused = context
    unused.meter = StageMeter(context.stage)
    var output = RecordOutput(unused, RecordWriter(downstream: spool))
    try merge.run(into: &output)
    try output.finish()
    return spool
  }
}

extension MergeLevels {
  /// The groups of the last merge. A list that the previous stage feeds is never spilled: it arrives last.
  static func groups(of count: Int, fed: Int?, fanIn: Int) -> [Range<Int>] {
    guard let fed else { return ranges(groupSizes(of: count, slots: fanIn, fanIn: fanIn), from: 0) }
    let others = count - 1
    let after = others - fed
    // Each side has its share of the slots, and at least one.
    let slots = fanIn - 1
    let slotsBefore = others <= slots || fed == 0 ? fed : max(1, slots * fed / others)
    let slotsAfter = others <= slots ? after : slots - slotsBefore
    return ranges(groupSizes(of: fed, slots: slotsBefore, fanIn: fanIn), from: 0) + [fed..<fed + 1]
      + ranges(groupSizes(of: after, slots: slotsAfter, fanIn: fanIn), from: fed + 1)
  }

  /// The sizes of at most `slots` groups of `count` lists. As few lists as possible are in groups with more levels than
  /// the others, because each level writes and reads their records once more.
  static func groupSizes(of count: Int, slots: Int, fanIn: Int) -> [Int] {
    if count <= slots { return Array(repeating: 1, count: count) }
    // Each group has from `small` to `large` lists, which differ by one level.
    var small = 1
    while slots * small * fanIn < count { small *= fanIn }
    let large = small * fanIn
    let (largeGroups, rest) = (count - slots * small).quotientAndRemainder(dividingBy: large - small)
    return (0..<slots).map { $0 < largeGroups ? large : $0 == largeGroups ? small + rest : small }
  }

  private static func ranges(_ sizes: [Int], from start: Int) -> [Range<Int>] {
    var end = start
    return sizes.map { size in
      defer { end += size }
      return end..<end + size
    }
  }
}

// The numbers that an operation keeps of its first list: for `subtract` those that are in no other list, for
// `intersect` those that are in every other list. They come as ascending runs, each as long as possible.

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
