// Merges of more lists than are read at a time: consecutive lists are merged into spill files, and these with the rest.
//
// Goals: the same records in the same order as one merge of all lists; a bounded number of buffers and descriptors; as
// little as possible is written to disk. Not for: one merge (ListMerge).

import BasicContainers
import Records
import SystemIO
import SystemPackage

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

  /// Opens one list for each group of lists.
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
