// The set operations as stages of a pipeline.

import BasicContainers
package import Records
import SystemIO

extension StageName {
  package static let union = StageName(rawValue: "union")
  /// Outputs the records of a list without the numbers of other lists.
  package static let subtract = StageName(rawValue: "subtract")
  /// Outputs the records of a list, cut to the numbers that other lists contain, too.
  package static let intersect = StageName(rawValue: "intersect")
  /// Outputs the differences between two lists. Not a stage of a pipeline.
  package static let diff = StageName(rawValue: "diff")
}

package struct SetOptions: Equatable, Sendable {
  package enum Operation: String, Sendable {
    /// All records of all lists in ascending order; a following dedupe resolves overlaps.
    case union
    /// All records of all lists in sort's order; each list must be in that order.
    case merge
    /// The first list without the numbers of the others.
    case subtract
    /// The numbers of the first list that are in every other list, too.
    case intersect
  }

  /// The maximum number of lists that are read at a time: all lists of `subtract` and `intersect`, and the fan-in of a
  /// merge. All of them stay within 24 MiB and far below the 256 files that a process may open on macOS.
  package static let listsMax = 64
  /// The memory for one list: its read buffer and its batch.
  static let listBytes = TextRecords.bufferBytes + RecordBatch.memoryBytes
  /// The memory besides the lists: the output's batch, and the write buffer of a spill file.
  static let fixedBytes = 2 << 20
  package static let standardInput = "-"

  package var operation: Operation
  /// The lists: files in the text form, stores, directories of shards; `-` is standard input.
  package var lists: [String]
  /// The index of the list that comes from the previous stage; nil if the stage reads all lists itself.
  package var fed: Int?
  /// The memory for the lists of a merge that are read at a time, in bytes.
  package var memory = 64 << 20
  /// The directory for the spill files of a merge of more lists than ``fanIn``.
  package var temporaryDirectory = TemporaryFile.defaultDirectory

  package init(_ operation: Operation, lists: [String], fed: Int? = nil) {
    self.operation = operation
    self.lists = lists
    self.fed = fed
  }

  /// The number of lists that a merge reads at a time: as many as fit into ``memory``, at most ``listsMax``. If there are
  /// more, consecutive lists are merged into spill files first.
  package var fanIn: Int {
    // With less, a merge of two lists and a list from the previous stage would need no fewer levels than lists.
    max(3, min(Self.listsMax, (memory - Self.fixedBytes) / Self.listBytes))
  }
}

extension SetOptions: StagePlan {
  package var name: StageName {
    switch operation {
    case .union: .union
    // Users type `sort --merge`.
    case .merge: StageName(rawValue: "sort")
    case .subtract: .subtract
    case .intersect: .intersect
    }
  }

  package var input: DataKind { .records }
  package var output: DataKind { .records }
  package var files: [StageFile] { lists.map { StageFile($0, .input) } }

  /// The stage with the list `-` fed by the previous stage. `subtract` and `intersect` accept only their first list that
  /// way.
  package var fedByPipe: (any StagePlan)? {
    guard let index = lists.firstIndex(of: Self.standardInput),
      index == 0 || operation == .union || operation == .merge
    else { return nil }
    var plan = self
    plan.fed = index
    return plan
  }

  package func makeSink(
    _ environment: StageEnvironment, downstream: AnySink
  ) throws(Failure) -> AnySink {
    let (context, downstream) = (environment.context, downstream.recordSink)
    switch operation {
    case .union, .merge:
      return .records(try ListMerger(options: self, context: context, downstream: downstream))
    case .subtract, .intersect:
      return .records(try ListCutter(options: self, context: context, downstream: downstream))
    }
  }
}

// Opens the lists of an operation with the order required of each and the handling of invalid lines.

extension SetOptions {
  /// Opens the first list, whose records are output.
  func openedFirst(_ context: StageContext) throws(Failure) -> SortedList {
    try SortedList(lists[0], context, .disjoint, .rejected, counts: true, isFed: fed == 0)
  }

  /// Opens the other lists, whose numbers cut the records of the first one.
  func openedOthers(_ context: StageContext) throws(Failure) -> RigidArray<SortedList> {
    var others = RigidArray<SortedList>(capacity: lists.count - 1)
    for name in lists.dropFirst() {
      others.append(try SortedList(name, context, .ascending, .fatal, counts: false))
    }
    return others
  }

  func openedForMerge(
    _ index: Int, _ context: StageContext, expectsSize: Bool = true
  ) throws(Failure) -> SortedList {
    try SortedList(
      lists[index], context, operation == .merge ? .sorted : .ascending, .rejected, counts: true,
      isFed: fed == index, expectsSize: expectsSize)
  }

  /// Throws if there are too many lists to read all of them at a time, or if two are the same pipe.
  func check(_ context: StageContext) throws(Failure) {
    guard lists.count <= Self.listsMax, !lists.isEmpty else {
      throw Failure(
        context.stage, .usage, "too-many-lists", "\(lists.count) lists; the maximum is \(Self.listsMax)",
        hint: "combine some of them first: cdpipe union LIST… -o FILE")
    }
    try checkPipes(context)
  }

  /// Throws if two lists are the same pipe.
  func checkPipes(_ context: StageContext) throws(Failure) {
    try Self.checkPipes(fed == nil ? lists : lists.filter { $0 != Self.standardInput }, context)
  }

  static func checkPipes(_ lists: [String], _ context: StageContext) throws(Failure) {
    if let list = FileIdentity.sharedPipe(among: lists) {
      throw Failure(
        context.stage, .usage, "shared-pipe",
        "\(InputName.quoted(list)) is a pipe, and can be read as one list only",
        hint: "save it to a file, and name the file twice")
    }
  }
}
